/// A mail server on this computer. Homing speaks SMTP without encryption and without a password, so no other computer may be one.
package struct MailServer: Hashable, Sendable, CustomStringConvertible {
    /// A loopback address.
    let host: String
    let port: Int

    package static let usual = MailServer(host: "127.0.0.1", port: 25)

    private init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    /// From `127.0.0.1:25`, `[::1]:25` or `localhost:25`, which is 127.0.0.1; without a port, 25. Nil for another form or another computer.
    package init?(_ text: String) {
        guard let match = text.wholeMatch(of: /(localhost|127\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}|\[::1\])(?::([0-9]{1,5}))?/) else {
            return nil
        }
        port = match.2.flatMap { Int($0) } ?? 25
        switch match.1 {
        case "localhost": host = "127.0.0.1"
        case "[::1]": host = "::1"
        default:
            let octets = match.1.split(separator: ".").compactMap { UInt8($0) }
            guard octets.count == 4 else { return nil }
            host = octets.map(String.init).joined(separator: ".")
        }
        guard (1...65_535).contains(port) else { return nil }
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
