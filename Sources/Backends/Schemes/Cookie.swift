import Foundation

/// A cookie as it is stored (RFC 6265 5.3).
struct Cookie: Hashable, Sendable, Codable {
    let name: String
    var value: Secret
    let domain: String
    let path: String
    /// Goes to no other host than `domain`.
    let isHostOnly: Bool
    /// Goes only where nobody can read it on the way.
    let isSecure: Bool
    /// By our own clock; nil where it lasts as long as the session.
    let expires: Date?
    /// Was set by the answer to a sign-in, or replaces one that was: without it there may be no session.
    var isFromSignIn = false

    /// Longer ones are not stored, in bytes of name and value (RFC 6265 6.1).
    static let longest = 4096
    /// No cookie is kept for longer, in seconds (400 days).
    private static let longestLife: TimeInterval = 400 * 86_400

    /// Reads a Set-Cookie field of the answer to a request to `url`; nil where the cookie is to be ignored.
    ///
    /// - Parameters:
    ///   - date: of the answer, against which its Expires is measured; nil where it has none.
    ///   - now: by our own clock.
    init?(_ field: String, from url: URLComponents, date: Date?, now: Date) {
        guard !field.holdsControlCharacters, let host = url.host?.lowercased() else { return nil }
        let parts = field.split(separator: ";", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
        guard let (name, value) = Self.pair(parts[0]), !name.isEmpty, name.utf8.count + value.utf8.count <= Self.longest else { return nil }
        var attributes: [String: String] = [:]
        for part in parts.dropFirst() {
            let (key, value) = Self.pair(part) ?? (part, "")
            if value.utf8.count <= 1024 { attributes[key.lowercased()] = value }
        }
        self.name = name
        self.value = Secret(value)
        var asked = attributes["domain"]?.lowercased() ?? ""
        if asked.hasPrefix(".") { asked.removeFirst() }
        // A whole top level is nobody's own domain; a host may name itself.
        if asked.isEmpty || asked == host {
            isHostOnly = asked.isEmpty || !host.contains(".")
            domain = host
        } else {
            guard asked.contains("."), Self.isWithin(host, asked) else { return nil }
            (isHostOnly, domain) = (false, asked)
        }
        path = attributes["path"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? Self.defaultPath(of: url.percentEncodedPath)
        isSecure = attributes["secure"] != nil
        if isSecure, !Self.isPrivate(url) { return nil }
        expires = Self.end(attributes, date: date, now: now)
    }

    /// Whether it goes with a request to `url` at this moment (RFC 6265 5.4).
    func matches(_ url: URLComponents, at now: Date) -> Bool {
        guard let host = url.host?.lowercased(), isHostOnly ? host == domain : Self.isWithin(host, domain) else { return false }
        let asked = url.percentEncodedPath.isEmpty ? "/" : url.percentEncodedPath
        let isBelow = asked == path || (asked.hasPrefix(path) && (path.hasSuffix("/") || asked.dropFirst(path.count).first == "/"))
        return isBelow && !hasExpired(at: now) && (!isSecure || Self.isPrivate(url))
    }

    func hasExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

    /// Whether it takes the other one's place.
    func replaces(_ other: Cookie) -> Bool { name.utf8.elementsEqual(other.name.utf8) && domain == other.domain && path == other.path }

    /// What it takes in a Cookie header, with the separator, in bytes.
    var length: Int { name.utf8.count + value.revealed.utf8.count + 3 }

    // MARK: -

    private static func pair(_ text: String) -> (String, String)? {
        guard let equals = text.firstIndex(of: "=") else { return nil }
        return (
            text[..<equals].trimmingCharacters(in: .whitespaces), text[text.index(after: equals)...].trimmingCharacters(in: .whitespaces)
        )
    }

    /// Max-Age goes before Expires, which is the server's time: how long it lasts is measured against the server's own clock.
    private static func end(_ attributes: [String: String], date: Date?, now: Date) -> Date? {
        if let age = attributes["max-age"], let seconds = Self.whole(age) {
            return now.addingTimeInterval(min(seconds, longestLife))
        }
        guard let end = attributes["expires"].flatMap(HTTPDate.parseLoosely) else { return nil }
        return now.addingTimeInterval(min(end.timeIntervalSince(date ?? now), longestLife))
    }

    /// A whole number of any length as seconds; nil for anything else.
    private static func whole(_ text: String) -> TimeInterval? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        if text.hasPrefix("-") { return -1 }
        return digits.count > 12 ? longestLife : TimeInterval(digits)
    }

    /// RFC 6265 5.1.4.
    private static func defaultPath(of path: String) -> String {
        guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// RFC 6265 5.1.3; an address has no domains.
    private static func isWithin(_ host: String, _ domain: String) -> Bool {
        if host == domain { return true }
        let isAddress = host.contains(":") || host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
        return !isAddress && host.hasSuffix("." + domain)
    }

    /// This machine counts too: what stays on it is read by nobody else.
    private static func isPrivate(_ url: URLComponents) -> Bool { url.string.flatMap(Origin.init)?.isPrivate ?? false }
}
