import ArgumentParser
import ControlAPI
import Foundation
import SyncModel

struct SubmitCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "submit", abstract: "Submit captures. Homing stores the accepted ones safely and sends them automatically.",
        discussion: """
            Accepts JSON as the capture app exports it, and the app's own offline files unchanged. Several files are submitted one \
            after the other. The command stops at the first refused file and lists the accepted ones. Submitting again under the same \
            --id never makes a second entry. Neither does an unchanged file on the station's own disk (ext4 or xfs) with the same options \
            and account, as long as Homing knows its entry: add --again to submit it once more. A file on a USB stick, a network drive or \
            btrfs can make a new entry each time.

            A person can be given by id or by name, as in --user 5 or --user "Anna Example". Homing looks the name up in the list that \
            it keeps, even while offline. A number is always an id. A person whom ‘homing people add’ has added, and who is not at the \
            backend yet, is --user @ID, with the id that it printed: Homing sends the capture after the person.
            """)

    @Argument(help: ArgumentHelp("The files to submit; ‘-’ or no file reads standard input.", valueName: "file"), completion: .file())
    var files: [String] = []
    @Option(help: "The name of the route in the backend's profile.") var route = SubmitCommand.defaultRoute
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The captured person, by id, name or @ID; short for --item user_id=….", valueName: "person"),
        completion: Suggestions.people)
    var user: String?
    @Option(
        help: ArgumentHelp("A field that the route needs. If it takes the id of a person, the name works too.", valueName: "name=value"))
    var item: [ItemField] = []
    @Flag(help: "Refuse a person who is not in your list, instead of warning.") var strict = false
    @Flag(help: "Submit only the fields, for a route without a payload.") var noDocument = false
    @Option(help: ArgumentHelp("The entry's id; the default is a new one.", valueName: "uuid")) var id: String?
    @Flag(help: "Submit a file again that is already stored.") var again = false
    @Option(help: ArgumentHelp("The id of an undelivered entry that this one replaces.", valueName: "uuid")) var supersedes: String?
    @Option(
        help: ArgumentHelp("The capture time, such as ‘2025-03-11 14:00’; the default is the time in the file.", valueName: "time"),
        transform: PointInTime.parse)
    var capturedAt: PointInTime?
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        try SubjectArgument.validate(user: user)
        if files.count > 1 && (id != nil || supersedes != nil) {
            throw ValidationError("--id and --supersedes can only be used with one file.")
        }
        if again && id != nil { throw ValidationError("--again cannot be used with --id.") }
        if noDocument && !files.isEmpty { throw ValidationError("--no-document cannot be used with files.") }
        if files.filter({ $0 == "-" }).count > 1 { throw ValidationError("Standard input (‘-’) can be given only once.") }
    }

    func run(_ context: Context) async throws {
        let form = try await form(context)
        let handover = Handover(to: context.client)
        let names = noDocument ? ["the fields"] : files.isEmpty ? ["-"] : files
        var receipts: [SubmissionReceipt] = []
        for name in names {
            let shown = name == "-" ? "standard input" : name
            var key: FileKey?
            do throws(Problem) {
                var document: CaptureDocument?
                if !noDocument {
                    let input = try SubmissionInput(name: name).document(inputIsTerminal: context.console.inputIsTerminal)
                    document = input.document
                    key = again || id != nil ? nil : input.key
                }
                let submission = try form.submission(of: document, named: shown, mintedID: UUID())
                let (receipt, isKeyed) = try await handover.submit(submission, key) { await owner(context) }
                receipts.append(receipt)
                if !context.asJSON { await tell(receipt, from: noDocument ? nil : shown, isKeyed: isKeyed, context) }
            } catch {
                if context.asJSON { context.answerAll(receipts, "") }
                let error = key == nil ? error : SubmissionText.known(error)
                throw SubmissionText.stopped(error, at: shown, accepted: receipts.count, of: names.count)
            }
        }
        if context.asJSON { return context.answerAll(receipts, "") }
        if let last = receipts.last, let obstacle = await context.obstacle(to: last.id, at: last.backend) {
            context.console.write(obstacle)
        }
    }
}

extension SubmitCommand {
    static let defaultRoute = "measurement"

    private func form(_ context: Context) async throws -> SubmissionForm {
        let fields = try await SubjectArgument.fields(item, user: user, route: route, at: target.backend, context.client)
        var form = try SubmissionForm(backend: target.backend, route: route, items: fields, id: id, supersedes: supersedes)
        form.capturedAt = try capturedAt?.date(before: context.times.now, in: context.times.timeZone)
        form.strict = strict
        return form
    }

    /// The signed-in account; nil if it is unknown, or if there are several.
    private func owner(_ context: Context) async -> FileOwner? {
        // `try?`: the submission itself reports the problem.
        let sessions = (try? await context.client.call(Endpoints.sessions, NoInput()))?.sessions ?? []
        let meant = sessions.filter { target.backend == nil || $0.backend == target.backend }
        guard meant.count == 1, let account = meant[0].account else { return nil }
        return FileOwner(backend: meant[0].backend, account: account)
    }

    private func tell(_ receipt: SubmissionReceipt, from name: String?, isKeyed: Bool, _ context: Context) async {
        context.console.write(SubmissionText.accepted(receipt, from: name, isKeyed: isKeyed))
        guard receipt.warning != nil else { return }
        // `try?`: the entry is accepted; only the words for its kind are missing.
        let entry = (try? await context.client.call(Endpoints.entry, EntryReference(id: receipt.id)))?.entry
        if let warning = SubmissionText.warning(receipt, entry?.kind.knownKind) { context.console.warn(warning) }
    }
}
