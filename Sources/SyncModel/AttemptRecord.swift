import Foundation

package struct AttemptRecord: Hashable, Sendable {
    package var startedAt: Date
    package var endedAt: Date
    package var verdict: Verdict
    /// False for a look-up.
    package var wasSent: Bool

    package init(startedAt: Date, endedAt: Date, verdict: Verdict, wasSent: Bool = true) {
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.verdict = verdict
        self.wasSent = wasSent
    }
}

/// An entry with its settlement.
package struct Settled: Hashable, Sendable {
    package var entry: Entry
    package var settlement: Settlement
    package var attempt: AttemptRecord?

    /// - Parameter counts: counts against the limit; a retry always does.
    package init(_ entry: Entry, _ settlement: Settlement, attempt: AttemptRecord?, counts: Bool = false) {
        self.entry = entry
        self.settlement = settlement
        self.attempt = attempt
        if case .retry = settlement { self.counts = true } else { self.counts = counts }
    }

    package var counts: Bool

    /// True when the send may have taken effect.
    package var isDoubtful: Bool { attempt?.wasSent == true && settlement.failure?.outcomeUnknown == true }
}
