import ArgumentParser
import ControlAPI

struct DiscardCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard", abstract: "Discard entries, so that Homing never sends them.",
        discussion: """
            Asks for confirmation; without a terminal, --yes is required. For ten minutes, ‘homing undo’ brings the entries back. Then \
            Homing destroys their payloads. With --now, it destroys them at once, and this cannot be undone.

            To discard all failed entries of a person: homing discard --state failed --user "Anna Example" --reason "wrong mask"

            With --file, it discards a refused file of the drop folder and the file that says why; with --all-files, all of them. \
            Administrators may do so with each of them, other users with those that they dropped themselves. This cannot be undone.
            """)

    @OptionGroup var entries: EntryArguments
    @Option(help: "Instead of ids: all entries in this state: failed, or held (on hold).") var state: RetriableState?
    @Option(help: ArgumentHelp("With --state: only entries of this route.", valueName: "name"), completion: Suggestions.routes)
    var route: String?
    @Option(
        parsing: .unconditional, help: ArgumentHelp("With --state: only entries for this person, by id or name.", valueName: "person"),
        completion: Suggestions.people)
    var user: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Instead of ids: a refused file of the drop folder, by its name in ‘refused’.", valueName: "name"),
        completion: Suggestions.refusedFiles)
    var file: String?
    @Flag(help: "Instead of ids: all refused files of the drop folder.") var allFiles = false
    @Option(
        help: ArgumentHelp(
            "The reason in plain words, at most 200 characters; required with --state, --file and --all-files.", valueName: "text"))
    var reason: String?
    @Flag(help: "Destroy the payloads at once. This cannot be undone.") var now = false
    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.") var yes = false
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        let ways = [!entries.ids.isEmpty, state != nil, file != nil, allFiles]
        if ways.count(where: \.self) != 1 {
            throw ValidationError("Give either the entries to discard, or --state, or --file, or --all-files.")
        }
        let way = state != nil ? "--state" : allFiles ? "--all-files" : "--file"
        if (file != nil || allFiles) && (now || target.backend != nil) {
            throw ValidationError("--now and --backend cannot be used with \(way).")
        }
        if state == nil && (route != nil || user != nil) { throw ValidationError("--route and --user can only be used with --state.") }
        try SubjectArgument.validate(user: user)
        if entries.ids.isEmpty && reason == nil { throw ValidationError("With \(way), give the reason: --reason \"…\"") }
        let longest = DiscardRequest.longestReason
        if let reason, !(1...longest).contains(reason.count) || reason.allSatisfy(\.isWhitespace) {
            throw ValidationError("The reason has \(reason.count) characters; expected 1 to \(longest), not only spaces.")
        }
    }

    private static let question = "Type the word ‘discard’ to continue: "

    func run(_ context: Context) async throws {
        let confirmation = Confirmation(console: context.console, skipped: yes)
        if let file {
            if try confirmation.isNeeded { try confirmation.ask(DiscardText.before(file: file), Self.question) { $0 == "discard" } }
            let done = try await context.client.call(Endpoints.discardFile, FileDiscardRequest(name: file, reason: reason ?? ""))
            let left = await context.refusedFilesLeft()
            return context.answerAll([done], DiscardText.done([done], left: left))
        }
        if allFiles { return try await discardAllFiles(confirmation, context) }
        let choice = try await choice(context)
        if choice.all.isEmpty && !context.asJSON { return context.console.write("There are no such entries to discard.") }
        let text = DiscardText(times: context.times, width: context.console.width)
        // Without a change, the answer comes at once.
        if choice.all.contains(where: changes), try confirmation.isNeeded {
            let question = text.before(choice.all, stranded: choice.stranded, isFinal: now)
            try confirmation.ask(question, Self.question) { $0 == "discard" }
        }
        var batch = EntryBatch()
        await discard(choice.chosen, &batch, context)
        // Only with the entry that creates their row, which would otherwise have no values.
        if !batch.wasStopped { await discard(choice.followers(of: batch.done), &batch, context) }
        context.answerAll(batch.done, text.done(choice.named(batch.done), stranded: choice.stranded(by: batch.done)))
        if let problem = batch.problem { throw problem }
    }

    /// Only those that the question names: a file that is refused meanwhile, even under the same name, may be the only copy of a capture.
    private func discardAllFiles(_ confirmation: Confirmation, _ context: Context) async throws {
        let files = try await context.refusedFiles()
        if !files.isEmpty, try confirmation.isNeeded {
            try confirmation.ask(DiscardText.before(files: files.map(\.name)), Self.question) { $0 == "discard" }
        }
        var batch = Batch<DiscardedFile>()
        for file in files where !batch.wasStopped {
            let request = FileDiscardRequest(name: file.name, reason: reason ?? "", version: file.version)
            await batch.run([file.name], passing: [.notPermitted, .wrongState], ignoring: .notFound) { _ async throws(Problem) in
                try await context.client.call(Endpoints.discardFile, request)
            }
        }
        if batch.done.isEmpty && batch.failures.isEmpty && !context.asJSON {
            return context.console.write("There are no refused files to discard.")
        }
        let left = await batch.done.isEmpty ? 0 : context.refusedFilesLeft()
        context.answerAll(batch.done, DiscardText.done(batch.done, left: left))
        if let problem = batch.problem { throw problem }
    }

    /// False if the entry is delivered or discarded already.
    func changes(_ entry: EntrySummary) -> Bool { entry.isUndelivered && (now || !entry.isBeingDiscarded) }

    private func discard(_ entries: [EntrySummary], _ batch: inout EntryBatch, _ context: Context) async {
        let grace = now ? 0 : DiscardRequest.usualGrace
        await batch.run(entries.map(\.id)) { id async throws(Problem) in
            try await context.client.call(Endpoints.discard, DiscardRequest(id: id, grace: grace, reason: reason))
        }
    }

    private func choice(_ context: Context) async throws(Problem) -> DiscardChoice {
        try await DiscardChoice(try await doomed(context), takesDiscarded: now) { create async throws(Problem) in
            try await context.entries(EntryQuery(backend: create.backend, user: "@\(create.id)", after: 0, limit: 500))
        }
    }

    /// The entries to discard. With --state, those that are already being discarded only count with --now.
    private func doomed(_ context: Context) async throws(Problem) -> [EntrySummary] {
        guard let state else { return try await context.entries(entries.ids, at: target) }
        var query = EntryQuery(state: state.rawValue, backend: target.backend, route: route, after: 0, limit: 500)
        var account: String?
        if let user {
            let command = "homing discard --state \(state.argument)\(route.map { " --route \($0.asArgument)" } ?? "") --reason TEXT"
            let person = try await SubjectArgument.person(user, at: target.backend, for: command, inAll: true, context.client)
            (query.user, query.backend, account) = (person.id, person.backend, person.account)
        }
        let found = try await context.entries(query)
        return found.filter { (now || !$0.isBeingDiscarded) && (account == nil || $0.account == account) }
    }
}
