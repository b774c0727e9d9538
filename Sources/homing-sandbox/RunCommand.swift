import ArgumentParser
import Sandbox

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the sandbox until it is told to end.",
        discussion: """
            Accounts: manager@lab.test (1), other@lab.test (2), and for breathesafe admin@lab.test (3), unconfirmed@lab.test (4); the \
            password of all is \(BreatheSafeConfiguration.labPassword). User 5 of breathesafe is managed by account 1. \
            `homing-sandbox faults` lists the faults. aiphoto and story16 answer for Firebase too, on the same port, and take the refresh tokens \
            \(DescribedConfiguration.token(of: 1)) and \(DescribedConfiguration.token(of: 2)) from the start.

            With --profile it stands in for any backend, from nothing but its profile: accounts 1 and 2 sign in, or, where the profile has \
            no login, the API keys or refresh tokens \(DescribedConfiguration.token(of: 1)) and \(DescribedConfiguration.token(of: 2)) \
            do. What the profile does not describe is a 404.

            Ways in which the real servers differ are settings: --setting, GET and POST /settings at the control URL. labloop: error-form \
            (nested, flat, retryable), locked-status (423, 401), log-ins (so many a quarter of an hour, or null), stated-lifetime \
            (seconds, or null), empties-web-refresh. lists: error-form (text, object), log-ins (so many a minute, or null). aiphoto and \
            story16: api-key (a text, or null for any), renewal of refresh tokens (same, new, none), disabled, deleted and revoked \
            (arrays of e-mail addresses), hides-accounts, second-factor; aiphoto: lacks-certificates. breathesafe and --profile: list-lag \
            (milliseconds until a change shows in lists). --profile: page-size (rows, or null), ids (numbers, large, text).
            """)

    @Option(help: "The backend to stand in for; breathesafe where neither this nor --profile is given.")
    var backend: BackendArgument?

    @Option(
        help: ArgumentHelp("Stand in for the backend that this profile describes, by its own pointers and routes.", valueName: "file"),
        completion: .file(extensions: ["yaml"]))
    var profile: String?

    @Option(help: "The port of the imitated backend; 0 takes any.")
    var port = 0

    @Option(help: "The port of the control URL; 0 takes any.")
    var controlPort = 0

    @Option(help: ArgumentHelp("Write both URLs to this file as soon as both answer.", valueName: "path"), completion: .file())
    var portFile: String?

    @Option(help: ArgumentHelp("End sessions that were idle for this long (breathesafe).", valueName: "seconds"))
    var sessionSeconds: Int?

    @Option(help: ArgumentHelp("Let access tokens work for this long (all others, and --profile).", valueName: "seconds"))
    var accessSeconds: Int?

    @Option(help: ArgumentHelp("Let refresh tokens work for this long (labloop, lists-2026, --profile).", valueName: "seconds"))
    var refreshSeconds: Int?

    @Option(help: ArgumentHelp("Forgive a refresh token that comes twice for this long (lists-2026).", valueName: "seconds"))
    var graceSeconds: Int?

    @Option(
        name: .customLong("fault"), help: ArgumentHelp("Start with a fault; repeatable.", valueName: "name:key=value,..."),
        completion: .list(FaultName.allCases.map(\.rawValue)))
    var faults: [FaultArgument] = []

    @Option(
        name: .customLong("managed-user"),
        help: ArgumentHelp("Add a user, managed by account 1 or by another; repeatable (breathesafe).", valueName: "user[:manager]"))
    var managedUsers: [ManagedUserArgument] = []

    @Option(
        name: .customLong("setting"),
        help: ArgumentHelp("Start with a setting of this backend, its value in JSON or a mere text; repeatable.", valueName: "name=value"))
    var settings: [SettingArgument] = []

    @Option(help: ArgumentHelp("Append the ledger to this file, one JSON object a line.", valueName: "path"), completion: .file())
    var ledgerFile: String?

    @Flag(help: "Refuse connections until POST /up at the control URL.")
    var startDown = false

    func validate() throws {
        if profile != nil, backend != nil { throw ValidationError("--profile: expected either this or --backend") }
        let (name, options) = profile == nil ? (named.rawValue, named.settings) : ("--profile", BackendArgument.Setting.described)
        for (setting, _) in given where !options.contains(setting) {
            let known = options.map(\.rawValue).sorted().joined(separator: ", ")
            throw ValidationError("\(setting.rawValue): this is not for \(name), which has \(known)")
        }
        for (setting, value) in given where setting != .managedUser && value < (setting == .graceSeconds ? 0 : 1) {
            throw ValidationError("\(setting.rawValue): expected a whole number from \(setting == .graceSeconds ? 0 : 1)")
        }
        let known = BreatheSafeConfiguration().managedUsers.map(\.user) + BreatheSafeConfiguration.labAccounts.map(\.id)
        let users = known + managedUsers.map(\.value.user)
        guard Set(users).count == users.count else {
            throw ValidationError("--managed-user: expected users that do not exist yet; \(known.sorted()) do")
        }
        for managed in managedUsers where !BreatheSafeConfiguration.labAccounts.contains(where: { $0.id == managed.value.manager }) {
            throw ValidationError("--managed-user: expected one of the accounts 1 to 4 as manager, not \(managed.value.manager)")
        }
    }

    func run() async throws {
        let sandbox = try Sandbox(
            SandboxConfiguration(
                port: port, controlPort: controlPort, faults: faults.map(\.value) + (startDown ? [Fault(.down)] : []),
                ledgerFile: ledgerFile, backend: try sandboxBackend))
        try change(sandbox)
        try await sandbox.start()
        if let portFile { try PortFile.write(sandbox, to: portFile) }
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

    private var given: [(BackendArgument.Setting, Int)] {
        let given: [(BackendArgument.Setting, Int?)] = [
            (.sessionSeconds, sessionSeconds), (.managedUser, managedUsers.first?.value.user), (.accessSeconds, accessSeconds),
            (.refreshSeconds, refreshSeconds), (.graceSeconds, graceSeconds),
        ]
        return given.compactMap { setting, value in value.map { (setting, $0) } }
    }
}
