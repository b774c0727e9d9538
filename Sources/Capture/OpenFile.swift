import CSystemLinux
import Foundation
import Glibc
import SystemPackage

/// A file that is held open, so that what was checked is what is read or moved.
final class OpenFile {
    let status: stat
    private let fd: Int32
    private let path: FilePath
    private let calls: Folder.Calls

    /// Takes the descriptor over.
    init(_ fd: Int32, _ path: FilePath, _ calls: Folder.Calls) {
        (self.fd, self.path, self.calls) = (fd, path, calls)
        var status = stat()
        fstat(fd, &status)
        self.status = status
    }

    deinit { close(fd) }

    /// Whether no process has the file open for writing; nil where that cannot be told.
    var isWhole: Bool? {
        // `try?`: only a test has it refused.
        guard (try? calls.before(.lease, path, nil)) != nil else { return nil }
        return switch homing_is_open_for_writing(fd) {
        case 0: true
        case 1: false
        default: nil
        }
    }

    /// Whether its group or its ACL names us, so that its owner need only change the mode to let us read it.
    var opensByMode: Bool {
        if status.st_gid == getegid() { return true }
        // A version of four bytes; then for each entry a tag and permissions of two bytes, and an id of four (linux/posix_acl_xattr.h).
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

    /// The content of a plain file that has no other name.
    func content(atMost limit: Int) throws(Unreadable) -> Data {
        guard status.isPlain else { throw .notRegular }
        guard !status.isLinked else { throw .linked }
        guard status.st_size <= limit else { throw .tooLarge(Int(status.st_size)) }
        var content = Data(count: Int(status.st_size))
        var read = 0
        while read < content.count {
            let count = content.withUnsafeMutableBytes { Glibc.read(fd, $0.baseAddress?.advanced(by: read), $0.count - read) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(Errno(rawValue: errno)) }
            if count == 0 { return content.prefix(read) }
            read += count
        }
        return content
    }

    /// Why a file was not read.
    enum Unreadable: Error {
        case notRegular
        case linked
        /// Bytes.
        case tooLarge(Int)
        case system(Errno)
    }
}

extension stat {
    var isPlain: Bool { st_mode & S_IFMT == S_IFREG }

    /// Whether the file has more than one name (a hard link): then it may be somebody else's, and stay open to them once it is taken.
    var isLinked: Bool { st_nlink > 1 }

    func isSame(as other: stat) -> Bool { st_dev == other.st_dev && st_ino == other.st_ino }

    /// Whether nothing has been written between the two.
    func hasContent(of other: stat) -> Bool { st_size == other.st_size && FileTime(st_mtim) == FileTime(other.st_mtim) }
}
