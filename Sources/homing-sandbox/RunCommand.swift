import ArgumentParser
import Foundation
import Sandbox

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the sandbox until a signal stops it.",
        discussion: """
            Accounts: manager@lab.test (1), other@lab.test (2), and for breathesafe admin@lab.test (3) and unconfirmed@lab.test (4). \
            The password of all is \(BreatheSafeConfiguration.labPassword). In breathesafe, account 1 manages user 5. \
            `homing-sandbox faults` lists the faults. To set one while the sandbox runs:

              curl --data '{"fault":"commit-then-cut","path":"users"}' CONTROL-URL/faults

            aiphoto and story16 also imitate Firebase on the same port. They accept the refresh tokens \(DescribedConfiguration.token(of: 1)) and \(DescribedConfiguration.token(of: 2)) from the start.

            With --profile the sandbox imitates any backend from its profile alone. Accounts 1 and 2 can sign in. If the profile has no \
            login, use the API keys or refresh tokens \(DescribedConfiguration.token(of: 1)) and \(DescribedConfiguration.token(of: 2)). \
            Requests that the profile does not describe get a 404.

            Settings select the ways in which real servers differ. Use --setting, or GET and POST /settings at the control URL. labloop: \
            error-form (nested, flat, retryable), locked-status (423, 401), log-ins (limit per quarter-hour, or null), stated-lifetime \
            (seconds, or null), empties-web-refresh. lists: error-form (text, object), log-ins (limit per minute, or null). aiphoto and \
            story16: api-key (text, or null for any), renewal of refresh tokens (same, new, none), disabled, deleted and revoked \
            (arrays of email addresses), hides-accounts, second-factor; aiphoto: lacks-certificates. breathesafe and --profile: list-lag \
            (milliseconds until a change shows in lists). breathesafe: people (the number of people of account 1), ignore-per-page (pages \
            of managed users have 25 rows), list-etag. --profile: page-size (rows, or null), ids (numbers, large, text), rows (of each \
            resource).

            At the control URL of breathesafe, POST /add-person with profile fields such as first_name, and POST /remove-person with a \
            managed_id, change the list of people.
            """)

    @Option(help: "The backend to imitate. Default without --profile: breathesafe.")
    var backend: BackendArgument?

    @Option(
        help: ArgumentHelp("Imitate the backend that this profile describes.", valueName: "file"),
        completion: .file(extensions: ["yaml"]))
    var profile: String?

    @Option(help: "The port of the backend; 0 takes a free one.")
    var port = 0

    @Option(help: "The port of the control URL; 0 takes a free one.")
    var controlPort = 0

    @Option(help: ArgumentHelp("Write both URLs to this file when the sandbox is ready.", valueName: "path"), completion: .file())
    var portFile: String?

    @Option(help: ArgumentHelp("End sessions that were idle for this long (breathesafe).", valueName: "seconds"))
    var sessionSeconds: Int?

    @Option(help: ArgumentHelp("The lifetime of access tokens (all other backends, and --profile).", valueName: "seconds"))
    var accessSeconds: Int?

    @Option(help: ArgumentHelp("The lifetime of refresh tokens (labloop, lists-2026, --profile).", valueName: "seconds"))
    var refreshSeconds: Int?

    @Option(help: ArgumentHelp("Revoke no tokens if a refresh token is used again within this time (lists-2026).", valueName: "seconds"))
    var graceSeconds: Int?

    @Option(
        name: .customLong("fault"), help: ArgumentHelp("Start with a fault; repeatable.", valueName: "name:key=value,..."),
        completion: .list(FaultName.allCases.map(\.rawValue)))
    var faults: [FaultArgument] = []

    @Option(
        name: .customLong("managed-user"),
        help: ArgumentHelp("Add a user; the manager defaults to account 1; repeatable (breathesafe).", valueName: "user[:manager]"))
    var managedUsers: [ManagedUserArgument] = []

    @Option(
        name: .customLong("setting"),
        help: ArgumentHelp("Change a setting of this backend; the value is JSON or plain text; repeatable.", valueName: "name=value"))
    var settings: [SettingArgument] = []

    @Option(help: ArgumentHelp("Append the ledger to this file, one JSON object per line.", valueName: "path"), completion: .file())
    var ledgerFile: String?

    @Flag(help: "Refuse connections until POST /up at the control URL.")
    var startDown = false

    func validate() throws {
        if profile != nil, backend != nil { throw ValidationError("--profile: cannot be combined with --backend") }
        let known = options.filter { profile == nil ? $0.backends.contains(named) : $0.isDescribed }.map(\.name).sorted()
        for option in options where option.value != nil && !known.contains(option.name) {
            let name = profile == nil ? named.rawValue : "--profile"
            throw ValidationError("\(option.name): not available with \(name); available: \(known.joined(separator: ", "))")
        }
        for option in options {
            guard let value = option.value, value < option.least else { continue }
            throw ValidationError("\(option.name): expected a whole number of at least \(option.least)")
        }
        let taken = BreatheSafeConfiguration().managedUsers.map(\.user) + BreatheSafeConfiguration.labAccounts.map(\.id)
        let users = taken + managedUsers.map(\.value.user)
        guard Set(users).count == users.count else {
            throw ValidationError("--managed-user: expected new users; \(taken.sorted()) exist already")
        }
        for managed in managedUsers where !BreatheSafeConfiguration.labAccounts.contains(where: { $0.id == managed.value.manager }) {
            throw ValidationError("--managed-user: expected a manager from 1 to 4, found \(managed.value.manager)")
        }
    }

    func run() async throws {
        var configuration = SandboxConfiguration()
        (configuration.port, configuration.controlPort) = (port, controlPort)
        configuration.faults = faults.map(\.value) + (startDown ? [Fault(.down)] : [])
        configuration.ledgerFile = ledgerFile
        configuration.backend = try sandboxBackend
        let sandbox = try Sandbox(configuration)
        try change(sandbox)
        try await sandbox.start()
        if let portFile {
            let urls = Data("backend=\(sandbox.baseURL)\ncontrol=\(sandbox.controlURL)\n".utf8)
            try urls.write(to: URL(fileURLWithPath: portFile), options: .atomic)
        }
        StandardOutput.line("backend \(sandbox.baseURL)  control \(sandbox.controlURL)")
        for line in try instructions(for: sandbox.baseURL) { StandardOutput.line(line) }
        try await sandbox.runUntilSignalled()
    }

    private func change(_ sandbox: Sandbox) throws {
        for setting in settings {
            do throws(FaultProblem) { try sandbox.change([setting.name: setting.value]) } catch {
                throw ValidationError("--setting \(error)")
            }
        }
    }

    /// The options that not all backends have.
    private var options: [(name: String, value: Int?, least: Int, backends: Set<BackendArgument>, isDescribed: Bool)] {
        [
            ("--session-seconds", sessionSeconds, 1, [.breathesafe], false),
            ("--managed-user", managedUsers.first?.value.user, 1, [.breathesafe], false),
            ("--access-seconds", accessSeconds, 1, [.labloop, .aiphoto, .lists, .lists2026, .story16], true),
            ("--refresh-seconds", refreshSeconds, 1, [.labloop, .lists2026], true),
            ("--grace-seconds", graceSeconds, 0, [.lists2026], false),
        ]
    }
}
