import ArgumentParser
import ControlAPI

struct DiscardCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard", abstract: "Discard entries for good. Homing deletes their payloads and never sends them.",
        discussion: "This cannot be undone. Asks for confirmation; without a terminal, --yes is required.")

    @OptionGroup var entries: EntryArguments
    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.") var yes = false
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if entries.ids.isEmpty { throw ValidationError("Name the entries to discard.") }
    }

    func run(_ context: Context) async throws {
        let confirmation = Confirmation(console: context.console, skipped: yes)
        let ids: [String]
        if try confirmation.isNeeded {
            let doomed = try await context.entries(entries.ids, at: target)
            try confirmation.ask(DiscardText(times: context.times).before(doomed), "Type the word ‘discard’ to go on: ") { $0 == "discard" }
            ids = doomed.map(\.id)
        } else {
            ids = try await context.ids(entries.ids, at: target)
        }
        var batch = EntryBatch()
        await batch.run(ids) { id async throws(Problem) in try await context.client.call(Endpoints.discard, EntryReference(id: id)) }
        context.answer(batch.done, several: ids.count > 1, DiscardText.done(batch.done))
        if let problem = batch.problem { throw problem }
    }
}
