import ArgumentParser
import ControlAPI
import Testing

@testable import homing

@Suite struct ArgumentsTests {
    private func parse<Command>(_ line: String, as type: Command.Type = Command.self) async throws -> Command {
        try #require(try await Homing.asyncParseAsRoot(line.split(separator: " ").map(String.init)) as? Command)
    }

    @Test func loginParsesPasswordSource() async throws {
        let plain: LoginCommand = try await parse("login")
        #expect(plain.passwordSource == .terminal && plain.email == nil && !plain.remember)
        let file: LoginCommand = try await parse("login --email a@b.c --backend x --remember --password-file /run/pw")
        #expect(file.passwordSource == .file("/run/pw") && file.remember && file.target.backend == "x" && file.email == "a@b.c")
        #expect(try await parse("login --password-stdin", as: LoginCommand.self).passwordSource == .standardInput)
    }

    @Test func logoutTakesItsFlags() async throws {
        let command: LogoutCommand = try await parse("logout --all-devices -y --backend x")
        #expect(command.allDevices && command.yes && command.target.backend == "x" && !command.keepData)
        #expect(try await parse("logout --keep-data", as: LogoutCommand.self).keepData)
    }

    @Test func rosterTakesItsNameAndFilters() async throws {
        let command: RosterCommand = try await parse("roster people --find anna --refresh --after 7 --limit 2 --backend x")
        #expect(command.name == "people" && command.find == "anna" && command.refresh && command.after == "7" && command.limit == 2)
        #expect(command.target.backend == "x")
        let plain: RosterCommand = try await parse("roster")
        #expect(plain.name == nil && plain.limit == 100 && !plain.refresh)
    }

    @Test func listTakesItsFilters() async throws {
        let line = "list --state failed --user Anna --route note --since 2025-03-10 --until 14:00 --limit 5 --after 7 --backend x"
        let command: ListCommand = try await parse(line)
        #expect(command.state == .dead && command.user == "Anna" && command.route == "note" && command.target.backend == "x")
        #expect(command.limit == 5 && command.after == 7)
        let span = try command.span(Sample.times)
        #expect(span.since.map(JSONCoding.text) == "2025-03-09T23:00:00.000Z")
        #expect(span.until.map(JSONCoding.text) == "2025-03-11T13:00:00.000Z")
        let plain = try await parse("list", as: ListCommand.self).span(Sample.times)
        #expect(plain.since == nil && plain.until == nil)
        let empty = try await parse("list --since 14:00 --until 14:00", as: ListCommand.self)
        let problem = #expect(throws: Problem.self) { try empty.span(Sample.times) }
        #expect(problem?.detail == "--until (14:00) is not later than --since (14:00)." && problem?.code == .invalidRequest)
    }

    @Test func rosterTakesAnActionWithItsValues() async throws {
        let id = Sample.id(1)
        let add: RosterCommand = try await parse("roster people add --set first_name=Anna --set year:=1980 --id \(id) --backend x")
        #expect(add.action == .add && add.row == nil && add.id == id && add.target.backend == "x")
        #expect(add.set == [FormField(argument: "first_name=Anna"), FormField(argument: "year:=1980")].compactMap(\.self))
        let edit: RosterCommand = try await parse("roster people edit 28 --set first_name=Anna --strict")
        #expect(edit.action == .edit && edit.row == "28" && edit.strict && edit.set.count == 1)
        #expect(edit.options == " --first-name Anna --strict")
        #expect(add.options == " --first-name Anna --set 'year:=1980' --id \(id) --backend x")
        let delete: RosterCommand = try await parse("roster people delete 28 --yes --id \(id)")
        #expect(delete.action == .delete && delete.row == "28" && delete.yes && delete.id == id)
        #expect(delete.options == " --id \(id)")
    }

