import Foundation

/// One try at sending an entry, as it is kept.
package struct AttemptRecord: Hashable, Sendable {
    package var startedAt: Date
    package var endedAt: Date
    package var verdict: Verdict

    package init(startedAt: Date, endedAt: Date, verdict: Verdict) {
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.verdict = verdict
    }
}

/// An entry with what became of it, ready to be written.
package struct Settled: Hashable, Sendable {
    package var entry: Entry
    package var settlement: Settlement
    /// The try that led here; nil where none was made.
    package var attempt: AttemptRecord?

    package init(_ entry: Entry, _ settlement: Settlement, attempt: AttemptRecord?) {
        self.entry = entry
        self.settlement = settlement
        self.attempt = attempt
    }

    /// Whether the try counts against the limit: what a backend that is well could not take, and nothing else.
    package var counts: Bool {
        switch (settlement, attempt?.verdict) {
        case (.retry, _), (.dead, .transient), (.dead, .unknown): true
        default: false
        }
    }
}
