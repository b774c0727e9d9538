import Foundation
import Glibc

/// The path of the control socket, for both programs.
public enum SocketLocation {
    public static let fileName = "homing.sock"
    public static let system = "/run/homing/homing.sock"

    /// The longest socket path in bytes (unix(7)).
    public static let longest = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
    public static func fits(_ path: String) -> Bool { path.utf8.count <= longest }

    /// The user's own socket: in `$XDG_RUNTIME_DIR/homing`, or else in the state directory.
    public static func user(environment: [String: String]) -> String {
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") { return "\(runtime)/homing/\(fileName)" }
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/homing/\(fileName)" }
        return "\(environment["HOME"] ?? "/")/.local/state/homing/\(fileName)"
    }

    /// `$HOMING_SOCKET`; else the user's own daemon if it listens; else the installed system service; else the user's own.
    public static func forClient(
        environment: [String: String], system: String = SocketLocation.system, isRoot: Bool = geteuid() == 0,
        isInstalled: Bool = SocketLocation.isServiceInstalled
    ) -> String {
        if let named = environment["HOMING_SOCKET"], !named.isEmpty { return named }
        let own = user(environment: environment)
        if isAnswered(own) { return own }
        return isRoot || isInstalled || exists(system) ? system : own
    }

    /// Searches the systemd unit path (systemd.unit(5)).
    public static var isServiceInstalled: Bool {
        ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"].contains { exists("\($0)/systemd/system/homingd.service") }
    }

    /// Also true if unknown: connecting then reports the reason.
    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 || errno != ENOENT && errno != ENOTDIR }

    /// True if a daemon listens, or if unknown. A killed daemon leaves its socket file behind.
    private static func isAnswered(_ path: String) -> Bool {
        guard exists(path) else { return false }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { place in
            guard path.utf8.count < place.count else { return false }
            place.copyBytes(from: path.utf8)
            return true
        }
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard fits, socket >= 0 else { return true }
        defer { close(socket) }
        let outcome = withUnsafeBytes(of: &address) {
            connect(socket, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
        return outcome == 0 || errno != ECONNREFUSED
    }
}
