import SyncModel

extension EntrySummary {
    /// Nil for one that only a newer version knows.
    package var knownState: Entry.State? { Entry.State(rawValue: state) }

    /// The row that the undelivered entry is to create.
    package var newRow: SubjectReport? { subject?.isNew == true && subject?.id == "@\(id)" ? subject : nil }

    /// Discarded, but its payload is not destroyed yet.
    package var isBeingDiscarded: Bool { holdReason == HoldReason.discarding.rawValue }

    /// A person can say whether it was delivered.
    package var isDoubtful: Bool { isUndelivered && !isBeingDiscarded && (uncertain || holdReason == HoldReason.unknownOutcome.rawValue) }

    /// Also in a state that this version does not know.
    package var isUndelivered: Bool {
        switch knownState {
        case .delivered, .discarded: false
        case .pending, .inflight, .dead, .held, nil: true
        }
    }
}
