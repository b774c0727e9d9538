import ArgumentParser
import ControlAPI
import Foundation

struct FixCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "fix", abstract: "Correct an entry, for example the person that it is for, and send it.",
        discussion: """
            Makes a new entry with the same payload and the corrected fields, and discards the old one, both at once: \
            homing fix 3f2a91c04b7d --user "Anna Example". Use it for an entry that failed, is on hold, or still waits. An entry that \
            may already have taken effect must be resolved first: homing resolve ID. A correction that would overwrite a newer change \
            is refused. The details of a new person cannot go to another one.
            """)

    @OptionGroup var entry: EntryArgument
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The right person, by id, name or @ID; short for --item user_id=….", valueName: "person"),
        completion: Suggestions.people)
    var user: String?
    @Option(help: ArgumentHelp("A field with its right value; the other fields stay as they are.", valueName: "name=value"))
    var item: [ItemField] = []
    @Flag(help: "Refuse a person who is not in your list, instead of warning.") var strict = false
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        try SubjectArgument.validate(user: user)
        if user == nil && item.isEmpty { throw ValidationError("Give the right value, for example: homing fix \(entry.id) --user 7") }
    }

    func run(_ context: Context) async throws {
        let old = try await context.client.call(Endpoints.entry, EntryReference(id: entry.id)).entry
        try target.require(old.id, of: old.backend)
        let fields = try await SubjectArgument.fields(item, user: user, route: old.route, at: old.backend, context.client)
        let new = try SubmissionForm(backend: old.backend, route: old.route, items: fields, id: nil, supersedes: nil)
            .submission(of: nil, named: old.id, mintedID: UUID())
        let receipt = try await fixed(FixRequest(id: old.id, newID: new.id, fields: new.fields, strict: strict), context)
        context.answerAll([receipt], FixText.done(old, receipt))
        if context.asJSON { return }
        if let others = await others(than: receipt, context) { context.console.warn(others) }
        if let warning = SubmissionText.warning(receipt, old.kind.knownKind) { context.console.warn(warning) }
        if let obstacle = await context.obstacle(to: receipt.id, at: receipt.backend) { context.console.write(obstacle) }
    }

    /// That the name given with --user fits others too; nil for an id.
    private func others(than receipt: SubmissionReceipt, _ context: Context) async -> String? {
        guard let user, !SubjectArgument.isID(user), !user.hasPrefix("@"), let subject = receipt.subject, subject.field == "user_id"
        else { return nil }
        let query = RosterQuery(resource: subject.resource, backend: receipt.backend, find: user)
        // `try?`: the correction is accepted; only the note is missing.
        guard let page = try? await context.client.call(Endpoints.roster, query) else { return nil }
        return FixText.others(page, like: user, than: receipt)
    }

    private func fixed(_ request: FixRequest, _ context: Context) async throws(Problem) -> SubmissionReceipt {
        do throws(Problem) {
            return try await context.client.call(Endpoints.fix, request)
        } catch {
            throw Handover.answerMayBeLost(error) ? FixText.answerLost(error, newID: request.newID) : error
        }
    }
}
