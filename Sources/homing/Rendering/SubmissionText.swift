import ControlAPI
import SyncModel

enum SubmissionText {
    /// - Parameters:
    ///   - name: nil if no document was submitted.
    ///   - isKeyed: the file itself decided the id.
    static func accepted(_ receipt: SubmissionReceipt, from name: String?, isKeyed: Bool = false) -> String {
        let name = name?.printable ?? "It"
        let entry = "\(EntryText.shortID(receipt.id)) (#\(receipt.sequence))"
        let details = receipt.then.map { ", with the details in \(EntryText.shortID($0))" } ?? ""
        // The id of a new row without a name is that of the entry.
        let named = receipt.subject.flatMap { $0.isNew == true && $0.label == nil && $0.id == "@\(receipt.id)" ? nil : $0 }
        let whom = named.map { " for \($0.text.printable)" } ?? ""
        if receipt.duplicate, isKeyed {
            return "\(name) is already stored as \(entry); nothing new was stored. To submit it again, add --again"
        }
        return receipt.duplicate
            ? "\(name) was already accepted as \(entry); nothing was added."
            : "\(name) is stored safely as \(entry)\(details)\(whom). Homing sends it to \(receipt.backend) automatically."
    }

    /// The problem of a file whose entry a person has discarded, or that differs from its entry.
    static func known(_ problem: Problem) -> Problem {
        // The entry that replaced it has the capture.
        guard [.discarded, .idConflict].contains(problem.code), problem.supersededBy == nil else { return problem }
        var problem = problem
        problem.next = "To submit it as a new entry, add --again"
        return problem
    }

    /// The warning, with the command that corrects the entry. That of a duplicate has its command.
    ///
    /// - Parameter kind: nil for the words of a profile, and if it is unknown.
    static func warning(_ receipt: SubmissionReceipt, _ kind: RosterTitle.Kind?) -> String? {
        guard let warning = receipt.warning else { return nil }
        if receipt.duplicate { return "Warning: \(warning.printable.withShortIDs)" }
        if kind == .change || kind == .deletion { return "Warning: \(cancelling(receipt, warning))" }
        // The warning may be about another row to which the entry refers.
        let isAboutSubject = receipt.subject.map { warning.contains($0.id) || $0.label.map(warning.contains) == true } ?? true
        let field = receipt.subject?.field ?? "user_id"
        let option = !isAboutSubject ? "--item FIELD=ID" : field == "user_id" ? "--user NAME" : "--item \(field)=ID"
        return "Warning: \(warning.printable.withShortIDs)\nIf this is wrong, run: homing fix \(EntryText.shortID(receipt.id)) \(option)"
    }

    /// The warning for a change or a deletion of a row: `homing fix` would change or delete another row.
    static func cancelling(_ receipt: SubmissionReceipt, _ warning: String) -> String {
        let id = EntryText.shortID(receipt.id)
        return "\(warning.printable.withShortIDs)\nIf this is wrong, an administrator runs: homing discard \(id)"
    }

    /// A note that a person has paused `backend`; otherwise nil.
    static func pause(of backend: String, _ status: Status) -> String? {
        PauseReportText.present(at: backend, status).map { "It is not sent yet. \($0)" }
    }

    /// The action that a person must take before delivery.
    static func obstacle(_ why: Explanation) -> String? {
        guard Entry.State(rawValue: why.state) == .pending, why.needsPerson, let next = why.next else { return nil }
        return "It is not sent yet. \(why.sentence) \(next)".printableLines.withShortIDs
    }

    /// The problem, with the number of files accepted before `name`.
    static func stopped(_ problem: Problem, at name: String, accepted: Int, of total: Int) -> Problem {
        guard total > 1 else { return problem }
        var problem = problem
        let rest = total - accepted
        problem.detail =
            "\(accepted) of \(Words.count(total, "file", "files")) \(accepted == 1 ? "was" : "were") accepted; \(name) was not: \(problem.detail)"
        problem.next = [problem.next, "Then submit \(name)\(rest > 1 ? " and the files after it" : "") again."].compactMap(\.self).joined(
            separator: "\n")
        return problem
    }
}