    @Test func fixResolveUndoAndExportTakeTheirOptions() async throws {
        let fix: FixCommand = try await parse("fix 12 --user 7 --item note=x --strict --backend x")
        #expect(fix.entry.id == "12" && fix.user == "7" && fix.item == [ItemField(name: "note", value: "x")] && fix.strict)
        let delivered: ResolveCommand = try await parse("resolve 12 --delivered 17")
        #expect(delivered.id == "12" && delivered.delivered && delivered.remoteID == "17" && !delivered.notDelivered)
        #expect(try await parse("resolve 12 --delivered", as: ResolveCommand.self).remoteID == nil)
        #expect(try await parse("resolve 12 --not-delivered", as: ResolveCommand.self).notDelivered)
        let undo: UndoCommand = try await parse("undo 1 2")
        #expect(undo.ids == ["1", "2"] && !undo.yes)
        #expect(try await parse("undo --yes", as: UndoCommand.self).ids.isEmpty)
        #expect(try await parse("export 12 --output -", as: ExportCommand.self).output == "-")
        #expect(try await parse("export --all -o folder", as: ExportCommand.self).output == "folder")
    }

    /// An entry that is not changed needs no confirmation.
    @Test(
        arguments: [
            ("pending", nil, true, true), ("dead", nil, true, true), ("held", "discarding", false, true), ("discarded", nil, false, false),
            ("delivered", nil, false, false),
        ] as [(String, String?, Bool, Bool)])
    func discardChangesOnlyUndeliveredEntries(state: String, hold: String?, later: Bool, now: Bool) async throws {
        let entry = Sample.entry(1, state, hold: hold)
        #expect(try await parse("discard 1", as: DiscardCommand.self).changes(entry) == later)
        #expect(try await parse("discard 1 --now", as: DiscardCommand.self).changes(entry) == now)
    }

    @Test(arguments: ["list", "submit a.json", "fix 7", "discard --state failed --reason mask"])
    func longPersonIsRefused(line: String) async {
        let arguments = line.split(separator: " ").map(String.init) + ["--user", String(repeating: "x", count: 100_000)]
        let error = await #expect(throws: (any Error).self) { try await Homing.asyncParseAsRoot(arguments) }
        let text = error.map { Homing.message(for: $0) }
        #expect(text == "--user has 100,000 characters; expected an id or a name of at most 1,000, as in --user 5.")
    }

