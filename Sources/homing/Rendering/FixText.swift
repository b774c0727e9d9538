import ControlAPI

enum FixText {
    static func done(_ old: EntrySummary, _ receipt: SubmissionReceipt) -> String {
        let isOtherRow = old.newRow == nil && old.subject?.id != receipt.subject?.id
        let whom = receipt.subject.map { isOtherRow ? " for \($0.text)" : "" } ?? ""
        return """
            The \(old.words) is corrected, and stored safely as \(EntryText.shortID(receipt.id)) (#\(receipt.sequence))\(whom). \
            Homing sends it to \(receipt.backend) automatically.
            The old entry \(EntryText.shortID(old.id)) (#\(old.sequence)) is discarded.
            """.printableLines
    }

    /// - Parameter newID: of the corrected entry, if it was accepted.
    static func answerLost(_ problem: Problem, newID: String?) -> Problem {
        guard let newID else { return problem }
        var problem = problem
        problem.next = [problem.next, "To see whether the correction was accepted, run: homing show \(EntryText.shortID(newID))"]
            .compactMap(\.self).joined(separator: "\n")
        return problem
    }
}
