import ControlAPI

struct RosterChangeText {
    let roster: RosterReport

    /// - Parameter row: the changed or deleted row, as the person gave it.
    func accepted(_ receipt: SubmissionReceipt, _ action: RosterAction, row: String?) -> String {
        var receipt = receipt
        let subject = receipt.subject
        receipt.subject = nil  // named below
        switch action {
        case .add:
            let name = "The new \(roster.title.one)" + (subject?.label.map { " \($0)" } ?? "")
            return [SubmissionText.accepted(receipt, from: name), use(of: receipt)].compactMap(\.self).joined(separator: "\n")
        case .delete:
            let text = SubmissionText.accepted(receipt, from: "The deletion of \(subject?.text ?? row ?? "")")
            return receipt.duplicate ? text : "\(text)\nUntil then, to take it back, run: homing discard \(EntryText.shortID(receipt.id))"
        case .edit:
            let text = SubmissionText.accepted(receipt, from: "The change to \(subject?.text ?? row ?? "")")
            return receipt.duplicate ? text : "\(text) Your list shows the change after the delivery."
        }
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
        let (route, field) = (reference.route.asArgument, reference.field.asArgument)
        return "To use the new \(roster.title.one), run: homing submit FILE --route \(route) --item \(field)=\(id)".printable
    }
}
