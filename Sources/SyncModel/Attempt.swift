import Foundation

/// The result of one attempt to deliver an entry.
package struct Attempt: Hashable, Sendable {
    package var verdict: Verdict
    package var route: RouteTraits
    package var startedAt: Date
    package var endedAt: Date
    /// False without any request: no session, or one of another account.
    package var wasMade: Bool
    /// False when the entry was only looked up.
    package var wasSent: Bool

    package init(
        _ verdict: Verdict, route: RouteTraits, startedAt: Date, endedAt: Date, wasMade: Bool = true, wasSent: Bool = true
    ) {
        self.verdict = verdict
        self.route = route
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.wasMade = wasMade
        self.wasSent = wasSent
    }
}

package struct RouteTraits: Sendable, Hashable {
    package var canLookUp: Bool
    /// Must not be repeated, unless the first send certainly had no effect.
    package var isAtMostOnce: Bool
    /// Repeated sends have one effect, by method or idempotency key.
    package var isRepeatable: Bool
    /// Leads to another server than the rest of the backend.
    package var isElsewhere: Bool

    /// Only a person can resolve an unknown outcome.
    package var isBlind: Bool { !canLookUp && (isAtMostOnce || !isRepeatable) }

    package init(canLookUp: Bool, isAtMostOnce: Bool, isRepeatable: Bool = false, isElsewhere: Bool = false) {
        self.canLookUp = canLookUp
        self.isAtMostOnce = isAtMostOnce
        self.isRepeatable = isRepeatable
        self.isElsewhere = isElsewhere
    }
}

/// An entry with its settlement.
package struct Settled: Hashable, Sendable {
    package var entry: Entry
    package var settlement: Settlement
    /// Nil if no request was made.
    package var attempt: Attempt?

    /// - Parameter counts: counts against the limit; a retry always does.
    package init(_ entry: Entry, _ settlement: Settlement, attempt: Attempt?, counts: Bool = false) {
        self.entry = entry
        self.settlement = settlement
        self.attempt = attempt
        if case .retry = settlement { self.counts = true } else { self.counts = counts }
    }

    package var counts: Bool

    /// True when the send may have taken effect.
    package var isDoubtful: Bool { attempt?.wasSent == true && settlement.failure?.outcomeUnknown == true }
}
