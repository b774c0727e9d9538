import Foundation

/// When a server wants to be asked again (RFC 9110 10.2.3).
enum RetryAfter {
    /// The header as a moment by our clock: seconds, or a date measured against the answer's own `Date`. Between 1 s and 6 h from `now`;
    /// what cannot be read counts as a minute; nil without the header.
    static func read(_ response: InboundResponse, now: Date) -> Date? {
        guard let text = response[header: "Retry-After"]?.trimmingCharacters(in: .whitespaces) else { return nil }
        let seconds: TimeInterval
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            seconds = TimeInterval(text) ?? fallback
        } else if let date = HTTPDate.parse(text) {
            seconds = date.timeIntervalSince(response.date ?? now)
        } else {
            seconds = fallback
        }
        return now.addingTimeInterval(min(max(seconds, 1), 6 * 3600))
    }

    /// Seconds to wait where the server names no time that can be read.
    static let fallback: TimeInterval = 60
}
