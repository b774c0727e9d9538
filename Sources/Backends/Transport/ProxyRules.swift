import Foundation

/// Only HTTPS uses a proxy, with CONNECT, which reveals only the server name.
package struct ProxyRules: Sendable, Hashable {
    package var proxy: Proxy?
    /// A host, or a domain with all its hosts, optionally with a port; `*` for all.
    package var exceptions: [String]

    package init(proxy: Proxy? = nil, exceptions: [String] = []) {
        self.proxy = proxy
        self.exceptions = exceptions
    }

    /// Reads `https_proxy` and `no_proxy` in lower or upper case, like curl. Throws the name of an invalid variable.
    package init(environment: [String: String]) throws(BadVariable) {
        func variable(_ name: String) -> (name: String, value: String)? {
            for name in [name, name.uppercased()] {
                if let value = environment[name], !value.isEmpty { return (name, value) }
            }
            return nil
        }
        exceptions = variable("no_proxy")?.value.split { $0 == "," || $0.isWhitespace }.map(String.init) ?? []
        guard let named = variable("https_proxy") else { return }
        guard let proxy = Proxy(named.value) else { throw BadVariable(name: named.name) }
        self.proxy = proxy
    }

    package struct BadVariable: Error { package let name: String }

    /// Nil for a direct connection.
    package func proxy(for url: @autoclosure () -> URLComponents?) -> Proxy? {
        guard proxy != nil, let url = url(), url.scheme?.lowercased() == "https", let host = url.host?.lowercased() else { return nil }
        return exceptions.contains { Self.matches($0, host: host, port: url.port ?? 443) } ? nil : proxy
    }

    private static func matches(_ exception: String, host: String, port: Int) -> Bool {
        if exception == "*" { return true }
        var name = exception.lowercased()
        if let colon = name.lastIndex(of: ":"), name.firstIndex(of: ":") == colon || name[..<colon].hasSuffix("]") {
            guard Int(name[name.index(after: colon)...]) == port else { return false }
            name = String(name[..<colon])
        }
        let brackets = CharacterSet(charactersIn: "[]")
        name = name.trimmingCharacters(in: brackets)
        let host = host.trimmingCharacters(in: brackets)
        while name.hasPrefix(".") || name.hasPrefix("*") { name.removeFirst() }
        return !name.isEmpty && (host == name || host.hasSuffix("." + name))
    }
}

package struct Proxy: Sendable, Hashable, CustomStringConvertible {
    package let host: String
    package let port: Int
    let user: String?
    let password: Secret?

    /// `http://user:password@host:port`; scheme, percent-encoded credentials and port are optional.
    package init?(_ text: String) {
        let url = text.contains("://") ? text : "http://" + text
        guard let parts = URLComponents(string: url), parts.scheme?.lowercased() == "http", let host = parts.host, !host.isEmpty,
            ["", "/"].contains(parts.path), parts.query == nil, parts.fragment == nil, (1...65_535).contains(parts.port ?? 80)
        else { return nil }
        self.host = host
        port = parts.port ?? 80
        user = parts.user
        password = parts.password.map(Secret.init)
    }

    /// Without credentials.
    package var description: String { "\(host):\(port)" }
}
