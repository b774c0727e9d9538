import ArgumentParser
import ControlAPI

struct StatusCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show whether everything is delivered, the signed-in account, and problems that need a person.",
        discussion: """
            Exits with 0 if all is well or entries are only waiting, 3 if the daemon is not running, 5 if a sign-in is needed, and 6 if \
            something else needs a person. For a monitoring system, run ‘homing check’.
            """)

    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func run(_ context: Context) async throws {
        let status = try await context.client.call(Endpoints.status, NoInput())
        try status.requireBackend(target.backend)
        let told = status.only(target.backend)
        let console = context.console
        let text = StatusText(style: console.style, times: context.times, width: console.width, wrapsSentence: console.outputIsTerminal)
        context.answer(told, text.lines(told))
        throw ExitCode(for: told.attention)
    }
}
