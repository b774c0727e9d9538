import Foundation
import Glibc
import SyncModel
import Synchronization

/// Reserved disk space, so that a full disk does not stop the writes that deliveries, sign-ins and sign-outs need. See
/// Decisions/Ballast.md.
package final class Ballast: Sendable {
    private let path: String
    private let folder: String
    /// Bytes: enough for some ten thousand settlements, at most a sixteenth of the disk.
    let size: Int64
    private let state = Mutex(false)

    /// Takes the reserve, if the disk has room for it.
    package init(beside file: String) {
        folder = (file as NSString).deletingLastPathComponent
        path = folder + "/ballast"
        size = Self.size(onDiskOf: Self.disk(of: folder)?.total ?? .max)
        _ = restore()
    }

    static func size(onDiskOf total: Int64) -> Int64 { min(8 << 20, total / 16) }

    /// Bytes of the log between two checkpoints, which must also be free.
    var margin: Int64 { Self.margin(ofReserve: size) }

    /// A little less than half of the reserve: on a full disk, the reserve holds the log, one transaction more, and the growth of the file.
    static func margin(ofReserve size: Int64) -> Int64 { max(1 << 20, size / 16 * 7) }

    /// Bytes below which the disk is nearly full: a twentieth of it, at most 1 GiB, and at least twice what the reserve and the log take.
    static func lowMark(onDiskOf total: Int64) -> Int64 {
        let reserve = size(onDiskOf: total)
        return max(2 * (reserve + margin(ofReserve: reserve)), min(1 << 30, total / 20))
    }

    /// Bytes free for this user, and `lowMark`; nil if unknown.
    var space: (free: Int64, lowMark: Int64)? { Self.disk(of: folder).map { ($0.free, Self.lowMark(onDiskOf: $0.total)) } }

    var isWhole: Bool { state.withLock(\.self) }

    /// Bytes free for this user; nil if unknown.
    var free: Int64? { Self.disk(of: folder)?.free }

    /// Frees the reserve and its inode; false if there was nothing to release.
    func release() -> Bool {
        state.withLock { isWhole in
            defer { isWhole = false }
            return unlink(path) == 0 || isWhole
        }
    }

    /// Runs `work`; if that fails on a full disk, runs it again without the reserve. `isFull` recognizes that error; nil judges by the free
    /// space.
    package func withReserve<T>(_ work: () throws -> T, ifFull isFull: ((any Error) -> Bool)? = nil) throws -> T {
        do { return try work() } catch {
            guard isFull?(error) ?? ((free ?? .max) < margin), release() else { throw error }
            return try work()
        }
    }

    /// Makes the reserve again, if the disk has some space to spare besides. True if it is complete.
    func restore() -> Bool {
        state.withLock { isWhole in
            if isWhole { return true }
            var info = stat()
            let held = lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFREG ? Int64(info.st_blocks).multipliedClamped(by: 512) : 0
            if held < size {
                guard let free, free.addingClamped(held) >= size + margin else {
                    if held > 0 { unlink(path) }
                    return false
                }
                let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
                guard descriptor >= 0 else { return false }
                defer { close(descriptor) }
                var code = EINTR
                while code == EINTR { code = posix_fallocate(descriptor, 0, off_t(size)) }
                guard code == 0 else {
                    unlink(path)
                    return false
                }
            }
            isWhole = true
            return true
        }
    }

    /// Bytes of the file system, and those free for this user; nil if unknown.
    static func disk(of folder: String) -> (total: Int64, free: Int64)? {
        var info = statvfs()
        guard statvfs(folder, &info) == 0 else { return nil }
        // A network file system may report any size.
        let block = Int64(clamping: info.f_frsize)
        return (Int64(clamping: info.f_blocks).multipliedClamped(by: block), Int64(clamping: info.f_bavail).multipliedClamped(by: block))
    }
}
