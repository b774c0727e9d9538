import ArgumentParser
import ControlAPI
import Foundation

struct EventsCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Show the events, one per line; with --json, one JSON object per line.",
        discussion: """
            Without options, shows the newest 50 events. With --backend, shows the events of that backend among the newest 500. With \
            --follow, shows new events until you interrupt it.
            """)

    @Option(help: ArgumentHelp("Only events with a cursor greater than this.", valueName: "cursor")) var since: Int64?
    @Flag(help: "Keep running, and show new events.") var follow = false
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if let since, since < 0 { throw ValidationError("--since is \(since); expected an event's cursor.") }
    }

    func run(_ context: Context) async throws {
        let backend = target.backend
        var last =
            if let since { since } else { try await context.client.call(Endpoints.status, NoInput()).start(following: follow, backend) }
        let guardian = InterruptGuard {}
        defer { guardian.lift() }
        do {
            let tell = { (event: Event) in
                last = event.cursor
                let line =
                    context.asJSON
                    ? Console.jsonLine(event) : EventText(times: context.times).line(event)
                context.console.write(line)
                return true
            }
            if since == nil {
                try await context.client.keptEvents(after: last, follow: follow, backend: backend, tell)
            } else {
                try await context.client.events(EventQuery(since: last, follow: follow, backend: backend), tell)
            }
        } catch let problem as Problem {
            throw problem
        } catch {
            throw EventText.streamCut(after: last)
        }
        if follow { throw EventText.streamCut(after: last) }
    }
}

extension Status {
    /// The start: now if following, otherwise 50 events back, or 500 with a backend filter.
    func start(following: Bool, _ backend: String?) -> Int64 { following ? cursor : max(0, cursor - (backend == nil ? 50 : 500)) }
}
