import CSystemLinux
import Foundation
import Glibc
import SystemPackage

/// A file held open, so that the daemon reads or moves the file that it checked.
package final class OpenFile {
    package let status: stat
    private let fd: Int32
    private let folder: Folder
    private let name: FilePath

    /// Takes ownership of the descriptor.
    init(_ fd: Int32, _ folder: Folder, _ name: FilePath) {
        (self.fd, self.folder, self.name) = (fd, folder, name)
        var status = stat()
        fstat(fd, &status)
        self.status = status
    }

    deinit { close(fd) }

    /// For messages only.
    package var path: FilePath { folder.path / name }

    /// The permission bits.
    package var mode: mode_t { status.st_mode & 0o7777 }

    package var owner: uid_t { status.st_uid }

    /// True if only root or the daemon's user can change the content as the file's owner.
    package var isOwned: Bool { status.isOwned() }

    /// True if no process has it open for writing; nil if unknown.
    package var isWhole: Bool? {
        // `try?`: fails only in tests.
        guard (try? folder.calls.check(.lease, path)) != nil else { return nil }
        return switch homing_is_open_for_writing(fd) {
        case 0: true
        case 1: false
        default: nil
        }
    }

    /// True if chmod is enough to let the daemon read it.
    package var opensByMode: Bool {
        if status.st_gid == getegid() { return true }
        // A 4-byte version, then per entry: 2-byte tag, 2-byte permissions, 4-byte id (linux/posix_acl_xattr.h).
        let acl = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = max(0, homing_read_attribute("/proc/self/fd/\(fd)", "system.posix_acl_access", buffer.baseAddress, UInt(buffer.count)))
        }
        return stride(from: 4, through: acl.count - 8, by: 8).contains { entry in
            let (tag, id) = acl.withUnsafeBytes {
                ($0.loadUnaligned(fromByteOffset: entry, as: UInt16.self), $0.loadUnaligned(fromByteOffset: entry + 4, as: UInt32.self))
            }
            return tag == Self.userEntry && id == geteuid()
        }
    }
    /// ACL_USER.
    private static let userEntry: UInt16 = 2

    package func content(atMost limit: Int) throws(Unreadable) -> Data {
        guard status.isPlain else { throw .notRegular }
        guard !status.isLinked else { throw .linked }
        guard status.st_size <= limit else { throw .tooLarge(Int(status.st_size)) }
        var content = Data(count: Int(status.st_size))
        var read = 0
        while read < content.count {
            let count = content.withUnsafeMutableBytes { Glibc.read(fd, $0.baseAddress?.advanced(by: read), $0.count - read) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(FileError(Errno(rawValue: errno), path, .read)) }
            if count == 0 { return content.prefix(read) }
            read += count
        }
        return content
    }

    package enum Unreadable: Error {
        case notRegular
        case linked
        /// Bytes.
        case tooLarge(Int)
        case system(FileError)
    }
}

extension stat {
    package var isPlain: Bool { st_mode & S_IFMT == S_IFREG }

    /// True if only root or this user can change the content as the file's owner.
    package func isOwned(byRootOr user: uid_t = geteuid()) -> Bool { st_uid == 0 || st_uid == user }

    /// A hard-linked file may belong to another user and stay open to them.
    package var isLinked: Bool { st_nlink > 1 }

    package func isSame(as other: stat) -> Bool { st_dev == other.st_dev && st_ino == other.st_ino }
}
