import ArgumentParser
import ControlAPI

struct StatusCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show whether everything is delivered, the signed-in account, and problems that need a person.",
        discussion: """
            Exits with 0 if all is well or entries are only waiting, 3 if the daemon is not running, 5 if a sign-in is needed, and 6 if \
            something else needs a person. With --check, prints one line for a monitoring system.
            """)

    @Flag(help: "Print one line, for a monitoring system.") var check = false
    @Option(
        help: ArgumentHelp(
            "With --check: exit with 6 if an entry has waited longer than this, such as 30m, 4h or 2d.", valueName: "duration"),
        transform: LengthOfTime.parse)
    var maxAge: LengthOfTime?

    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if maxAge != nil && !check { throw ValidationError("--max-age can only be used with --check.") }
        if check && global.json { throw ValidationError("Give either --check or --json, not both.") }
    }

    func run(_ context: Context) async throws {
        if check { return try await runCheck(context) }
        let status = try await context.client.call(Endpoints.status, NoInput())
        try status.requireBackend(target.backend)
        let told = status.only(target.backend)
        let console = context.console
        let text = StatusText(style: console.style, times: context.times, width: console.width, wrapsSentence: console.outputIsTerminal)
        context.answer(told, text.lines(told))
        throw ExitCode(for: told.attention)
    }

    private func runCheck(_ context: Context) async throws {
        let check = StatusCheck(times: context.times, maxAge: maxAge?.seconds)
        let outcome: StatusCheck.Outcome
        do throws(Problem) {
            // A monitoring system cannot wait for the default timeout.
            let client = ControlClient(socketPath: context.client.socketPath, timeout: .seconds(10))
            let status = try await client.call(Endpoints.status, NoInput())
            try status.requireBackend(target.backend)
            outcome = check.outcome(status.only(target.backend))
        } catch {
            outcome = check.outcome(error)
        }
        context.console.write(outcome.line)
        throw outcome.code
    }
}
