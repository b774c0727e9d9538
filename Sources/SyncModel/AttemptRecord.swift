import Foundation

/// One try at sending an entry, as it is kept.
package struct AttemptRecord: Hashable, Sendable {
    package var startedAt: Date
    package var endedAt: Date
    package var verdict: Verdict
    /// Whether the entry itself was sent; false for a look-up alone.
    package var wasSent: Bool

    package init(startedAt: Date, endedAt: Date, verdict: Verdict, wasSent: Bool = true) {
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.verdict = verdict
        self.wasSent = wasSent
    }
}

/// An entry with what became of it, ready to be written.
package struct Settled: Hashable, Sendable {
    package var entry: Entry
    package var settlement: Settlement
    /// The try that led here; nil where none was made.
    package var attempt: AttemptRecord?

    /// - Parameter counts: whether the try counts against the limit; a retry always does.
    package init(_ entry: Entry, _ settlement: Settlement, attempt: AttemptRecord?, counts: Bool = false) {
        self.entry = entry
        self.settlement = settlement
        self.attempt = attempt
        if case .retry = settlement { self.counts = true } else { self.counts = counts }
    }

    /// Whether the try counts against the limit.
    package var counts: Bool

    /// Whether the send left open whether it took effect.
    package var isDoubtful: Bool { attempt?.wasSent == true && settlement.failure?.outcomeUnknown == true }
}
