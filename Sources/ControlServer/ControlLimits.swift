import Glibc
import NIOCore

/// Limits on the control channel. Endpoints define their own body limits.
package struct ControlLimits: Sendable {
    /// Bytes of request line and headers. Twice this gets a bare 400.
    package var header = 16 << 10
    /// Limit for an idle connection, and for receiving a header.
    package var idle: TimeAmount = .seconds(60)
    /// Limit for each MiB of a request body.
    package var body: TimeAmount = .seconds(60)
    /// Concurrent connections.
    package var connections: Int
    /// Connections reserved for administrators, so that others cannot lock them out.
    package var reserved: Int
    /// Further connections that observers cannot use.
    package var reservedForOperators: Int
    /// Concurrent connections of all users without a role; they only get 403.
    package var connectionsWithoutRole: Int
    /// Concurrent connections per user; does not apply to root and the daemon's user.
    package var connectionsPerUser = 64
    /// Connections over the limit that get a 503; more are closed at once.
    package var refusals: Int
    /// Bytes of large bodies in memory: two of the largest, one per user. Processing needs four times as much.
    package var bodies = 66 << 20
    package var bodiesPerUser = 33 << 20
    /// Bytes; larger bodies queue for `bodies`.
    package var smallBody = 64 << 10
    /// How long a large body may queue.
    package var turn: Duration = .seconds(30)
    /// Interval of empty lines on an event stream. They show listeners that the daemon is not frozen, and detect a closed connection.
    package var heartbeat: Duration = .seconds(5)

    /// `descriptors` is the open-file limit. Most stay free: with none left the process may crash, because libdispatch treats a thread that
    /// it cannot inspect as gone.
    package init(descriptors: Int = Self.descriptors) {
        connections = min(256, max(4, (descriptors - 32) / 2))
        reserved = min(16, connections / 4)
        reservedForOperators = min(32, connections / 8)
        connectionsWithoutRole = min(4, max(1, connections / 8))
        refusals = min(64, connections / 4)
    }

    package static var descriptors: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }
}
