import ControlAPI
import Foundation
import Notifying

/// Shows messages on the person's desktop with libnotify's `notify-send`.
struct NotifySend: Sendable {
    private let program: String

    /// Throws if `notify-send` is not installed.
    init(environment: [String: String]) throws(Problem) {
        let folders = (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
        let places: [String] = folders.map { "\($0)/notify-send" }
        let found = places.first { $0.hasPrefix("/") && access($0, X_OK) == 0 }
        guard let found else {
            throw .invalid(
                "The program notify-send is not installed, so nothing can be shown on the desktop.",
                next: "Install it: sudo apt install libnotify-bin\nTo write messages to standard output instead, add --print.")
        }
        program = found
    }

    /// False if there is no desktop that shows it.
    func show(_ message: NotifyMessage) async -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = Self.arguments(message)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        return await withCheckedContinuation { done in
            process.terminationHandler = { done.resume(returning: $0.terminationStatus == 0) }
            // Foundation does not call the handler if the program could not be started.
            do { try process.run() } catch { done.resume(returning: false) }
        }
    }

    static func arguments(_ message: NotifyMessage) -> [String] {
        ["--app-name=Homing", "--", message.title.printable, escaped(message.body.printableLines)]
    }

    /// The body is markup (Desktop Notifications Specification), and `notify-send` replaces escapes with a backslash in it.
    private static func escaped(_ text: String) -> String {
        [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\\", "\\\\")].reduce(text) { $0.replacing($1.0, with: $1.1) }
    }
}
