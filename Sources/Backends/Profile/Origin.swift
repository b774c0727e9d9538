import Foundation

/// What credentials are bound to (RFC 6454): scheme, host and port.
struct Origin: Hashable, Sendable, CustomStringConvertible {
    let scheme: String
    let host: String
    let port: Int

    /// The origin of an absolute http(s) URL without a user; nil for anything else.
    init?(_ url: String) {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(), scheme == "https" || scheme == "http",
            let host = parts.host?.lowercased(), !host.isEmpty, parts.user == nil, parts.password == nil
        else { return nil }
        // What stands between the slashes is what a reader takes it for: nothing of it was decoded, put into another form or left out.
        let port = parts.port
        let authority = url.dropFirst(scheme.count + "://".count).prefix { !"/?#".contains($0) }
        guard url.lowercased().hasPrefix("\(scheme)://"), authority.lowercased() == host + (port.map { ":\($0)" } ?? ""),
            host.utf8.allSatisfy({ Self.hostBytes.contains($0) }), (1...65_535).contains(port ?? 1)
        else { return nil }
        self.scheme = scheme
        self.host = host
        self.port = port ?? (scheme == "https" ? 443 : 80)
    }

    /// The characters of a name on the network or of a numeric address; other scripts' names are written in them too (`xn--…`).
    private static let hostBytes = Set("abcdefghijklmnopqrstuvwxyz0123456789-._[]:".utf8)

    /// Whether what is sent there can be read on the way by nobody but this machine.
    var isPrivate: Bool { scheme == "https" || isLoopback }

    private var isLoopback: Bool {
        let bare = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        let octets = bare.split(separator: ".").compactMap { UInt8($0) }
        return bare == "localhost" || bare == "::1" || (octets.count == 4 && octets[0] == 127 && bare.split(separator: ".").count == 4)
    }

    var description: String { "\(scheme)://\(host):\(port)" }
}
