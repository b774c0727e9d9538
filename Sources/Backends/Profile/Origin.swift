import Foundation

/// Scheme, host and port (RFC 6454); credentials are bound to it.
package struct Origin: Hashable, Sendable, CustomStringConvertible {
    let scheme: String
    let host: String
    let port: Int
    /// The usual beginning of its URLs.
    private let start: String

    /// From an absolute http(s) URL without user information.
    package init?(_ url: String) {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(), scheme == "https" || scheme == "http",
            let host = parts.host?.lowercased(), !host.isEmpty, parts.user == nil, parts.password == nil
        else { return nil }
        // Reject URLs that the parser normalised.
        let port = parts.port
        let authority = url.dropFirst(scheme.count + "://".count).prefix { !"/?#".contains($0) }
        guard url.lowercased().hasPrefix("\(scheme)://"), authority.lowercased() == host + (port.map { ":\($0)" } ?? ""),
            host.utf8.allSatisfy({ Self.hostBytes.contains($0) }), (1...65_535).contains(port ?? 1)
        else { return nil }
        self.scheme = scheme
        self.host = host
        let usual = scheme == "https" ? 443 : 80
        self.port = port ?? usual
        start = "\(scheme)://\(host)\(self.port == usual ? "" : ":\(self.port)")/"
    }

    /// Parses only URLs that begin in another way.
    func isOrigin(of url: String) -> Bool { url.utf8.starts(with: start.utf8) || Origin(url) == self }

    /// DNS names and numeric addresses; other scripts use `xn--…`.
    private static let hostBytes = Set("abcdefghijklmnopqrstuvwxyz0123456789-._[]:".utf8)

    /// HTTPS or loopback: no other machine can read the traffic.
    package var isPrivate: Bool { scheme == "https" || isLoopback }

    private var isLoopback: Bool {
        let parts = host.split(separator: ".")
        let octets = parts.compactMap { UInt8($0) }
        return host == "localhost" || host == "[::1]" || (parts.count == 4 && octets.count == 4 && octets[0] == 127)
    }

    package var description: String { "\(scheme)://\(host):\(port)" }
}
