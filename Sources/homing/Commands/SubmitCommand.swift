import ArgumentParser
import ControlAPI
import Foundation

struct SubmitCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "submit", abstract: "Hand in captured files; once accepted they are safe and go up by themselves.",
        discussion: """
            Takes JSON as the capture app exports it, and the app's own offline files as they are. Several files are handed in one after \
            the other; the first that is refused ends it, and you are told which were accepted. Handing in again under the same --id never \
            makes a second entry.
            """)

    @Argument(help: ArgumentHelp("Files to hand in; ‘-’ or nothing reads standard input.", valueName: "file"), completion: .file())
    var files: [String] = []
    @Option(help: "What it is, by the route's name in the backend's profile.") var route = "measurement"
    @Option(parsing: .unconditional, help: ArgumentHelp("Whose it is; short for --item user_id=ID.", valueName: "id")) var user: String?
    @Option(help: ArgumentHelp("A field that the route needs.", valueName: "name=value")) var item: [ItemField] = []
    @Flag(help: "Hand in the fields alone: the route takes no document.") var noDocument = false
    @Option(help: ArgumentHelp("The entry's id; otherwise one is made.", valueName: "uuid")) var id: String?
    @Option(help: ArgumentHelp("The id of an entry that this one replaces.", valueName: "uuid")) var supersedes: String?
    @Option(
        help: ArgumentHelp("When it was captured, where the file does not say, like ‘2025-03-11 14:00’.", valueName: "time"))
    var capturedAt: PointInTime?
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if let user, user.isEmpty || user.hasPrefix("-") {
            throw ValidationError("--user is ‘\(user)’; expected the id of the user whose it is, as in --user 5.")
        }
        if files.count > 1 && (id != nil || supersedes != nil) { throw ValidationError("--id and --supersedes go with one file only.") }
        if noDocument && !files.isEmpty { throw ValidationError("--no-document goes without files.") }
        if files.filter({ $0 == "-" }).count > 1 { throw ValidationError("Standard input can be handed in only once.") }
    }

    func run(_ context: Context) async throws {
        let form = try SubmissionForm(
            backend: target.backend, route: route, user: user, items: item, id: id, supersedes: supersedes,
            capturedAt: try capturedAt?.date(before: context.times.now, in: context.times.timeZone))
        let handover = Handover { [client = context.client] submission async throws(Problem) in
            try await client.call(Endpoints.submit, submission)
        } pause: {
            try? await Task.sleep(for: .seconds(1))  // `try?`: if cancelled, the second attempt fails at once
        }
        let names = noDocument ? ["the fields"] : files.isEmpty ? ["-"] : files
        var receipts: [SubmissionReceipt] = []
        for name in names {
            let shown = name == "-" ? "standard input" : name
            do throws(Problem) {
                let document = noDocument ? nil : try SubmissionInput(name: name).document(inputIsTerminal: context.console.inputIsTerminal)
                let receipt = try await handover.submit(form.submission(of: document, named: shown, mintedID: UUID()))
                receipts.append(receipt)
                if !context.asJSON { context.console.write(SubmissionText.accepted(receipt, from: noDocument ? nil : shown)) }
            } catch {
                if context.asJSON { context.answer(receipts, several: names.count > 1, "") }
                throw SubmissionText.stopped(error, at: shown, accepted: receipts.count, of: names.count)
            }
        }
        if context.asJSON { return context.answer(receipts, several: names.count > 1, "") }
        // `try?`, also below: the submission is stored already, and ‘homing status’ reports other problems.
        guard let last = receipts.last, let status = try? await context.client.call(Endpoints.status, NoInput()) else { return }
        if let pause = SubmissionText.pause(of: last.backend, status) { return context.console.write(pause) }
        // An unreachable backend needs no action; the note is only for entries that need a person.
        guard status.backends.contains(where: { $0.name == last.backend && $0.gate == "open" }),
            let why = try? await context.client.call(Endpoints.why, EntryReference(id: last.id))
        else { return }
        if let obstacle = SubmissionText.obstacle(why) { context.console.write(obstacle) }
    }
}
