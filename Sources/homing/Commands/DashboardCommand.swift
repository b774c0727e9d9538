import ArgumentParser
import ControlAPI
import Dashboard

struct DashboardCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "dashboard", abstract: "Show the state of the station in a web browser.",
        discussion: """
            Serves a page on this computer only, prints its address, and opens it if there is a desktop. The address works once; the \
            browser then stays signed in to this page. The page may do what you may do with this program. It ends with Ctrl-C, with the \
            terminal, or when no page was open for an hour. To open it with your desktop, run: systemctl --user enable --now homing-dashboard
            """)

    @Option(help: "The port on 127.0.0.1; 0 chooses a free port.") var port = 0
    @Flag(help: "Print the address without opening a browser.") var noBrowser = false
    @Flag(help: "Keep running when no page is open.") var stay = false
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if !(0...65535).contains(port) { throw ValidationError("--port is \(port); expected a number from 0 to 65535.") }
    }

    func run(_ context: Context) async throws {
        let launcher = noBrowser ? nil : BrowserLauncher(environment: context.environment)
        let guardian = InterruptGuard { launcher?.tidy() }
        defer {
            launcher?.tidy()
            guardian.lift()
        }
        try await Dashboard(client: context.client, port: port, stays: stay).run { address in
            context.answer(Served(address: address), "The dashboard is at\n\(address)\nThe address works once. To end, press Ctrl-C.")
            launcher?.open(address)
        }
        if !context.asJSON { context.console.write("The dashboard has ended: no page was open for an hour.") }
    }

    private struct Served: Encodable { var address: String }
}
