import ArgumentParser
import ControlAPI

struct ResumeCommand: DaemonCommand {
    static let configuration = CommandConfiguration(commandName: "resume", abstract: "End a pause and resume sending.")

    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func run(_ context: Context) async throws {
        let list = try await context.client.call(Endpoints.resume, ResumeRequest(backend: target.backend))
        if context.asJSON { return context.answer(list, "") }
        let status = try await context.client.call(Endpoints.status, NoInput()).only(target.backend)
        context.console.write(PauseReportText.resumed(list, backend: target.backend, status))
    }
}
