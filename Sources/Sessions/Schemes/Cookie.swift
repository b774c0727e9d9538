import Backends
import Foundation

/// A stored cookie (RFC 6265 5.3).
struct Cookie: Hashable, Sendable, Codable {
    let name: String
    var value: Secret
    let domain: String
    let path: String
    /// Sent only to the host `domain`.
    let isHostOnly: Bool
    /// Sent only over HTTPS or to a loopback address.
    let isSecure: Bool
    /// On the local clock; nil for a session cookie.
    let expires: Date?
    /// A sign-in set the cookie, or one that it replaces: the session may depend on it.
    var isFromSignIn = false

    /// In bytes of name and value (RFC 6265 6.1).
    static let longest = 4096
    /// In seconds (400 days).
    private static let longestLife: TimeInterval = 400 * 86_400

    /// Parses a Set-Cookie field; nil if it must be ignored. `date` is the answer's `Date`, the base for Expires.
    init?(_ field: String, from place: Place, date: Date?, now: Date) {
        guard !field.holdsControlCharacters else { return nil }
        let parts = field.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { Substring($0).trimmed }
        guard let (name, value) = Self.pair(parts[0]), !name.isEmpty, name.utf8.count + value.utf8.count <= Self.longest else { return nil }
        var attributes: [String: String] = [:]
        for part in parts.dropFirst() {
            let (key, value) = Self.pair(part) ?? (String(part), "")
            if value.utf8.count <= 1024 { attributes[key.lowercased()] = value }
        }
        self.name = name
        self.value = Secret(value)
        var asked = attributes["domain"]?.lowercased() ?? ""
        if asked.hasPrefix(".") { asked.removeFirst() }
        // Reject a top-level domain, except for a host that names itself.
        if asked.isEmpty || asked == place.host {
            isHostOnly = asked.isEmpty || !place.host.contains(".")
            domain = place.host
        } else {
            guard asked.contains("."), Self.isWithin(place.host, asked) else { return nil }
            (isHostOnly, domain) = (false, asked)
        }
        path = attributes["path"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? Self.defaultPath(of: place.path)
        isSecure = attributes["secure"] != nil
        if isSecure, !place.isPrivate { return nil }
        expires = Self.end(attributes, date: date, now: now)
    }

    /// The parts of a URL that decide about cookies.
    struct Place {
        /// In lower case.
        let host: String
        let path: String
        private let url: String

        init?(_ url: String) {
            guard let parts = URLComponents(string: url), let host = parts.host?.lowercased() else { return nil }
            let path = parts.percentEncodedPath
            (self.url, self.host, self.path) = (url, host, path.isEmpty ? "/" : path)
        }

        /// HTTPS or a loopback address: other machines cannot read that traffic.
        var isPrivate: Bool { Origin(url)?.isPrivate ?? false }
    }

    /// True if the cookie is sent to `place` (RFC 6265 5.4).
    func matches(_ place: Place, at now: Date) -> Bool {
        guard isHostOnly ? place.host == domain : Self.isWithin(place.host, domain) else { return false }
        let asked = place.path
        let isBelow = asked == path || (asked.hasPrefix(path) && (path.hasSuffix("/") || asked.dropFirst(path.count).first == "/"))
        return isBelow && !hasExpired(at: now) && (!isSecure || place.isPrivate)
    }

    func hasExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

    func replaces(_ other: Cookie) -> Bool { name.utf8.elementsEqual(other.name.utf8) && domain == other.domain && path == other.path }

    /// Its size in a Cookie header with separator, in bytes.
    var length: Int { name.utf8.count + value.revealed.utf8.count + 3 }

    // MARK: -

    private static func pair(_ text: Substring) -> (String, String)? {
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        return (String(text[..<equals].trimmed), String(text[text.utf8.index(after: equals)...].trimmed))
    }

    /// Max-Age takes precedence; Expires is relative to the server's clock.
    private static func end(_ attributes: [String: String], date: Date?, now: Date) -> Date? {
        if let age = attributes["max-age"], let seconds = Self.whole(age) {
            return now.addingTimeInterval(min(seconds, longestLife))
        }
        guard let end = attributes["expires"].flatMap(HTTPDate.parseLoosely) else { return nil }
        return now.addingTimeInterval(min(end.timeIntervalSince(date ?? now), longestLife))
    }

    /// An integer of any length.
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

    /// RFC 6265 5.1.3; an IP address matches only itself.
    private static func isWithin(_ host: String, _ domain: String) -> Bool {
        if host == domain { return true }
        let isAddress = host.contains(":") || host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
        return !isAddress && host.hasSuffix("." + domain)
    }
}

extension Substring {
    /// Without spaces and tabs at both ends (RFC 6265 5.2).
    fileprivate var trimmed: Substring {
        func isText(_ byte: UInt8) -> Bool { byte != UInt8(ascii: " ") && byte != UInt8(ascii: "\t") }
        guard let first = utf8.firstIndex(where: isText), let last = utf8.lastIndex(where: isText) else { return "" }
        return Substring(utf8[first...last])
    }
}
