import CSystemLinux
import Glibc
import NIOCore

/// The connected process, as the kernel recorded it at connect time (SO_PEERCRED, SO_PEERGROUPS).
package struct Peer: Sendable, Equatable, CustomStringConvertible {
    package var pid: pid_t
    package var uid: uid_t
    /// Primary and supplementary groups.
    package var groups: Set<gid_t>

    package init(pid: pid_t, uid: uid_t, groups: Set<gid_t>) {
        self.pid = pid
        self.uid = uid
        self.groups = groups
    }

    /// Nil if the kernel does not report the peer.
    package init?(descriptor: Int32) {
        var (pid, uid, gid) = (pid_t(), uid_t(), gid_t())
        guard homing_peer(descriptor, &pid, &uid, &gid) == 0 else { return nil }
        var others = [gid_t](repeating: 0, count: 64)
        var count = homing_peer_groups(descriptor, &others, Int32(others.count))
        if count > others.count {
            others = [gid_t](repeating: 0, count: Int(count))
            count = homing_peer_groups(descriptor, &others, count)
        }
        guard count >= 0 else { return nil }
        self.init(pid: pid, uid: uid, groups: Set(others.prefix(Int(count))).union([gid]))
    }

    package var description: String { "uid \(uid), pid \(pid)" }
}

extension Peer {
    /// The peer whose requests the current task answers.
    @TaskLocal static var ofConnection: Peer?
}

extension Channel {
    /// Nil if unknown or disconnected. Only on the channel's event loop.
    var peer: Peer? {
        // `try?`: fails only if the connection is gone.
        try? pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { Peer(descriptor: $0) } ?? nil
    }

    /// Nil if unknown or disconnected.
    func findPeer() async -> Peer? {
        // `try?`: fails only if the event loop has shut down.
        try? await eventLoop.submit { self.peer }.get()
    }
}
