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
        let chosen = ids.isEmpty ? try await all(context) : try await named(context)
        if chosen.isEmpty && !context.asJSON { return context.console.write(UndoText.nothing) }
        var batch = EntryBatch()
        await batch.run(chosen) { id async throws(Problem) in try await context.client.call(Endpoints.restore, EntryReference(id: id)) }
        context.answerAll(batch.done, UndoText.done(batch.done))
        if let problem = batch.problem { throw problem }
    }

    /// Each with the one that ‘discard’ discarded with it.
    private func named(_ context: Context) async throws(Problem) -> [String] {
        var chosen: [String] = []
        for entry in try await context.entries(ids, at: target) {
            if !chosen.contains(entry.id) { chosen.append(entry.id) }
            guard entry.isBeingDiscarded, !chosen.contains(where: { $0 == entry.then }) else { continue }
            let follower = try await entry.discardedFollower { id async throws(Problem) in
                try await context.client.call(Endpoints.entry, EntryReference(id: id)).entry
            }
            if let follower { chosen.append(follower.id) }
        }
        return chosen
    }

    /// The ids of all restorable entries, after a confirmation.
    private func all(_ context: Context) async throws -> [String] {
        let held = try await context.entries(EntryQuery(state: "held", backend: target.backend, after: 0, limit: 500))
        let discarded = held.filter(\.isBeingDiscarded)
        let confirmation = Confirmation(console: context.console, skipped: yes)
        if !discarded.isEmpty, try confirmation.isNeeded {
            try confirmation.ask(UndoText(times: context.times).before(discarded), "Type the word ‘undo’ to continue: ") { $0 == "undo" }
        }
        return discarded.map(\.id)
    }
}
