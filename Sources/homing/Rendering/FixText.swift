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

    /// That the given name fits other rows of the list too; nil if it does not.
    ///
    /// - Parameter page: the rows whose names contain `name`.
    static func others(_ page: RosterPage, like name: String, than receipt: SubmissionReceipt) -> String? {
        guard let subject = receipt.subject else { return nil }
        let others = page.rows.filter { $0.id != subject.id }
        guard !others.isEmpty else { return nil }
        let list = others.prefix(10).map(\.named).joined(separator: ", ") + (others.count > 10 || page.next != nil ? ", …" : "")
        return """
            Homing took ‘\(name)’ for \(subject.text), whose whole name it is. It also fits: \(list).
            If you meant another one, run: homing fix \(EntryText.shortID(receipt.id)) --user ID
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
