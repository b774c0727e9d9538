import Foundation

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

    /// Where a client looks: `$HOMING_SOCKET`, else the user's own daemon where its socket exists, else the system's.
    public static func forClient(environment: [String: String]) -> String {
        if let named = environment["HOMING_SOCKET"], !named.isEmpty { return named }
        let own = user(environment: environment)
        return FileManager.default.fileExists(atPath: own) ? own : system
    }
}
