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
        self.scheme = scheme
        self.host = host
        port = parts.port ?? (scheme == "https" ? 443 : 80)
    }

    /// Whether what is sent there can be read on the way by nobody but this machine.
    var isPrivate: Bool { scheme == "https" || isLoopback }

    private var isLoopback: Bool {
        let bare = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        let octets = bare.split(separator: ".").compactMap { UInt8($0) }
        return bare == "localhost" || bare == "::1" || (octets.count == 4 && octets[0] == 127 && bare.split(separator: ".").count == 4)
    }

    var description: String { "\(scheme)://\(host):\(port)" }
}
