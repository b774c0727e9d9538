import ArgumentParser
import ControlAPI

struct ResolveCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve", abstract: "Record whether an entry with an unknown outcome was delivered.",
        usage: "homing resolve <id> (--delivered [<remote-id>] | --not-delivered)",
        discussion: """
            For an entry whose response was lost, and that Homing cannot look up. First look for it at the backend.

            If it is there: homing resolve ID --delivered REMOTE-ID, with the id that the backend has given it. Homing then destroys the \
            payload, and never sends the entry again. The id is needed if the entry creates a row, such as a person: later entries \
            need it.

            If it is not there: homing resolve ID --not-delivered. Homing then sends the entry again.
            """)

    @Argument(help: ArgumentHelp(EntryArgument.meaning), completion: Suggestions.doubtfulEntries) var id: String
    @Flag(help: "The entry is at the backend.") var delivered = false
    @Argument(help: ArgumentHelp("After --delivered: the id that the backend has given it.", valueName: "remote-id")) var remoteID: String?
    @Flag(help: "The entry is not at the backend.") var notDelivered = false
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        try EntryArgument.check(id)
        if delivered == notDelivered { throw ValidationError("Give either --delivered or --not-delivered.") }
        if notDelivered, let remoteID { throw ValidationError("‘\(remoteID)’ can only be used with --delivered.") }
        if remoteID?.isEmpty == true { throw ValidationError("The id after --delivered is empty.") }
    }

    func run(_ context: Context) async throws {
        for id in try await context.ids([id], at: target) {
            let resolved = try await context.client.call(
                Endpoints.resolve, ResolveRequest(id: id, remoteID: remoteID, delivered: delivered))
            context.answer(resolved, ResolveText.done(resolved, delivered: delivered, remoteID: remoteID))
            if context.asJSON || delivered { return }
            if let obstacle = await context.obstacle(to: resolved.id, at: resolved.backend) { context.console.write(obstacle) }
        }
    }
}
