import ArgumentParser
import ControlAPI

struct UndoCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Bring back discarded entries whose payloads are not destroyed yet.",
        discussion: """
            Without ids, lists all entries that can be brought back, and asks for confirmation; without a terminal, --yes is required. \
            Each entry is then as it was before ‘homing discard’.
            """)

    @Argument(
        help: ArgumentHelp("The entries' numbers, ids, or at least 4 characters from the beginning or end of each id.", valueName: "id"),
        completion: Suggestions.discardedEntries)
    var ids: [String] = []
    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.") var yes = false
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        for id in ids { try EntryArgument.check(id) }
    }

    func run(_ context: Context) async throws {
        let chosen = ids.isEmpty ? try await all(context) : try await context.ids(ids, at: target)
        if chosen.isEmpty && !context.asJSON { return context.console.write(UndoText.nothing) }
        var batch = EntryBatch()
        await batch.run(chosen) { id async throws(Problem) in try await context.client.call(Endpoints.restore, EntryReference(id: id)) }
        context.answerAll(batch.done, UndoText.done(batch.done))
        if let problem = batch.problem { throw problem }
    }

    /// The ids of all entries that can be brought back, after a confirmation.
    private func all(_ context: Context) async throws -> [String] {
        let query = EntryQuery(state: "held", backend: target.backend, after: 0, limit: 500)
        let held = try await query.allPages { page async throws(Problem) in try await context.client.call(Endpoints.entries, page) }
        let discarded = held.filter(\.isBeingDiscarded)
        let confirmation = Confirmation(console: context.console, skipped: yes)
        if !discarded.isEmpty, try confirmation.isNeeded {
            try confirmation.ask(UndoText(times: context.times).before(discarded), "Type the word ‘undo’ to go on: ") { $0 == "undo" }
        }
        return discarded.map(\.id)
    }
}
