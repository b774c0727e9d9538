import ArgumentParser
import ControlAPI
import Foundation

struct RosterCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "roster",
        abstract: "Show, add, edit and delete your people, or rows of another list that Homing keeps, even while offline.",
        discussion: """
            Without a name, shows which lists there are. With a name, shows the rows of that list: ‘homing roster people’, or shorter \
            ‘homing people’. Homing reads a list after you sign in, and again from time to time. ‘homing logout’ deletes it.

            With --refresh, exits with 1 if the list could not be read. The rows below were then read earlier.

            To add a row or to change one, even while offline: ‘homing people add --first-name Anna --last-name Example’ and \
            ‘homing people edit "Anna Example" --last-name Sample’. The options are those that the backend knows; without any, the \
            command lists them. --set first_name=Anna does the same. Homing sends the change when the network allows. A new person can \
            be measured at once: the answer says how. A value may be the name of a row of another list: ‘homing tasks add --list-id \
            Shopping --title Bread’.

            To delete a row at the backend, even while offline: homing people delete "Anna Example". It asks first; without a terminal, \
            --yes is required. Homing sends all earlier entries for the row first, and looks the row up just before it deletes it.
            """)

    @Argument(help: ArgumentHelp("The list, such as people.", valueName: "list"), completion: Suggestions.rosters) var name: String?
    @Argument(help: "Add a row to the list, edit one, or delete one.") var action: RosterAction?
    @Argument(
        help: ArgumentHelp("With edit and delete: the row, by name, id, or @ and the id of the entry that adds it.", valueName: "row"),
        completion: Suggestions.rows)
    var row: String?
    @Option(help: ArgumentHelp("Only rows whose name contains this text, or whose id begins with it.", valueName: "text"))
    var find: String?
    @Flag(help: "First read the list again.") var refresh = false
    @Option(help: ArgumentHelp("The maximum number of rows (1 to 500).", valueName: "number")) var limit = 100
    @Option(help: ArgumentHelp("Only rows after the one with this id.", valueName: "id")) var after: String?
    @Option(
        help: ArgumentHelp("With add and edit: a value of the row. A value that is JSON, not text: name:=3", valueName: "name=value"),
        completion: Suggestions.members)
    var set: [FormField] = []
    @Flag(help: "With edit and delete: refuse a row that is not in the list, instead of warning.") var strict = false
    @Option(help: ArgumentHelp("With add, edit and delete: the entry's id; the default is a new one.", valueName: "uuid")) var id: String?
    @Flag(name: .shortAndLong, help: "With delete: do not ask for confirmation.") var yes = false
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if !(1...500).contains(limit) { throw ValidationError("--limit is \(limit); expected a number from 1 to 500.") }
        if name == nil && (find != nil || refresh || after != nil) {
            throw ValidationError("Name the list, for example: homing roster people. To see the names, run: homing roster")
        }
        try validateAction()
    }

    private func validateAction() throws {
        if action == nil && (!set.isEmpty || strict || id != nil) {
            throw ValidationError("--set, --strict and --id need ‘add’ or ‘edit’, for example: homing people add --set first_name=Anna")
        }
        if yes && action != .delete {
            throw ValidationError("--yes needs ‘delete’, for example: homing people delete \"Anna Example\" --yes")
        }
        if action == .delete && !set.isEmpty { throw ValidationError("--set cannot be used with ‘delete’.") }
        if action != nil && (find != nil || refresh || after != nil) {
            throw ValidationError("--find, --refresh and --after cannot be used with ‘add’, ‘edit’ or ‘delete’.")
        }
        if action == .add && row != nil { throw ValidationError("‘add’ takes options only, such as --first-name Anna.") }
        if action == .edit && row?.isEmpty != false {
            throw ValidationError("Name the row to edit, for example: homing people edit \"Anna Example\" --last-name Sample")
        }
        if action == .delete && row?.isEmpty != false {
            throw ValidationError("Name the row to delete, for example: homing people delete \"Anna Example\"")
        }
        if let id, UUID(uuidString: id) == nil { throw ValidationError("--id is ‘\(id)’; expected a UUID.") }
    }

    func run(_ context: Context) async throws {
        let text = RosterText(style: context.console.style, times: context.times, width: context.console.width)
        let list = try await context.lists(of: target.backend)
        guard let name else { return context.answer(list, text.lists(list)) }
        let roster = try list.roster(named: name)
        if let action { return try await change(roster, among: list.rosters, action, context) }
        var code = ExitCode.success
        if refresh {
            let report = try await context.client.call(
                Endpoints.refreshRoster, RosterReference(resource: roster.resource, backend: roster.backend))
            if report.reading { code = .timeout } else if report.failure != nil { code = .failure }
            if let note = text.notRefreshed(report) { context.console.warn(note) }
        }
        let page = try await context.client.call(
            Endpoints.roster,
            RosterQuery(resource: roster.resource, backend: roster.backend, find: find, after: after, limit: limit))
        context.answer(page, text.page(page))
        guard code.isSuccess else { throw code }
    }
}

extension RosterList {
    /// The lists of that title, in the plural or singular, or of that resource name.
    func named(_ name: String) -> [RosterReport] {
        let names: [(RosterReport) -> String] = [\.title.many, \.title.one, \.resource]
        return names.lazy.map { word in rosters.filter { word($0).lowercased() == name.lowercased() } }.first { !$0.isEmpty } ?? []
    }

    /// The error names the lists, or the backends to choose from.
    func roster(named name: String) throws(Problem) -> RosterReport {
        let found = named(name)
        guard let only = found.first else {
            let known = rosters.isEmpty ? "there are none" : "there are: \(Set(rosters.map(\.title.many)).sorted().inWords)"
            throw .notFound("There is no list ‘\(name.printable)’; \(known).", next: "To see all lists, run: homing roster")
        }
        guard found.count == 1 else {
            throw .invalid(
                "There is more than one list ‘\(name.printable)’: at \(found.map(\.backend).inWords).",
                next: "Name one of these with --backend.")
        }
        return only
    }
}
