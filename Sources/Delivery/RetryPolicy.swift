import Foundation
import SyncModel

/// How often, and how long after, a send is tried again. All times in seconds.
package struct RetryPolicy: Sendable, Equatable {
    /// Counted attempts before an entry is dead.
    package var attempts = 3
    package var first: TimeInterval = 5
    package var factor: Double = 4
    package var ceiling: TimeInterval = 15 * 60
    /// How long a server may still be at work on a request whose answer was lost: no look-up before that.
    package var lookupAfter: TimeInterval = 30
    /// A look-up that has failed for so long, and so often, at a backend that is well is given up: a person decides.
    package var lookups = 8
    package var lookupsFor: TimeInterval = 6 * 3600
    /// A send that nothing shows to have met a backend which is well counts at most this often.
    package var loneEntryPeriod: TimeInterval = 3600
    /// The same of the attempt that would be the last: longer than an outage of two weeks, which must kill nothing.
    package var lastLoneEntryPeriod: TimeInterval = 15 * 86_400

    package init() {}

    /// Whether a failure of `entry` counts although nothing shows that the backend is well: the first at once, the next an hour after it, and
    /// the last only when no outage lasts so long.
    func countsWithoutEvidence(_ entry: Entry, _ now: Date) -> Bool {
        let isLast = entry.attempts + 1 >= attempts
        guard let since = entry.countedAt ?? (isLast ? entry.mutation.capturedAt : nil) else { return true }
        return abs(now.timeIntervalSince(since)) >= (isLast ? lastLoneEntryPeriod : loneEntryPeriod)
    }

    /// How long to wait, in seconds, before what may have taken effect is looked up; 0 where nothing is to be looked up.
    func lookupPause(_ failure: Failure, _ route: RouteTraits) -> TimeInterval {
        failure.outcomeUnknown && route.canLookUp ? lookupAfter : 0
    }

    /// However often the way was barred meanwhile.
    ///
    /// - Parameter isSeenWell: something shows that the backend is well; else only what no outage outlasts is enough.
    func hasLookedEnough(_ entry: Entry, isSeenWell: Bool, _ now: Date) -> Bool {
        guard let since = entry.uncertainSince else { return false }
        // As long ahead as it should lie behind: the clock was ahead, and nobody knows how long ago it is.
        return entry.lookUps >= lookups && abs(now.timeIntervalSince(since)) >= (isSeenWell ? lookupsFor : lastLoneEntryPeriod)
    }

    /// Full jitter: anything from now to the exponential bound, so that a fleet that comes back does not come back at once.
    package func delay(before attempt: Int, using generator: inout some RandomNumberGenerator) -> TimeInterval {
        let bound = min(ceiling, first * pow(factor, Double(max(0, attempt - 1))))
        return bound > 0 ? .random(in: 0...bound, using: &generator) : 0
    }
}

/// What an entry's route says about sending twice.
package struct RouteTraits: Sendable, Hashable {
    /// The profile says how to look for what may have been taken.
    package var canLookUp: Bool
    /// It must not be sent again unless it is certain that it was not taken.
    package var isAtMostOnce: Bool

    package init(canLookUp: Bool, isAtMostOnce: Bool) {
        self.canLookUp = canLookUp
        self.isAtMostOnce = isAtMostOnce
    }
}
