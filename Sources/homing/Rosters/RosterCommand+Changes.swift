import ArgumentParser
import ControlAPI
import Foundation

extension RosterCommand {
    /// Submits a new row, a change or a deletion, and says what was accepted.
    ///
    /// - Parameter all: all lists, because a field of a new row may take the id of a row of another list.
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
            let backend = target.backend.map { " --backend \($0.asArgument)" } ?? ""
            fields[field] = try await argument.resolved(item, option: "\(roster.command) \(action.rawValue) ", end: backend).value
        }
        if change.needsConfirmation, let id = fields.values.first { try await confirmDeletion(of: id, by: change.route, roster, context) }
        let submission = Submission(
            backend: roster.backend, route: change.route, id: (id ?? UUID().uuidString).lowercased(), fields: fields, payload: payload,
            strict: strict)
        let receipt = try await Handover(to: context.client).submit(submission)
        context.answerAll([receipt], RosterChangeText(roster: roster, all: all).accepted(receipt, action, row: row))
        if context.asJSON { return }
        if let warning = receipt.warning { context.console.warn("Warning: \(warning.printable)") }
        if let obstacle = await context.obstacle(to: receipt.id, at: receipt.backend) { context.console.write(obstacle) }
    }
}
