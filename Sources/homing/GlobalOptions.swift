import ArgumentParser
import ControlAPI
import Foundation

struct GlobalOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The daemon's socket; otherwise $HOMING_SOCKET, your own daemon's, or the system's.", valueName: "path"),
        completion: .file())
    var socket: String?

    @Flag(help: "Answer in JSON, and tell errors as JSON on standard error.")
    var json = false

    func validate() throws {
        if socket?.isEmpty == true { throw ValidationError("--socket: expected a path, found nothing") }
    }

    var client: ControlClient { ControlClient(socketPath: path) }

    func client(timeout: Duration) -> ControlClient { ControlClient(socketPath: path, timeout: timeout) }

    private var path: String { socket ?? SocketLocation.forClient(environment: ProcessInfo.processInfo.environment) }
}

struct BackendOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("The backend, by its profile's name; not needed where there is only one.", valueName: "name"),
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
                "It is not said which backend is meant; there is \(Words.list(known)).", next: "Name one of these with --backend.")
        }
    }
}

extension BackendOption {
    /// Throws if the entry belongs to another backend than the selected one.
    func require(_ entry: String, of owner: String) throws(Problem) {
        guard let backend, backend != owner else { return }
        throw .invalid(
            "Entry \(EntryText.shortID(entry)) is none of ‘\(backend.printable)’: it is for \(owner).",
            next: "Leave --backend out, or say --backend \(owner).")
    }
}

extension Problem {
    static func noBackend(_ name: String, among known: [String]) -> Problem {
        let list = known.isEmpty ? "none is configured" : "there is \(Words.list(known))"
        return .invalid("There is no backend ‘\(name.printable)’; \(list).", next: "Name one of these with --backend.")
    }
}
