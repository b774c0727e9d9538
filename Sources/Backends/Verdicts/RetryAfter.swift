import Foundation

extension InboundResponse {
    /// 429, or 503 with Retry-After: the server wants fewer requests.
    var asksForQuiet: Bool { status == 429 || (status == 503 && self[header: "Retry-After"] != nil) }
}

/// When a server wants to be asked again (RFC 9110 10.2.3).
enum RetryAfter {
    /// The header as a moment by our clock; nil without the header.
    static func read(_ response: InboundResponse, now: Date) -> Date? { wait(response, now: now).map(now.addingTimeInterval) }

    /// The header in seconds: as it stands, or up to a date measured against the answer's own `Date`, or else against `now`. From 1 s to
    /// 6 h; what cannot be read counts as a minute; nil without the header.
    static func wait(_ response: InboundResponse, now: Date? = nil) -> TimeInterval? {
        guard let text = response[header: "Retry-After"]?.trimmingCharacters(in: .whitespaces) else { return nil }
        let seconds: TimeInterval
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            seconds = TimeInterval(text) ?? fallback
        } else if let date = HTTPDate.parse(text), let start = response.date ?? now {
            seconds = date.timeIntervalSince(start)
        } else {
            seconds = fallback
        }
        return min(max(seconds, 1), 6 * 3600)
    }

    /// Seconds to wait where the server names no time that can be read.
    static let fallback: TimeInterval = 60
}
