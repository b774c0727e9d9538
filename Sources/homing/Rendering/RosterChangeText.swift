import ControlAPI

struct RosterChangeText {
    let roster: RosterReport
    /// All lists, because new rows of other lists may refer to this one's rows.
    var all: [RosterReport] = []

    /// `row` is the changed or deleted one, as the person gave it.
    func accepted(_ receipt: SubmissionReceipt, _ action: RosterAction, row: String?) -> String {
        var receipt = receipt
        // The subject of a new row may be a row of another list.
        let subject = receipt.subject.flatMap { $0.resource == roster.resource ? $0 : nil }
        receipt.subject = nil  // named below
        switch action {
        case .add:
            let name = "The new \(roster.title.one)" + (subject?.label.map { " \($0)" } ?? "")
            return [SubmissionText.accepted(receipt, from: name), use(of: receipt)].compactMap(\.self).joined(separator: "\n")
        case .delete:
            let text = SubmissionText.accepted(receipt, from: "The deletion of \(subject?.text ?? row ?? "")")
            return receipt.duplicate
                ? text : "\(text)\nTo cancel it before that, an administrator runs: homing discard \(EntryText.shortID(receipt.id))"
        case .edit:
            let text = SubmissionText.accepted(receipt, from: "The change to \(subject?.text ?? row ?? "")")
            return receipt.duplicate ? text : "\(text) Your list shows the change after the delivery."
        }
    }

    /// The daemon's warning, with the way out. The answer to a deletion names it anyway, and the warning for a duplicate has its own.
    func warning(_ receipt: SubmissionReceipt, _ action: RosterAction) -> String? {
        guard let warning = receipt.warning else { return nil }
        guard action == .edit, !receipt.duplicate else { return warning.printable.withShortIDs }
        return SubmissionText.cancelling(receipt, warning)
    }

    /// That others are called like the new row, and how to remove that one; nil without any.
    ///
    /// - Parameter entry: the one that creates the row, as it is now.
    func namesakes(_ others: [RosterRow], of receipt: SubmissionReceipt, _ entry: EntrySummary) -> String? {
        guard let label = receipt.subject?.label?.printable, !others.isEmpty else { return nil }
        let count = others.count == 1 ? "1 \(roster.title.one) is" : "\(others.count) \(roster.title.many) are"
        let list = others.prefix(10).map(\.named).joined(separator: ", ") + (others.count > 10 ? ", …" : "")
        return "\(count) already called \(label): \(list). \(removal(by: entry))"
    }

    /// After the delivery, only a deletion removes the new row. It may come at any moment, so a waiting one gets both commands.
    private func removal(by entry: EntrySummary) -> String {
        let id = RowReference.short(entry.subject?.id ?? "@\(entry.id)")
        let delete = roster.actions?.delete.map { _ in "run: \(roster.command) delete \(id.asArgument)" }
        let there = "at \(roster.backend) itself."
        guard entry.isUndelivered else {
            return (delete.map { "To delete the new one, \($0)" } ?? "Delete the new one \(there)").printable
        }
        return """
            To discard the new one while it waits, an administrator runs: homing discard \(EntryText.shortID(entry.id))
            \(delete.map { "To delete it once it is delivered, \($0)" } ?? "Once it is delivered, delete it \(there)")
            """.printableLines
    }

    /// A note that the server may fill in parts of the name.
    func missing(_ names: [String], of receipt: SubmissionReceipt) -> String? {
        if names.isEmpty { return nil }
        let options = names.map { FormOptions.option(for: $0) }
        let values = options.map { "\($0) …" }.joined(separator: " ")
        return
            "Without \(options.inWords), \(roster.backend) may fill in a name of its own. To give it, run: \(roster.command) edit \(RowReference.short("@\(receipt.id)")) \(values)"
    }

    /// How to submit something for the new row; nil if no route takes its id.
    private func use(of receipt: SubmissionReceipt) -> String? {
        let id = RowReference.short("@\(receipt.id)")
        let changes = [roster.actions?.change, roster.actions?.delete]
        let others = (roster.references ?? []).filter { !changes.contains($0.route) }
        if others.contains(where: { $0.route == SubmitCommand.defaultRoute && $0.field == "user_id" }) {
            return "To measure them, run: homing submit FILE --user \(id)"
        }
        guard let reference = others.first else { return nil }
        if let list = all.first(where: { $0.backend == roster.backend && $0.actions?.add == reference.route && $0.actions?.fields != nil })
        {
            let option = FormOptions.option(for: reference.field)
            return "To add a \(list.title.one) to it, run: \(list.command) add \(option) \(id)".printable
        }
        let (route, field) = (reference.route.asArgument, reference.field.asArgument)
        let document = reference.takesPayload ? "FILE" : "--no-document"
        return "To use the new \(roster.title.one), run: homing submit \(document) --route \(route) --item \(field)=\(id)".printable
    }
}
