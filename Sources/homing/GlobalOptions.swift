import ArgumentParser
import ControlAPI
import Foundation

/// Options that every command takes.
struct GlobalOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The daemon's socket; otherwise $HOMING_SOCKET, your own daemon's, or the system's.", valueName: "path"),
        completion: .file())
    var socket: String?

    @Flag(help: "Answer in JSON, and tell errors as JSON on standard error.")
    var json = false

    /// The daemon that these options name.
    var client: ControlClient { ControlClient(socketPath: path) }

    /// The same, which gives up after `timeout`.
    func client(timeout: Duration) -> ControlClient { ControlClient(socketPath: path, timeout: timeout) }

    private var path: String { socket ?? SocketLocation.forClient(environment: ProcessInfo.processInfo.environment) }
}

/// The option of commands that can be about one backend only.
struct BackendOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("The backend, by its profile's name; not needed where there is only one.", valueName: "name"),
        completion: Suggestions.backends)
    var backend: String?
}
