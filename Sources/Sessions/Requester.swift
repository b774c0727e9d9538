import Glibc

/// The user and process of this machine that asked for something, as the kernel knew them.
package struct Requester: Hashable, Sendable, Codable, CustomStringConvertible {
    package let uid: UInt32
    package let pid: Int32
    /// The user as people know them.
    package let name: String

    package init(uid: UInt32, pid: Int32, name: String) { (self.uid, self.pid, self.name) = (uid, pid, name) }

    package var description: String { "uid \(uid), pid \(pid)" }

    /// For actions that the daemon starts itself.
    package static var daemon: Requester { Requester(uid: geteuid(), pid: getpid(), name: "homingd") }
}
