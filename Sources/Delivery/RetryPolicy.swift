import Foundation
import SyncModel

/// When and how often to retry; times in seconds.
package struct RetryPolicy: Sendable, Equatable {
    package var attempts = 3
    package var first: TimeInterval = 5
    package var factor: Double = 4
    package var ceiling: TimeInterval = 15 * 60
    /// How long a server may still process a request after its answer was lost; until then, an absence proves nothing.
    package var lookupAfter: TimeInterval = 30
    /// After so many failed look-ups or lost answers, over `lookupsFor`, a person must decide.
    package var lookups = 8
    package var lookupsFor: TimeInterval = 6 * 3600
    /// The minimum time between counted failures of a lone entry.
    package var loneEntryPeriod: TimeInterval = 3600
    /// The same before the last attempt: longer than a two-week outage, which must fail no entry.
    package var lastLoneEntryPeriod: TimeInterval = 15 * 86_400

    /// The maximum sends with unknown outcome and without look-up, until a person retries the entry.
    package static let mostDoubts = 3
    /// Seconds between these sends: longer than a server usually hangs. One that says at once that it is unavailable (503) does not hang.
    ///
    /// - Parameter seconds: until the answer. A proxy that has waited for the server may answer with 503 too.
    static func blindPause(after failure: Failure, answeredIn seconds: TimeInterval, doubts: Int) -> TimeInterval {
        let isUnavailable = failure.status == 503 && (0..<5).contains(seconds)
        return doubts == 0 ? (isUnavailable ? 120 : 15 * 60) : (isUnavailable ? 3600 : 6 * 3600)
    }

    package init() {}

    /// When to look up an entry, in seconds after the send. A match counts at any time, an absence only at the last.
    func looks(for entry: Entry) -> [TimeInterval] {
        let wait = Self.lookupWait(entry, lookupAfter)
        return [1, 3, 10, lookupAfter, 4 * lookupAfter].filter { $0 < wait } + [wait]
    }

    /// Seconds before an absence counts. Longer after several unknown outcomes, when the list is doubtful: 15 minutes with the default `lookup_after`.
    /// It grows to that if the server itself answered with an error, because then nothing of the request is still on its way. After a proxy's answer
    /// (502, 504) the server may still be at work.
    static func lookupWait(_ entry: Entry, _ lookupAfter: TimeInterval) -> TimeInterval {
        guard entry.isAside, entry.doubts > 1 else { return lookupAfter }
        let status = entry.lastStatus ?? 0
        let hasAnswered = entry.looks == 0 && entry.lastReason == .serverError && status >= 400 && status != 502 && status != 504
        let times = hasAnswered ? min(30, pow(2, Double(entry.doubts - 1))) : 30
        return min(times * lookupAfter, 6 * 3600)
    }

    /// A lone entry's failure counts at first, then hourly, and the last time only after longer than any outage.
    func countsAlone(_ entry: Entry, _ now: Date) -> Bool {
        let isLast = entry.attempts + 1 >= attempts
        guard let since = entry.countedAt ?? (isLast ? entry.acceptedAt : nil) else { return true }
        return since.hasAged(isLast ? lastLoneEntryPeriod : loneEntryPeriod, at: now)
    }

    /// - Parameter hasContrast: another entry shows that the backend works; otherwise wait longer than any outage.
    func hasLookedEnough(_ entry: Entry, hasContrast: Bool, _ now: Date) -> Bool {
        entry.looks + 1 >= lookups && hasBeenOpenLong(entry, hasContrast: hasContrast, now)
    }

    func hasLostEnough(_ entry: Entry, hasContrast: Bool, _ now: Date) -> Bool {
        entry.doubts + 1 >= lookups && hasBeenOpenLong(entry, hasContrast: hasContrast, now)
    }

    private func hasBeenOpenLong(_ entry: Entry, hasContrast: Bool, _ now: Date) -> Bool {
        entry.uncertainSince?.hasAged(hasContrast ? lookupsFor : lastLoneEntryPeriod, at: now) ?? false
    }

    /// Full jitter, so that many devices do not return at the same moment.
    package func delay(before attempt: Int, using generator: inout some RandomNumberGenerator) -> TimeInterval {
        let bound = min(ceiling, first * pow(factor, Double(min(max(0, attempt - 1), 64))))
        return bound > 0 ? .random(in: 0...bound, using: &generator) : 0
    }
}
