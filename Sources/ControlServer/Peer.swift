import ControlAPI
import Glibc

/// The process at the other end of the socket, as the kernel knows it (SO_PEERCRED).
package struct Peer: Sendable, Equatable, CustomStringConvertible {
    package var pid: pid_t
    package var uid: uid_t
    package var gid: gid_t

    package init(pid: pid_t, uid: uid_t, gid: gid_t) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
    }

    package var description: String { "uid \(uid), pid \(pid)" }
}

/// Who may do what. Whoever the socket's mode admits may operate; root and the daemon's own user may administer.
package struct AccessPolicy: Sendable {
    private let owner: uid_t

    package init(owner: uid_t = geteuid()) { self.owner = owner }

    package func access(of peer: Peer) -> Access { peer.uid == 0 || peer.uid == owner ? .administer : .operate }
}
