import ArgumentParser
import ControlAPI
import Foundation
import Notifying

struct NotifyCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify", abstract: "Show notifications on the desktop when the station needs you, until you press Ctrl-C.",
        discussion: """
            Also shows when everything is delivered after an outage. The file ~/.config/homing/notify.yaml (in $XDG_CONFIG_HOME, if set) \
            says what to show; these are the defaults:

              delivered_after_outage: true  # everything was delivered after an outage
              needs_person: true            # ‘homing status’ lists something new
              sign_in: true                 # a sign-in is required
              disk: true                    # the disk or the outbox is full, or the disk nearly
              no_delivery_hours: 24         # no delivery while entries wait; 0: never
              names: false                  # whether names of people may appear

            With quiet_hours: "22:00-07:00", it shows nothing in that time, and one summary at its end. Needs notify-send, from the package \
            libnotify-bin. To start it with your desktop, run: systemctl --user enable --now homing-notify
            """)

    @Flag(name: .customLong("print"), help: "Write the messages to standard output instead, one per line.") var isPrinted = false
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if global.json && !isPrinted { throw ValidationError("--json can only be used with --print.") }
    }

    func run(_ context: Context) async throws {
        let settings = try NotifySettings.load(NotifySettings.path(environment: context.environment))
        let show = try presenter(context)
        // Waits for a daemon that does not answer yet, but reports a missing permission.
        do throws(Problem) {
            _ = try await context.client.call(Endpoints.status, NoInput())
        } catch {
            if ![.daemonNotRunning, .timeout, .busy].contains(error.code) { throw error }
        }
        let guardian = InterruptGuard {}
        defer { guardian.lift() }
        let client = context.client
        let notifier = Notifier(
            look: { () async throws(Problem) in try await client.call(Endpoints.status, NoInput()) },
            events: { since, each in try await client.keptEvents(after: since, follow: true, each) }, show: show)
        await notifier.run(NotifyRules(settings: settings, timeZone: context.times.timeZone))
    }

    private func presenter(_ context: Context) throws(Problem) -> @Sendable (NotifyMessage) async -> Void {
        let console = context.console
        if isPrinted {
            let asJSON = context.asJSON
            return { console.write(asJSON ? Console.jsonLine($0) : $0.line) }
        }
        let desktop = try NotifySend(environment: context.environment)
        return { message in
            if await !desktop.show(message) { console.warn("notify-send could not show a message. \(message.line)") }
        }
    }
}
