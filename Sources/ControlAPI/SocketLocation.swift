import Foundation
import Glibc

/// Where the control socket is, the same for both programs.
public enum SocketLocation {
    public static let fileName = "homing.sock"
    /// The system service's socket.
    public static let system = "/run/homing/homing.sock"

    /// Where an ordinary user's daemon listens: `$XDG_RUNTIME_DIR/homing/homing.sock`, else below the state directory.
    public static func user(environment: [String: String]) -> String {
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") { return "\(runtime)/homing/\(fileName)" }
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/homing/\(fileName)" }
        return "\(environment["HOME"] ?? "/")/.local/state/homing/\(fileName)"
    }

    /// Where a client looks: `$HOMING_SOCKET`, else the user's own daemon where its socket exists, else the system's where it exists; where there
    /// is neither, that of the daemon which this user would start.
    public static func forClient(
        environment: [String: String], system: String = SocketLocation.system, isRoot: Bool = geteuid() == 0
    ) -> String {
        if let named = environment["HOMING_SOCKET"], !named.isEmpty { return named }
        let own = user(environment: environment)
        return exists(own) || !isRoot && !exists(system) ? own : system
    }

    /// Also true where it may not be known: the reason is then told by whoever tries to connect.
    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 || errno != ENOENT && errno != ENOTDIR }
}
