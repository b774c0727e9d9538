import ArgumentParser
import ControlAPI
import Foundation

struct SyncCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Send waiting entries now, without waiting for their next try.",
        discussion: """
            Homing sends in the background. With --wait, returns when the queue is empty or the rest cannot be sent without a person. \
            Exits with 0 if everything was delivered, 5 if a sign-in is needed, 6 if an entry failed or is on hold, sending is paused \
            without an end, or something else needs a person, and 7 if the time limit is reached.
            """)

    @Flag(help: "Wait until the queue is empty.") var wait = false
    @Option(
        help: ArgumentHelp(
            "With --wait: the time limit, such as 90s, 30m or 2h, of at most a day; a number alone means seconds. The default is 5m.",
            valueName: "duration"),
        transform: { try LengthOfTime.parse(Int($0) == nil ? $0 : "\($0)s") })
    var timeout: LengthOfTime?
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if limit > 86_400 { throw ValidationError("--timeout is longer than a day; expected at most 24h.") }
    }

    /// In seconds.
    var limit: TimeInterval { timeout?.seconds ?? 300 }

    func run(_ context: Context) async throws {
        let client = context.client
        let before = wait ? try await client.call(Endpoints.status, NoInput()) : nil
        let report = try await client.call(Endpoints.sync, SyncRequest(backend: target.backend))
        guard let before else { return context.answer(report, SyncText.report(report)) }

        let line = ProgressLine(console: context.console)
        let guardian = InterruptGuard {
            line.clear()
            context.console.warn("Stopped waiting. Homing continues to send in the background.")
        }
        defer { guardian.lift() }
        let limit = limit
        let progress = try await SyncWait(client: client, show: line.show).run(since: before, backend: target.backend) {
            try await Task.sleep(for: .seconds(limit))
        }
        line.clear()
        guard let progress else {
            let status = try await client.call(Endpoints.status, NoInput()).only(target.backend)
            throw SyncText.outOfTime(seconds: Int(limit), status.sentence)
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
