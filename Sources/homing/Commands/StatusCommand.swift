import ArgumentParser
import ControlAPI

struct StatusCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Has my data gone up? Who is signed in, what waits, and what needs a person.",
        discussion: "Exits with 0 while all is well or merely waits, 5 where somebody must sign in, 6 where something else needs a person.")

    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func run(_ context: Context) async throws {
        let status = try await context.client.call(Endpoints.status, NoInput())
        try status.requireBackend(target.backend)
        context.answer(status, StatusText(style: context.console.style, times: context.times).lines(status, backend: target.backend))
        throw ExitCode(for: status.attention)
    }
}

extension Status {
    /// An error that names the backends there are, where `name` is none of them.
    func requireBackend(_ name: String?) throws(Problem) {
        guard let name, !backends.contains(where: { $0.name == name }) else { return }
        let known = backends.isEmpty ? "none is configured" : "there is \(Words.list(backends.map(\.name)))"
        throw .invalid("There is no backend ‘\(name.printable)’; \(known).", next: "Name one of these with --backend.")
    }
}
