import SyncModel

extension EntrySummary {
    /// `measurement of Anna Example (5)`, or `new person Anna Example`.
    package var words: String { newRow.map { "new \($0.title ?? "row") \($0.label ?? $0.text)" } ?? withRow(kind.one) }

    /// `3 measurements of Anna Example (5)`, also for a created row: `new person Anna Example (28)`.
    package func withRow(_ kind: String) -> String {
        guard let subject else { return kind }
        let hasCreated = subject.reference == "@\(id)"
        return "\(kind) \(hasCreated ? "" : "of ")\(subject.text)"
    }

    /// `on hold: not permitted`, `failed after 3 attempts`, `failed: refused`, `waiting`. Begins with the words of `Words.state`.
    package var stateWords: String {
        if let holdReason { return "on hold: \(Words.holdReason(holdReason))" }
        guard knownState == .dead else { return Words.state(state) }
        return wasRefused ? "\(Words.state(state)): refused" : "failed after \(Words.count(attempts, "attempt", "attempts"))"
    }

    /// Failed because of the server's answer, not because its attempts were used up.
    package var wasRefused: Bool { knownState == .dead && (attempts == 0 || hasRefusal) }

    /// The server’s last answer was a refusal, which it may repeat; 408, 425 and 429 only ask for a later try.
    package var hasRefusal: Bool {
        guard let lastStatus, (400..<500).contains(lastStatus) else { return false }
        return ![408, 425, 429].contains(lastStatus)
    }
}
