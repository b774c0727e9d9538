import Glibc
import NIOCore

/// What one caller may take of the control channel. The limits on bodies are the endpoints' own.
package struct ControlLimits: Sendable {
    /// Request line and headers, in bytes. What is twice as large is cut off with a bare 400.
    package var header = 16 << 10
    /// How long a connection may be silent, and how long a header may take.
    package var idle: TimeAmount = .seconds(60)
    /// For how long the daemon waits for a request's body, and again for each MiB of it.
    package var body: TimeAmount = .seconds(60)
    /// Connections at a time.
    package var connections: Int
    /// Of these, the ones that only administrators can have, so that others never lock them out.
    package var reserved: Int
    /// Besides, the ones that observers cannot have either.
    package var reservedForOperators: Int
    /// Connections at a time of all users without a role together: they can do nothing but hear so.
    package var connectionsWithoutRole: Int
    /// Connections of one user at a time; root and the daemon's own user may have all of them.
    package var connectionsPerUser = 64
    /// Connections at a time that are told that they are too many; those over it are closed at once.
    package var refusals: Int
    /// Bytes of large bodies in memory at a time: two of the largest, and one of them of the same user. Taking one in needs four times as much.
    package var bodies = 66 << 20
    package var bodiesPerUser = 33 << 20
    /// A larger body than this waits for its turn; of smaller ones no user can have so many that it matters.
    package var smallBody = 64 << 10
    /// How long a large body may wait for its turn.
    package var turn: Duration = .seconds(30)

    /// - Parameter descriptors: as many as this process may have open. Connections leave most of them to everything else, whoever connects: a
    ///   process that has none left may end, since libdispatch takes a thread for gone that it cannot look at (`workqueue.c` there).
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
