import ControlAPI

extension EntrySummary {
    /// `measurement of Anna Example (5)`, or `new person Anna Example`; without a row, the kind alone.
    var words: String { newRow.map { "new \($0.title ?? "row") \($0.label ?? $0.text)" } ?? withRow(kind.one) }

    /// `3 measurements of Anna Example (5)`, also for a row that the entry has created: `new person Anna Example (28)`.
    func withRow(_ kind: String) -> String {
        guard let subject else { return kind }
        let hasCreated = subject.reference == "@\(id)"
        return "\(kind) \(hasCreated ? "" : "of ")\(subject.text)"
    }
}
