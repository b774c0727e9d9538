import ArgumentParser
import ControlAPI
import Foundation

struct WatchCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show how the station is, live, until you press q.",
        discussion: """
            Redraws when something happens, and may stay open all day. Where standard output is no terminal, and with --once, it shows one \
            picture and ends.
            """)

    @Flag(help: "Show one picture, as plain text, and end.") var once = false
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func run(_ context: Context) async throws {
        let zone = context.times.timeZone
        let isDumb = ProcessInfo.processInfo.environment["TERM"] == "dumb"
        guard !once, !context.asJSON, !isDumb, let screen = FullScreen() else {
            let view = try await Watch.once(client: context.client, backend: target.backend)
            let frame = WatchFrame(style: .plain, times: context.times, width: Table.width, height: nil)
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
                style: style, times: TimeText(now: Date(), timeZone: zone), width: width, height: height, footer: "q to leave")
            screen.draw(frame.lines(view))
        }
        await watch.run(commands: screen.commands())
    }
}
