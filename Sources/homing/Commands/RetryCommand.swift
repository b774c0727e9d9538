import ArgumentParser
import ControlAPI

struct RetryCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Give dead or held entries three more attempts.",
        discussion: "What was wrong should be put right first: ‘homing why ID’ says what it was.")

    @OptionGroup var entries: EntryArguments
    @Flag(help: "All dead entries, or with --state held all held ones.") var all = false
    @Option(help: "With --all: dead or held.") var state: RetriableState?
    @Flag(help: "Send what may have taken effect without looking for it first; it may then be there twice.") var withoutLooking = false
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if all == !entries.ids.isEmpty { throw ValidationError("Name the entries, or say --all.") }
        if !all && state != nil { throw ValidationError("--state goes with --all only.") }
    }

    func run(_ context: Context) async throws {
        let chosen = (state ?? .dead).rawValue
        let ids =
            all
            ? try await context.resolver.all(state: chosen, backend: target.backend).map(\.id)
            : try await context.ids(entries.ids, at: target)
        var batch = EntryBatch()
        await batch.run(ids) { id async throws(Problem) in
            try await context.client.call(Endpoints.retry, RetryRequest(id: id, withoutLooking: withoutLooking))
        }
        let obstacles = context.asJSON ? [] : try await obstacles(to: batch.done, context)
        context.answer(batch.done, several: all || ids.count > 1, RetryText.done(batch.done, obstacles))
        if ids.isEmpty && !context.asJSON { context.console.write("There are no \(chosen) entries.") }
        if let problem = batch.problem { throw problem }
    }
}

extension RetryCommand {
    /// Why those of them cannot be tried now that belong to somebody who is not signed in: one explanation for all of a person's.
    private func obstacles(to entries: [EntrySummary], _ context: Context) async throws -> [RetryText.Obstacle] {
        let sessions = try await context.client.call(Endpoints.sessions, NoInput()).sessions
        let signedIn = Set(sessions.filter { $0.state == "signedIn" }.map { [$0.backend, $0.account] })
        let waiting = Dictionary(grouping: entries.filter { !signedIn.contains([$0.backend, $0.account]) }) { [$0.backend, $0.account] }
        var obstacles: [RetryText.Obstacle] = []
        for entries in waiting.values.sorted(by: { $0[0].sequence < $1[0].sequence }) {
            let why = try await context.client.call(Endpoints.why, EntryReference(id: entries[0].id))
            obstacles.append(RetryText.Obstacle(count: entries.count, why: why))
        }
        return obstacles
    }
}

/// States out of which a person can bring an entry back.
enum RetriableState: String, CaseIterable, ExpressibleByArgument {
    case dead, held
}

/// Several entries, as people name them.
struct EntryArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The entries' numbers, ids, or at least 4 characters from the beginning or end of each id.", valueName: "id"),
        completion: Suggestions.troubledEntries)
    var ids: [String] = []
}
