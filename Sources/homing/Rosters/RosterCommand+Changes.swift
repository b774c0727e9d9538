import ArgumentParser
import ControlAPI
import Foundation

extension RosterCommand {
    /// `all` has every list, because a field of a new row may take the id of a row of another list.
    func change(_ roster: RosterReport, among all: [RosterReport], _ action: RosterAction, _ context: Context) async throws {
        let change = try RosterChange(action, of: roster)
        let payload = try change.payload(set)
        var fields: [String: String] = [:]
        let lists = SubjectArgument(all.filter { $0.backend == roster.backend }, route: change.route, context.client)
        for item in try change.items(set) {
            fields[item.name] = try await lists.resolved(item, option: "\(FormOptions.option(for: item.name)) ").value
        }
        if let field = try change.field, let row {
            let item = ItemField(name: field, value: row)
            let argument = SubjectArgument([roster], route: change.route, context.client)
            fields[field] = try await argument.resolved(item, option: "\(roster.command) \(action.rawValue) ", end: options).value
        }
        if change.needsConfirmation, let id = fields.values.first { try await confirmDeletion(of: id, by: change.route, roster, context) }
        let submission = Submission(
            backend: roster.backend, route: change.route, id: (id ?? UUID().uuidString).lowercased(), fields: fields, payload: payload,
            strict: strict)
        let receipt = try await Handover(to: context.client).submit(submission)
        context.answerAll([receipt], RosterChangeText(roster: roster, all: all).accepted(receipt, action, row: row))
        if context.asJSON { return }
        let text = RosterChangeText(roster: roster)
        var warnings = [text.warning(receipt, action)]
        if action == .add {
            warnings += [text.missing(change.missingNames(set), of: receipt), await namesakes(of: receipt, roster, context)]
        }
        for warning in warnings.compactMap(\.self) { context.console.warn("Warning: \(warning)") }
        if let obstacle = await context.obstacle(to: receipt.id, at: receipt.backend) { context.console.write(obstacle) }
    }

    /// Each after a space, for a command that repeats this one. Without --yes: the question names another row.
    var options: String {
        let others = [strict ? "--strict" : nil, id.map { "--id \($0)" }, target.backend.map { "--backend \($0.asArgument)" }]
        return (set.map(\.asArgument) + others.compactMap(\.self)).map { " \($0)" }.joined()
    }

    /// That others are called like the new row; nil without any.
    private func namesakes(of receipt: SubmissionReceipt, _ roster: RosterReport, _ context: Context) async -> String? {
        guard let subject = receipt.subject, subject.resource == roster.resource, let label = subject.label else { return nil }
        let query = RosterQuery(resource: roster.resource, backend: roster.backend, label: label)
        // `try?`: the new row is accepted; only the warning is missing.
        guard let rows = (try? await context.client.call(Endpoints.roster, query))?.rows,
            let entry = (try? await context.client.call(Endpoints.entry, EntryReference(id: receipt.id)))?.entry
        else { return nil }
        // The new row itself, even if it was delivered meanwhile.
        let own = ["@\(receipt.id)", entry.subject?.id]
        return RosterChangeText(roster: roster).namesakes(rows.filter { !own.contains($0.id) }, of: receipt, entry)
    }
}
