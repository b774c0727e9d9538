import ControlAPI

extension EntrySummary {
    /// The row that the entry is to create, while it is undelivered; nil for another entry.
    var newRow: SubjectReport? { subject?.isNew == true && subject?.id == "@\(id)" ? subject : nil }
}
