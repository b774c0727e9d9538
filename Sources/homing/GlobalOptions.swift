import ArgumentParser
import ControlAPI

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
}

struct BackendOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("The name of the backend's profile; not needed if there is only one backend.", valueName: "name"),
        completion: Suggestions.backends)
    var backend: String?
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