    /// Before it is sent: nothing listens.
    @Test func longArgumentsAreRefused() async {
        let query = RosterQuery(resource: "managed_users", find: String(repeating: "x", count: 100_000))
        let client = ControlClient(socketPath: "/nowhere/control.sock", timeout: .seconds(1))
        let problem = await #expect(throws: Problem.self) { try await client.call(Endpoints.roster, query) }
        #expect(problem?.code == .tooLarge)
        #expect(
            problem?.detail
                == "The arguments are too long: the longest has 100,000 characters, and all together may have 16 KiB.")
    }

    @Test func discardTakesIDsOrAState() async throws {
        let bulk: DiscardCommand = try await parse("discard --state failed --route fit_test --user 7 --reason mask --now -y")
        #expect(bulk.state == .dead && bulk.route == "fit_test" && bulk.user == "7" && bulk.reason == "mask" && bulk.now && bulk.yes)
        #expect(try await !parse("discard 1", as: DiscardCommand.self).now)
        #expect(try await parse("discard --file -a.json --reason mask", as: DiscardCommand.self).file == "-a.json")
        let all: DiscardCommand = try await parse("discard --all-files --reason mask -y")
        #expect(all.allFiles && all.file == nil && all.yes)
        let reason = String(repeating: "x", count: 200)
        #expect(try await parse("discard 1 --reason \(reason)", as: DiscardCommand.self).reason == reason)
        await #expect(throws: (any Error).self) { try await Homing.asyncParseAsRoot(["discard", "1", "--reason", reason + "x"]) }
        await #expect(throws: (any Error).self) { try await Homing.asyncParseAsRoot(["discard", "1", "--reason", " "]) }
    }

    @Test func submitTakesFilesFieldsAndIds() async throws {
        let command: SubmitCommand = try await parse("submit a.json - --user 5 --item name=Anna=B --item note= --route fit_test")
        #expect(command.files == ["a.json", "-"] && command.user == "5" && command.route == "fit_test")
        #expect(command.item == [ItemField(name: "name", value: "Anna=B"), ItemField(name: "note", value: "")])
        #expect(try await parse("submit", as: SubmitCommand.self).route == "measurement")
        #expect(try await parse("submit a --user 5 --strict", as: SubmitCommand.self).strict)
        #expect(try await !parse("submit a --user 5", as: SubmitCommand.self).strict)
    }

    @Test func commandsAcceptEntryNumberOrID() async throws {
        #expect(try await parse("show 12", as: ShowCommand.self).entry.id == "12")
        #expect(try await parse("why 91c04b01", as: WhyCommand.self).entry.id == "91c04b01")
        #expect(try await parse("retry 1 2", as: RetryCommand.self).entries.ids == ["1", "2"])
        #expect(try await parse("list --state failed", as: ListCommand.self).state == .dead)
        #expect(try await parse("list --state dead", as: ListCommand.self).state == .dead)
        #expect(try await parse("retry --all --state held", as: RetryCommand.self).state == .held)
        #expect(try await parse("retry --all --state failed", as: RetryCommand.self).state == .dead)
        let discard: DiscardCommand = try await parse("discard 1 2 --yes")
        #expect(discard.entries.ids == ["1", "2"] && discard.yes)
    }

    @Test func syncWaitsFiveMinutesByDefault() async throws {
        let command: SyncCommand = try await parse("sync --wait")
        #expect(command.wait && command.limit == 300)
        #expect(try await parse("sync --wait --timeout 5 --backend x", as: SyncCommand.self).limit == 5)
        #expect(try await parse("sync --wait --timeout 1h30m", as: SyncCommand.self).limit == 5400)
    }

    @Test func eventsStatusAndVersionTakeTheirOptions() async throws {
        let events: EventsCommand = try await parse("events --since 4 --follow --json")
        #expect(events.since == 4 && events.follow && events.global.json)
        #expect(try await parse("status --backend x", as: StatusCommand.self).target.backend == "x")
        #expect(try await parse("version --json", as: VersionCommand.self).global.json)
    }

    @Test func statsAndAuditTakeTheirOptions() async throws {
        let stats: StatsCommand = try await parse("stats --since 30d --json")
        let month = try #require(LengthOfTime(argument: "30d"))
        #expect(stats.since == .ago(month) && stats.global.json)
        #expect(try await parse("stats", as: StatsCommand.self).since == nil)
        let audit: AuditCommand = try await parse("audit --since 2025-03-11 --kind sign-out --account 5")
        #expect(audit.since == .at(.day(year: 2025, month: 3, day: 11, hour: 0, minute: 0)))
        #expect(audit.kind == "sign-out" && audit.account == "5")
    }

    @Test func pauseReceiptsAndWatchTakeTheirOptions() async throws {
        let pause: PauseCommand = try await parse("pause --for 2h --backend x --reason backup")
        #expect(pause.length?.seconds == 7200 && pause.until == nil && pause.reason == "backup" && pause.target.backend == "x")
        #expect(try await parse("pause --until 18:00 --reason x", as: PauseCommand.self).until == .clock(hour: 18, minute: 0))
        #expect(try await parse("resume --backend x", as: ResumeCommand.self).target.backend == "x")
        let receipts: ReceiptsCommand = try await parse("receipts --after 3 --limit 1000 --csv --since 2025-01-01")
        #expect(receipts.after == 3 && receipts.limit == 1000 && receipts.csv && receipts.since != nil)
        #expect(try await parse("receipt 12", as: ReceiptCommand.self).entry.id == "12")
        #expect(try await parse("watch --once", as: WatchCommand.self).once)
        let dashboard: DashboardCommand = try await parse("dashboard --port 4711 --no-browser")
        #expect(dashboard.port == 4711 && dashboard.noBrowser && !dashboard.stay)
        #expect(try await parse("notify --print --json", as: NotifyCommand.self).isPrinted)
        let check: CheckCommand = try await parse("check --warning-age 2d --critical-waiting 9 --backend x")
        let limits = StationCheck.Limits(warningAge: 172_800, criticalAge: 172_800, criticalWaiting: 9)
        #expect(check.limits == limits && check.target.backend == "x")
        #expect(try await parse("check --critical-age 60s", as: CheckCommand.self).limits == .init(warningAge: 60, criticalAge: 60))
        #expect(try await parse("completions fish", as: CompletionsCommand.self).shell == .fish)
    }

    @Test func claimAsksUnlessTold() async throws {
        #expect(try await !parse("claim", as: ClaimCommand.self).yes)
        #expect(try await parse("claim --yes", as: ClaimCommand.self).yes)
        #expect(try await parse("claim -y", as: ClaimCommand.self).yes)
    }

    @Test func bugreportTakesItsOptions() async throws {
        let report: BugreportCommand = try await parse("bugreport -o a.json --yes")
        #expect(report.output == "a.json" && report.yes)
        #expect(try await parse("bugreport", as: BugreportCommand.self).output == "homing-bugreport.json")
    }

    @Test func backendCommandsAcceptBackendOption() async throws {
        let without = ["backup", "bugreport", "claim", "completions", "dashboard", "doctor", "notify", "version"]
        let commands = Homing.configuration.groupedSubcommands.flatMap(\.subcommands)
        #expect(commands.count > 15)
        for command in commands {
            let name = try #require(command.configuration.commandName)
            #expect(Homing.helpMessage(for: command).contains("--backend <name>") != without.contains(name), "\(name)")
        }
        #expect(try await parse("retry 1 --backend x", as: RetryCommand.self).target.backend == "x")
    }

    @Test func entryOfAnotherBackendIsRefused() async throws {
        let target = try await parse("why 1 --backend notes", as: WhyCommand.self).target
        try target.require(Sample.id(1), of: "notes")
        let problem = #expect(throws: Problem.self) { try target.require(Sample.id(1), of: "breathesafe") }
        #expect(problem?.detail == "Entry 3f2a91c04b01 belongs to breathesafe, not to ‘notes’.")
        try await parse("why 1", as: WhyCommand.self).target.require(Sample.id(1), of: "breathesafe")
    }

    @Test(arguments: ["show", "why", "receipt", "retry", "discard", "fix", "resolve", "undo", "export"]) func anEmptyIDIsRefused(
        command: String
    ) async throws {
        let error = await #expect(throws: (any Error).self) { try await Homing.asyncParseAsRoot([command, ""]) }
        #expect(Homing.message(for: try #require(error)).contains("‘’ is not an entry number or id."))
    }

    @Test func invalidUserIsNamedInError() async throws {
        let error = await #expect(throws: (any Error).self) { try await Homing.asyncParseAsRoot(["submit", "a", "--user", "-5"]) }
        #expect(Homing.message(for: try #require(error)).contains("--user is ‘-5’"))
    }

    @Test(arguments: ["sync --timeout soon", "pause --reason x --for 2", "check --warning-age 4"])
    func invalidDurationNamesTheExpectedForm(line: String) async throws {
        let error = await #expect(throws: (any Error).self) {
            try await Homing.asyncParseAsRoot(line.split(separator: " ").map(String.init))
        }
        #expect(Homing.message(for: try #require(error)).contains("expected a duration such as 90s, 30m, 2h, 3d or 1h30m"))
    }

    @Test(arguments: ["stats --since -1d", "stats --since 0d", "stats --since 11y", "stats --since 4000d", "audit --since soon"])
    func invalidBeginOfAPeriodNamesTheAcceptedForms(line: String) async throws {
        let error = await #expect(throws: (any Error).self) {
            try await Homing.asyncParseAsRoot(line.split(separator: " ").map(String.init))
        }
        let message = Homing.message(for: try #require(error))
        for part in ["expected how long ago, from 1s to ten years, such as 12h", "or a time since the year 2000, such as 2025-03-11"] {
            #expect(message.contains(part), "\(message)")
        }
    }

    @Test(arguments: ["list --since soon", "list --until 2025", "receipts --since 25:00", "pause --until soon --reason x"])
    func invalidTimeNamesTheAcceptedForms(line: String) async throws {
        let error = await #expect(throws: (any Error).self) {
            try await Homing.asyncParseAsRoot(line.split(separator: " ").map(String.init))
        }
        let message = Homing.message(for: try #require(error))
        #expect(message.contains("expected a time since the year 2000, such as 18:00, 2025-03-11"), "\(message)")
    }

    @Test(arguments: [
        "login --password-stdin --password-file f", "login --password secret", "logout now", "status now",
        "submit a --item user_id", "submit a --item =5", "submit a b --id 0190a1b2-c3d4-7e5f-8a9b-3f2a91c04b01",
        "submit a b --supersedes 0190a1b2-c3d4-7e5f-8a9b-3f2a91c04b01", "submit - -", "submit a --no-document", "list --state gone",
        "list --limit 0", "list --since soon", "list --user --json", "list --route=",
        "list --limit 501", "list --limit many", "list --after=-1", "show", "show 1 2", "why", "retry", "retry 1 --all",
        "retry 1 --state failed", "submit a --user -5", "submit a --user --json", "retry --all --state pending", "discard", "discard --yes",
        "discard --file a", "discard 1 --file a --reason x", "discard --file a --state failed --reason x",
        "discard --file a --reason x --now", "discard --file a --reason x --backend b",
        "discard --all-files", "discard 1 --all-files --reason x", "discard --all-files --file a --reason x",
        "discard --all-files --state failed --reason x", "discard --all-files --reason x --now",
        "discard --all-files --reason x --backend b",
        "discard 1 --state failed --reason x", "discard --state failed", "discard --state pending --reason x", "discard 1 --route x",
        "discard 1 --user 7", "fix 1", "fix --user 7", "fix 1 --user=", "resolve 1", "resolve 1 --delivered --not-delivered",
        "resolve 1 --not-delivered 17", "export", "export 1 --all", "export --all", "export --all --output -", "export 1 2",
        "roster people add 28 --set a=b", "roster people edit --set a=b", "roster people --set a=b", "roster people --strict",
        "roster people delete", "roster people delete --yes", "roster people delete 28 --set a=b", "roster people edit 28 --set a=b --yes",
        "roster people --yes", "roster people delete 28 --find a",
        "roster people add --find a", "roster people edit 28 --set =b", "roster people add --id 12",
        "sync --timeout 0", "sync --timeout=-5", "sync --timeout 25h",
        "sync --timeout soon", "events --since=-1", "events --since yesterday", "version 2", "dance", "pause", "pause --reason= --for 2h",
        "pause --for 2h --until 18:00 --reason x",
        "pause --for soon --reason x", "resume x", "receipts --limit 501", "receipts --csv --json", "receipts --after=-1", "receipt",
        "roster --find anna", "roster --refresh", "roster --after 7", "roster people --limit 0", "roster people users",
        "check --warning-age 2h --critical-age 1h", "check --warning-waiting 3 --critical-waiting 2", "check now",
        "submit a --again --id 0193a4c2-0000-7000-8000-000000000001", "doctor now", "bugreport --output=", "bugreport now",
        "completions tcsh", "completions", "watch now", "dashboard --port 65536",
        "notify --json", "notify now", "stats --since soon", "stats now", "audit --kind lost", "audit --since soon", "audit --account=",
    ])
    func invalidCommandLineIsRefused(line: String) async {
        await #expect(throws: (any Error).self) { try await Homing.asyncParseAsRoot(line.split(separator: " ").map(String.init)) }
    }
}
