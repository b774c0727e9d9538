import ArgumentParser
import ControlAPI
import Foundation

struct SyncCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Send now what waits for a later time.",
        discussion: """
            Sending goes on in the background; with --wait this returns when nothing waits any more: 0 when all went up, 6 when something \
            could not be delivered or sending is paused without an end, 5 when somebody must sign in first, 7 when the time is over.
            """)

    @Flag(help: "Wait until nothing waits any more.") var wait = false
    @Option(help: ArgumentHelp("With --wait: at most this long.", valueName: "seconds")) var timeout = 300
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if !(1...86_400).contains(timeout) { throw ValidationError("--timeout is \(timeout); expected 1 to 86400 seconds.") }
    }

    func run(_ context: Context) async throws {
        let client = context.client
        let before = wait ? try await client.call(Endpoints.status, NoInput()) : nil
        let report = try await client.call(Endpoints.sync, SyncRequest(backend: target.backend))
        guard let before else { return context.answer(report, SyncText.report(report)) }

        let line = ProgressLine(console: context.console)
        let guardian = InterruptGuard {
            line.clear()
            context.console.warn("No longer waiting. Sending goes on by itself.")
        }
        defer { guardian.lift() }
        let limit = timeout
        let progress = try await SyncWait(client: client, show: line.show).run(since: before, backend: target.backend) {
            try await Task.sleep(for: .seconds(limit))
        }
        line.clear()
        guard let progress else {
            let status = try await client.call(Endpoints.status, NoInput()).only(target.backend)
            throw SyncText.outOfTime(seconds: limit, status.sentence)
        }
        context.answer(SyncOutcome(progress), SyncText.outcome(progress))
        throw ExitCode(for: progress)
    }
}

extension SyncWait {
    init(client: ControlClient, show: @escaping @Sendable (SyncProgress) -> Void) {
        self.init(
            status: { try await client.call(Endpoints.status, NoInput()) },
            events: { since, each in try await client.events(EventQuery(since: since, follow: true), each) },
            pause: { try await Task.sleep(for: .seconds(1)) },
            show: show)
    }
}
