import Foundation
import SyncModel

extension InboundResponse {
    /// 429, or 503 with Retry-After.
    package var asksForPause: Bool { status == 429 || (status == 503 && self[header: "Retry-After"] != nil) }
}

/// RFC 9110 10.2.3.
package enum RetryAfter {
    /// On the local clock; nil without the header.
    package static func read(_ response: InboundResponse, now: Date) -> Date? { wait(response, now: now).map(now.addingTimeInterval) }

    /// The server's pause in seconds, up to `ServerPause.longest`. A date is compared with the response's `Date`. An unreadable value
    /// counts as a minute.
    package static func wait(_ response: InboundResponse, now: Date? = nil) -> TimeInterval? {
        guard let text = response[header: "Retry-After"]?.trimmingCharacters(in: .whitespaces) else { return nil }
        let seconds: TimeInterval
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            seconds = TimeInterval(text) ?? fallback
        } else if let date = HTTPDate.parse(text), let start = response.date ?? now {
            seconds = date.timeIntervalSince(start)
        } else {
            seconds = fallback
        }
        return min(max(seconds, 1), ServerPause.longest)
    }

    /// In seconds.
    package static let fallback: TimeInterval = 60
}
