import Foundation
import Glibc
import SyncModel
import Synchronization

/// Space kept on the disk for what must be written when there is none left: what becomes of entries, and who has signed in or out.
///
/// Without it a full disk could not even be told that something was delivered, and so nothing would be, until a person makes room.
final class Ballast: Sendable {
    private let path: String
    /// Bytes: those of some ten thousand settlements, and never more than a sixteenth of the disk.
    let size: Int64
    private let state = Mutex(false)

    /// Takes the space where the disk has it.
    init(beside file: String) {
        path = (file as NSString).deletingLastPathComponent + "/ballast"
        size = min(8 << 20, (Self.disk(of: path)?.total ?? .max) / 16)
        _ = restore()
    }

    var isWhole: Bool { state.withLock(\.self) }

    /// What the disk has left for this user, in bytes; nil where the system does not say.
    var free: Int64? { Self.disk(of: path)?.free }

    /// Gives the space, and the file's own place, back to the disk; false where there was none to give.
    func release() -> Bool {
        state.withLock { isWhole in
            defer { isWhole = false }
            return unlink(path) == 0 || isWhole
        }
    }

    /// Takes the space again, and true where it is all there: only from a disk that has some to spare besides.
    func restore() -> Bool {
        state.withLock { isWhole in
            if isWhole { return true }
            var info = stat()
            let held = lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFREG ? Int64(info.st_blocks).multipliedClamped(by: 512) : 0
            if held < size {
                guard let free, free.addingClamped(held) >= size + Self.margin else {
                    if held > 0 { unlink(path) }
                    return false
                }
                let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
                guard descriptor >= 0 else { return false }
                defer { close(descriptor) }
                guard posix_fallocate(descriptor, 0, off_t(size)) == 0 else {
                    unlink(path)
                    return false
                }
            }
            isWhole = true
            return true
        }
    }

    /// 1 MiB: the log between two checkpoints.
    static let margin: Int64 = 1 << 20

    private static func disk(of path: String) -> (total: Int64, free: Int64)? {
        var info = statvfs()
        guard statvfs((path as NSString).deletingLastPathComponent, &info) == 0 else { return nil }
        // A network's file system may claim any size.
        let block = Int64(clamping: info.f_frsize)
        return (Int64(clamping: info.f_blocks).multipliedClamped(by: block), Int64(clamping: info.f_bavail).multipliedClamped(by: block))
    }
}
