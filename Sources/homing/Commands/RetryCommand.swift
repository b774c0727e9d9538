import ArgumentParser
import ControlAPI

struct RetryCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Try failed entries, or entries on hold, again.",
        discussion: """
            Fix the cause first; ‘homing why ID’ shows it. An entry that the server refused may be refused again at once; the others have three \
            more attempts. If an entry may already have taken effect, Homing looks it up at the backend \
            before it sends the entry again. If it cannot, and a second send may make a second one, it does not send the entry, and --all \
            skips it: look for it at the backend, and run ‘homing resolve ID’. --without-looking sends it anyway.
            """)

    @OptionGroup var entries: EntryArguments
    @Flag(help: "All failed entries; with --state held, all entries on hold.") var all = false
    @Option(help: "With --all: failed (the default) or held (entries on hold).") var state: RetriableState?
    @Flag(help: "Send without looking up entries that may already have taken effect. They may then exist twice. Asks for confirmation.")
    var withoutLooking = false
    @Flag(name: .shortAndLong, help: "With --without-looking: do not ask for confirmation.") var yes = false
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if all == !entries.ids.isEmpty { throw ValidationError("Give either the entries or --all.") }
        if !all && state != nil { throw ValidationError("--state can only be used with --all.") }
        if yes && !withoutLooking { throw ValidationError("--yes can only be used with --without-looking.") }
    }

    func run(_ context: Context) async throws {
        let chosen = (state ?? .dead).rawValue
        // Otherwise the names are enough.
        let mustRead = all || withoutLooking
        let meant = mustRead ? try await meant(chosen, context) : []
        let choice = all ? try await choice(of: meant, context) : nil
        let retried = choice?.retried ?? meant
        let doubtful = withoutLooking ? retried.filter { $0.uncertain || $0.retryMayDuplicate == true } : []
        if !doubtful.isEmpty { try confirm(doubtful, context) }
        let ids = mustRead ? retried.map(\.id) : try await context.ids(entries.ids, at: target)
        var batch = EntryBatch()
        await batch.run(ids) { id async throws(Problem) in
            try await context.client.call(Endpoints.retry, RetryRequest(id: id, withoutLooking: withoutLooking))
        }
        let obstacles = context.asJSON ? [] : try await obstacles(to: batch.done, context)
        context.answerAll(batch.done, RetryText.done(batch.done, obstacles))
        if all && meant.allSatisfy(\.isBeingDiscarded) && !context.asJSON {
            context.console.write(EntryText.none(in: chosen))
        }
        if let left = choice?.doubtful, !left.isEmpty { context.console.warn(RetryText.left(left, state: (state ?? .dead).argument)) }
        if let stranded = choice?.stranded, !stranded.isEmpty { context.console.warn(RetryText.stranded(stranded)) }
        if let problem = batch.problem { throw problem }
    }
}

extension RetryCommand {
    private func meant(_ state: String, _ context: Context) async throws(Problem) -> [EntrySummary] {
        guard all else { return try await context.entries(entries.ids, at: target) }
        let query = EntryQuery(state: state, backend: target.backend, after: 0, limit: 500)
        return try await context.entries(query)
    }

    private func choice(of meant: [EntrySummary], _ context: Context) async throws(Problem) -> RetryChoice {
        try await RetryChoice(meant, skipsDoubtful: all && !withoutLooking) { id async throws(Problem) in
            do throws(Problem) {
                let entry = try await context.client.call(Endpoints.entry, EntryReference(id: id)).entry
                return entry.state
            } catch {
                guard error.code == .notFound else { throw error }
                return nil
            }
        }
    }

    private func confirm(_ doubtful: [EntrySummary], _ context: Context) throws {
        let confirmation = Confirmation(console: context.console, skipped: yes)
        let warning = RetryText.withoutLooking(doubtful)
        guard try confirmation.isNeeded else { return context.console.warn(warning) }
        try confirmation.ask(warning, "Type the word ‘send’ to continue: ") { $0 == "send" }
    }

    /// Why entries of signed-out accounts cannot be tried, one reason per account.
    private func obstacles(to entries: [EntrySummary], _ context: Context) async throws -> [RetryText.Obstacle] {
        let sessions = try await context.client.call(Endpoints.sessions, NoInput()).sessions
        let signedIn = Set(sessions.filter(\.isSignedIn).map { [$0.backend, $0.account] })
        let waiting = Dictionary(grouping: entries.filter { !signedIn.contains([$0.backend, $0.account]) }) { [$0.backend, $0.account] }
        var obstacles: [RetryText.Obstacle] = []
        for entries in waiting.values.sorted(by: { $0[0].sequence < $1[0].sequence }) {
            let why = try await context.client.call(Endpoints.why, EntryReference(id: entries[0].id))
            obstacles.append(RetryText.Obstacle(count: entries.count, why: why))
        }
        return obstacles
    }
}

enum RetriableState: String, CaseIterable, ExpressibleByArgument {
    case dead, held

    init?(argument: String) {
        guard let state = EntryState(argument: argument) else { return nil }
        self.init(rawValue: state.rawValue)
    }

    /// The word for `--state`: `failed` for `dead`.
    var argument: String { self == .dead ? Words.state(rawValue) : rawValue }

    static var allValueStrings: [String] { allCases.map(\.argument) }
}
