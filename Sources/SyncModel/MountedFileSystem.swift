import Foundation

/// A file system that this process sees, from its table of mounts (proc_pid_mountinfo(5)).
package struct MountedFileSystem: Equatable, Sendable {
    /// Such as `ext4`.
    package let type: String
    /// The path at which its root is mounted.
    package let point: String

    /// The file system with this `st_dev`; nil if the table has no such number, as for files on btrfs.
    package init?(device: UInt64, in table: String) {
        // As in makedev(3).
        let major = (device >> 8) & 0xfff | (device >> 32) & 0xffff_f000
        let minor = device & 0xff | (device >> 12) & 0xffff_ff00
        let number = "\(major):\(minor)"
        let mounts = table.split(separator: "\n").map { $0.split(separator: " ") }.filter { $0.count > 4 && $0[2] == number }
        // A part of it may be mounted elsewhere too.
        guard let mount = mounts.first(where: { $0[3] == "/" }) ?? mounts.first,
            let type = mount.drop(while: { $0 != "-" }).dropFirst().first
        else { return nil }
        self.type = String(type)
        point = String(mount[4])
    }

    /// The table of this process; empty if it cannot be read.
    package static var table: String {
        // `try?`: without the table, the file system of a file is unknown.
        (try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)) ?? ""
    }
}
