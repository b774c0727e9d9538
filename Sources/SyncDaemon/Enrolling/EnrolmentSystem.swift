import ControlAPI
import Glibc

/// The services of the computer and of the running daemon that `homingd enroll` uses.
package struct EnrolmentSystem: Sendable {
    /// The folder with the profiles of this version.
    var profiles = "/usr/share/doc/homing/backends"
    /// A file that exists from before the first write until the daemon has started after it. Restarting the computer deletes it.
    var restartMark = "/run/homing-enroll.restart"
    var isUser: @Sendable (String) -> Bool
    var isMember: @Sendable (_ user: String, _ group: gid_t) -> Bool
    /// The exit code of a program; nil if it could not be started or did not end.
    var run: @Sendable (_ program: String, _ arguments: [String]) async -> Int32?
    /// Nil if the daemon has no such backend.
    var backend: @Sendable (_ socket: String, _ name: String) async throws -> BackendReport?
    var signIn: @Sendable (_ socket: String, _ request: SignIn) async throws -> Void

    package static var real: EnrolmentSystem {
        EnrolmentSystem(
            isUser: { getpwnam($0) != nil },
            isMember: { belongs($0, to: $1) },
            run: { await SystemProgram.run($0, $1, within: .seconds(90))?.code },
            backend: { socket, name in
                let status = try await ControlClient(socketPath: socket).call(Endpoints.status, NoInput())
                return status.backends.first { $0.name == name }
            },
            signIn: { socket, request in _ = try await ControlClient(socketPath: socket).call(Endpoints.signIn, request) })
    }

    /// Asks the system's databases, as a login does.
    private static func belongs(_ user: String, to group: gid_t) -> Bool {
        guard let account = getpwnam(user) else { return false }
        var count: Int32 = 1024
        var groups = [gid_t](repeating: 0, count: Int(count))
        guard getgrouplist(user, account.pointee.pw_gid, &groups, &count) >= 0 else { return false }
        return groups.prefix(Int(count)).contains(group)
    }
}
