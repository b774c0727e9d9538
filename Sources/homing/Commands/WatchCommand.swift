import ArgumentParser
import ControlAPI
import Foundation

struct WatchCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show the state of the station live, until you press q.",
        discussion: """
            Updates when something happens, and can stay open all day. If standard output is not a terminal, or with --once, prints one \
            snapshot and exits.
            """)

    @Flag(help: "Print one snapshot as plain text, and exit.") var once = false
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func run(_ context: Context) async throws {
        let zone = context.times.timeZone
        let isDumb = context.environment["TERM"] == "dumb"
        guard !once, !context.asJSON, !isDumb, let screen = FullScreen() else {
            let view = try await Watch.once(client: context.client, backend: target.backend)
            let frame = WatchFrame(style: .plain, times: context.times, width: context.console.width, height: nil)
            return context.answer(view, frame.lines(view).joined(separator: "\n"))
        }
        // Waits for a daemon that is not running, but reports an unknown backend before taking over the screen.
        do throws(Problem) {
            if target.backend != nil { try await context.client.call(Endpoints.status, NoInput()).requireBackend(target.backend) }
        } catch {
            if error.code != .daemonNotRunning { throw error }
        }
        let guardian = InterruptGuard { screen.leave() }
        defer {
            screen.leave()
            guardian.lift()
        }
        let style = context.console.style
        let watch = Watch(client: context.client, backend: target.backend) { view in
            let (width, height) = screen.size
            let frame = WatchFrame(
                style: style, times: TimeText(now: Date(), timeZone: zone), width: width, height: height, footer: "q to quit")
            screen.draw(frame.lines(view))
        }
        await watch.run(commands: screen.commands())
    }
}
