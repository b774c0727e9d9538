import Foundation
import Glibc
import Synchronization
import SystemPackage

/// How many files wait in the drop folder and how many were put aside, for whoever asks often.
final class FolderCounts: Sendable {
    private struct Count {
        var stamp: Stamp
        /// The change is so long ago that no later one can bear the same time.
        var isSettled: Bool
        var files: Int
        var folders: [FilePath]
    }
    /// Which folder it is, and when it changed last.
    struct Stamp: Equatable {
        var device: dev_t
        var inode: ino_t
        /// By the system's clock.
        var changedAt: FileTime
    }
    private let folders: SpoolFolders
    private let known = Mutex<[FilePath: Count]>([:])
    private let coarseness: @Sendable (FileTime) -> TimeInterval

    /// - Parameter coarseness: how far apart a file system's times may be, in seconds, to judge from one of them.
    init(_ folders: SpoolFolders, coarseness: @escaping @Sendable (FileTime) -> TimeInterval = FolderCounts.coarseness) {
        self.folders = folders
        self.coarseness = coarseness
    }

    /// Whole seconds are those of an old file system, of which two may be one; all others go by the kernel's ticks of at most 10 ms.
    static func coarseness(of time: FileTime) -> TimeInterval { time.nanoseconds == 0 ? 2 : 0.1 }

    /// Files that wait in `new/` or were taken and are not stored yet, and those in `refused/` without the reasons beside them.
    var now: (waiting: Int, refused: Int) {
        let all = all
        return (all.waiting, all.refused)
    }

    /// Files in `unclaimed/`.
    var unclaimed: Int { all.unclaimed }

    /// All of them at once.
    var all: (waiting: Int, refused: Int, unclaimed: Int) {
        known.withLock { known in
            var counts: [FilePath: Count] = [:]
            func count(_ directory: FilePath, folder: FilePath? = nil) -> Count {
                let count = recount(directory, folder: folder, known: known[directory])
                counts[directory] = count
                return count
            }
            let users = count(folders.users)
            let waiting = [count(folders.new), count(folders.taken), users] + users.folders.map { count(folders.users / $0, folder: $0) }
            let (refused, unclaimed) = (count(folders.refused), count(folders.unclaimed))
            known = counts
            return (waiting.map(\.files).reduce(0, +), refused.files, unclaimed.files)
        }
    }

    /// When each folder in which files wait has changed; nil while a later change could bear the same time.
    var stamps: [FilePath: Stamp]? {
        _ = now
        return known.withLock { known in
            let waiting = known.filter { ![folders.refused, folders.taken, folders.unclaimed].contains($0.key) }
            return waiting.values.allSatisfy(\.isSettled) ? waiting.mapValues(\.stamp) : nil
        }
    }

    /// Lists a folder only where its time of change says that it has changed: to list 100,000 names takes 40 ms, to ask for the time 1 µs.
    private func recount(_ directory: FilePath, folder: FilePath?, known: Count?) -> Count {
        var clock = timespec()
        clock_gettime(CLOCK_REALTIME, &clock)
        // `try?`, three times: a folder that cannot be opened or listed is told as one that nothing can be taken from.
        let opened = try? folders.folder(directory)
        let status = opened?.status ?? stat()
        let stamp = Stamp(device: status.st_dev, inode: status.st_ino, changedAt: FileTime(status.st_ctim))
        if let known, known.isSettled, known.stamp == stamp { return known }
        var count = Count(
            stamp: stamp, isSettled: FileTime(clock).since(stamp.changedAt) > coarseness(stamp.changedAt), files: 0, folders: [])
        guard let opened else { return count }
        if directory == folders.refused {
            let all = Set(((try? folders.entries(in: opened)) ?? []).map(\.name.string))
            count.files = all.count { all.contains($0 + ".reason") }
        } else {
            try? folders.list(opened) { name, kind in
                guard folders.isMeant(name, in: folder) else { return }
                if kind == .file { count.files += 1 }
                if kind == .folder { count.folders.append(FilePath(platformString: name)) }
            }
        }
        return count
    }
}
