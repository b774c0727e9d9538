import Foundation
import SyncModel

/// How often, and how long after, a send is tried again. All times in seconds.
package struct RetryPolicy: Sendable, Equatable {
    /// Counted attempts after which an entry has failed.
    package var attempts = 3
    package var first: TimeInterval = 5
    package var factor: Double = 4
    package var ceiling: TimeInterval = 15 * 60
    /// How long a server may still be at work on a request whose answer was lost: until then, not to be found proves nothing.
    package var lookupAfter: TimeInterval = 30
    /// A look-up that has failed so often, and for so long, is given up: a person decides. So is a send whose answer was lost so often.
    package var lookups = 8
    package var lookupsFor: TimeInterval = 6 * 3600
    /// A lone entry counts at most this often.
    package var loneEntryPeriod: TimeInterval = 3600
    /// The same of the attempt that would be the last: longer than an outage of two weeks, which must fail nothing.
    package var lastLoneEntryPeriod: TimeInterval = 15 * 86_400

    /// Sends of an entry whose outcome is unknown and cannot be looked up, in its life.
    package static let mostDoubts = 3
    /// Seconds between them, where nothing else gets through: longer than a server mostly hangs.
    static let blindPauses: [TimeInterval] = [15 * 60, 6 * 3600]

    package init() {}

    /// When to look for what may have taken effect, in seconds after the send. To be found early ends it early; not to be found counts at the
    /// last of them only.
    func looks(for entry: Entry) -> [TimeInterval] {
        let wait = Self.lookupWait(entry, lookupAfter)
        return [1, 3, 10, lookupAfter, 4 * lookupAfter].filter { $0 < wait } + [wait]
    }

    /// Seconds after a send for which not to be found proves nothing. Where several answers were lost and nothing else got through since, a list
    /// that does not show the entry is doubtful: 15 minutes at the default of `lookup_after`.
    static func lookupWait(_ entry: Entry, _ lookupAfter: TimeInterval) -> TimeInterval {
        entry.isAside && entry.doubts > 1 ? min(30 * lookupAfter, 6 * 3600) : lookupAfter
    }

    /// Whether a failure of a lone entry counts: once, again an hour after that, and the last time only when no outage lasts so long.
    func countsAlone(_ entry: Entry, _ now: Date) -> Bool {
        let isLast = entry.attempts + 1 >= attempts
        guard let since = entry.countedAt ?? (isLast ? entry.acceptedAt : nil) else { return true }
        return abs(now.timeIntervalSince(since)) >= (isLast ? lastLoneEntryPeriod : loneEntryPeriod)
    }

    /// - Parameter hasContrast: something shows that the backend works; else only what no outage outlasts is enough.
    func hasLookedEnough(_ entry: Entry, hasContrast: Bool, _ now: Date) -> Bool {
        entry.looks + 1 >= lookups && hasBeenOpenLong(entry, hasContrast: hasContrast, now)
    }

    func hasLostEnough(_ entry: Entry, hasContrast: Bool, _ now: Date) -> Bool {
        entry.doubts + 1 >= lookups && hasBeenOpenLong(entry, hasContrast: hasContrast, now)
    }

    private func hasBeenOpenLong(_ entry: Entry, hasContrast: Bool, _ now: Date) -> Bool {
        guard let since = entry.uncertainSince else { return false }
        // As long ahead as it should lie behind: the clock was ahead, and how long ago it is cannot be told.
        return abs(now.timeIntervalSince(since)) >= (hasContrast ? lookupsFor : lastLoneEntryPeriod)
    }

    /// Full jitter: anything from now to the exponential bound, so that a fleet that comes back does not come back at once.
    package func delay(before attempt: Int, using generator: inout some RandomNumberGenerator) -> TimeInterval {
        let bound = min(ceiling, first * pow(factor, Double(min(max(0, attempt - 1), 64))))
        return bound > 0 ? .random(in: 0...bound, using: &generator) : 0
    }
}

/// What an entry's route says about sending twice, and where it leads.
package struct RouteTraits: Sendable, Hashable {
    /// The profile says how to look for what may have taken effect.
    package var canLookUp: Bool
    /// It must not be sent again unless it is certain that it had no effect.
    package var isAtMostOnce: Bool
    /// To send it twice has one effect: by its method, or by a key that the backend remembers.
    package var isRepeatable: Bool
    /// It leads to another server than the rest of the backend.
    package var isElsewhere: Bool

    /// An unknown outcome matters, and nothing but a person can find it out.
    package var isBlind: Bool { !canLookUp && (isAtMostOnce || !isRepeatable) }

    package init(canLookUp: Bool, isAtMostOnce: Bool, isRepeatable: Bool = false, isElsewhere: Bool = false) {
        self.canLookUp = canLookUp
        self.isAtMostOnce = isAtMostOnce
        self.isRepeatable = isRepeatable
        self.isElsewhere = isElsewhere
    }
}
