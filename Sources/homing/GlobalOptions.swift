import ArgumentParser
import ControlAPI
import Foundation

struct GlobalOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The daemon's socket; the default is $HOMING_SOCKET, your own daemon's socket, or the system's.", valueName: "path"),
        completion: .file())
    var socket: String?

    @Flag(help: "Print the result as JSON, and errors as JSON on standard error.")
    var json = false

    func validate() throws {
        if socket?.isEmpty == true { throw ValidationError("--socket is empty; expected a path.") }
    }

    var client: ControlClient { ControlClient(socketPath: path) }

    func client(timeout: Duration) -> ControlClient { ControlClient(socketPath: path, timeout: timeout) }

    private var path: String { socket ?? SocketLocation.forClient(environment: ProcessInfo.processInfo.environment) }
}

struct BackendOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("The name of the backend's profile; not needed if there is only one backend.", valueName: "name"),
        completion: Suggestions.backends)
    var backend: String?
}

extension BackendOption {
    /// Throws if the backend is unknown, or missing although there are several; the error lists the backends.
    func require(among known: [String]) throws(Problem) {
        if let backend {
            if !known.contains(backend) { throw .noBackend(backend, among: known) }
        } else if known.count > 1 {
            throw .invalid(
                "There is more than one backend: \(Words.list(known)).", next: "Name one of these with --backend.")
        }
    }
}

extension BackendOption {
    /// Throws if the entry belongs to another backend than the selected one.
    func require(_ entry: String, of owner: String) throws(Problem) {
        guard let backend, backend != owner else { return }
        throw .invalid(
            "Entry \(EntryText.shortID(entry)) belongs to \(owner), not to ‘\(backend.printable)’.",
            next: "Leave out --backend, or use --backend \(owner).")
    }
}

extension Problem {
    static func noBackend(_ name: String, among known: [String]) -> Problem {
        let list = known.isEmpty ? "none is configured" : "configured: \(Words.list(known))"
        return .invalid("There is no backend ‘\(name.printable)’; \(list).", next: "Name one of these with --backend.")
    }
}
