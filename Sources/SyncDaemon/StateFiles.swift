import ControlServer
import Files
import Glibc

/// The files that a start reads or writes. The key has a check of its own.
enum StateFiles {
    private static let needs: [(name: String, access: Int32)] = [
        ("lock", R_OK | W_OK), ("crashed", R_OK | W_OK), ("device-id", R_OK), ("homing.keyring", R_OK), ("outbox.sqlite", R_OK | W_OK),
        ("outbox.sqlite-wal", R_OK | W_OK), ("outbox.sqlite-shm", R_OK | W_OK),
    ]

    static var names: [String] { needs.map(\.name) }

    /// A sentence for each existing file that this process may not use. Read-only.
    static func faults(in state: String) -> [String] { needs.compactMap { fault(of: "\(state)/\($0.name)", for: $0.access) } }

    /// The command that makes a missing state directory.
    static func creation(of state: String) -> String {
        state == "/var/lib/homing" ? "sudo systemd-tmpfiles --create homing.conf" : "mkdir -m 700 \(state)"
    }

    private static func fault(of path: String, for wanted: Int32) -> String? {
        guard access(path, wanted) != 0 else { return nil }
        let reason = errno
        // A missing file is created, or is damage.
        guard ![ENOENT, ENOTDIR].contains(reason) else { return nil }
        let failed = "\(path) cannot be \(wanted & W_OK == 0 ? "read" : "read and written"): \(String(cString: strerror(reason)))."
        let file = DurableFile(path: path)
        guard [EACCES, EPERM].contains(reason), let uid = file.owner, let mode = file.mode else {
            return "\(failed) Check it, its folder and the disk."
        }
        let (owner, daemon) = (UserName(uid).short, UserName(geteuid()).short)
        let command = uid == geteuid() ? "chmod 600 \(path)" : "sudo chown \(daemon) \(path) && sudo chmod 600 \(path)"
        return "\(failed) It belongs to \(owner) and has mode \(String(mode, radix: 8)); "
            + "it must belong to \(daemon) and have mode 600. Run: \(command)"
    }
}
