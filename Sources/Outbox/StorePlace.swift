import Foundation
import Glibc
import Synchronization

/// Whether the files that SQLite has open are still at their paths. Data in a deleted file ends with the daemon.
package final class StorePlace: Sendable {
    /// Sent when a file is found missing, and when all are there again.
    package let changed = Signal()
    private let files: [File]
    private let wasLost = Mutex(false)

    private struct File {
        let path: String
        let identity: Identity?
    }

    private struct Identity: Equatable {
        let device: UInt64
        let inode: UInt64

        init(_ info: stat) { (device, inode) = (UInt64(info.st_dev), UInt64(info.st_ino)) }
    }

    /// The store must be open, so that its log exists.
    init(of store: String) { files = [store, store + "-wal"].map { File(path: $0, identity: Self.look(at: $0).identity) } }

    /// The inode of the store's file; nil if it could not be read.
    var inode: UInt64? { files.first?.identity?.inode }

    /// The path of a file that was deleted or replaced; nil if all are in place. Costs one system call per file.
    package var lost: String? {
        let lost = files.first { file in
            guard let known = file.identity else { return false }
            let (found, isAbsent) = Self.look(at: file.path)
            // Another failure, such as that of a network file system, proves nothing.
            return found.map { $0 != known } ?? isAbsent
        }
        let isNew = wasLost.withLock { wasLost in
            defer { wasLost = lost != nil }
            return wasLost != (lost != nil)
        }
        if isNew { changed.send() }
        return lost?.path
    }

    /// Throws `gone` unless all files are in place.
    func check() throws(OutboxError) {
        if let lost { throw .gone(lost) }
    }

    /// For the begin of a transaction: `check`, but only if a file was missing at the last look. A change that is rolled back would make
    /// SQLite begin a backup of the lost store anew.
    func checkIfLost() throws(OutboxError) {
        if wasLost.withLock(\.self) { try check() }
    }

    /// - Parameter path: the value of `lost`. SQLite must still have its file open.
    func fate(of path: String) -> StoreLoss.Fate {
        let deleted: StoreLoss.Fate =
            path != files.first?.path ? .withoutLog : Self.look(at: path).identity == nil ? .deleted : .replaced
        guard let known = files.first(where: { $0.path == path })?.identity else { return deleted }
        // The links lead to open files wherever they are. Opening a file would not do: closing it again would end SQLite's locks on it.
        let links = "/proc/self/fd"
        // `try?`: without the links, a moved file counts as deleted.
        for name in (try? FileManager.default.contentsOfDirectory(atPath: links)) ?? [] {
            let link = "\(links)/\(name)"
            var info = stat()
            guard stat(link, &info) == 0, Identity(info) == known else { continue }
            guard info.st_nlink > 0 else { return deleted }
            // `try?`: then the name is unknown.
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
            return .moved(to: target.flatMap { Self.look(at: $0).identity == known ? $0 : nil })
        }
        return deleted
    }

    private static func look(at path: String) -> (identity: Identity?, isAbsent: Bool) {
        var info = stat()
        guard stat(path, &info) == 0 else { return (nil, errno == ENOENT || errno == ENOTDIR) }
        return (Identity(info), false)
    }
}
