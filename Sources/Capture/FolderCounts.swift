import Files
import Foundation
import Glibc
import SyncModel
import Synchronization
import SystemPackage

/// Cheap counts of files in the drop folder.
final class FolderCounts: Sendable {
    private struct Count {
        var stamp: Stamp
        /// True if a later change must have a different time.
        var isSettled: Bool
        var files: Int
        var folders: [FilePath]
        /// Of refused files the first `DroppedFiles.mostNames`, and of unclaimed ones the first.
        var names: [String] = []
        /// Where those were dropped, by name.
        var places: [String: String] = [:]
    }
    struct Stamp: Equatable {
        var device: dev_t
        var inode: ino_t
        var changedAt: FileTime

        init(_ status: stat) { (device, inode, changedAt) = (status.st_dev, status.st_ino, FileTime(status.st_ctim)) }

        var text: String { "\(device)-\(inode)-\(changedAt.seconds)-\(changedAt.nanoseconds)" }
    }
    private let folders: SpoolFolders
    private let known = Mutex<[FilePath: Count]>([:])
    private let coarseness: @Sendable (FileTime) -> TimeInterval

    /// `coarseness` judges the resolution in seconds of a file system's times from one of them.
    init(_ folders: SpoolFolders, coarseness: @escaping @Sendable (FileTime) -> TimeInterval = FolderCounts.coarseness) {
        self.folders = folders
        self.coarseness = coarseness
    }

    /// Whole seconds suggest an old file system with a 2 s resolution; others use kernel ticks of at most 10 ms.
    static func coarseness(of time: FileTime) -> TimeInterval { time.nanoseconds == 0 ? 2 : 0.1 }

    var now: (waiting: Int, refused: Int) {
        let all = all
        return (all.waiting, all.refused)
    }

    var all: DroppedFiles {
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
            return DroppedFiles(
                waiting: waiting.map(\.files).reduce(0, +), refused: refused.files, unclaimed: unclaimed.files, refusedNames: refused.names,
                refusedPlaces: refused.places, firstUnclaimed: unclaimed.names.first.map { TakenName($0)?.place ?? $0.legible })
        }
    }

    /// Nil while a later change could have the same time.
    var stamps: [FilePath: Stamp]? {
        _ = now
        return known.withLock { known in
            let waiting = known.filter { ![folders.refused, folders.taken, folders.unclaimed].contains($0.key) }
            return waiting.values.allSatisfy(\.isSettled) ? waiting.mapValues(\.stamp) : nil
        }
    }

    /// Lists a folder only if its change time differs: listing 100,000 names takes 40 ms.
    private func recount(_ directory: FilePath, folder: FilePath?, known: Count?) -> Count {
        var clock = timespec()
        clock_gettime(CLOCK_REALTIME, &clock)
        // `try?`, three times: the survey reports an unreadable folder.
        let opened = try? folders.folder(directory)
        let stamp = Stamp(opened?.status ?? stat())
        if let known, known.isSettled, known.stamp == stamp { return known }
        var count = Count(
            stamp: stamp, isSettled: FileTime(clock).since(stamp.changedAt) > coarseness(stamp.changedAt), files: 0, folders: [])
        guard let opened else { return count }
        if directory == folders.refused {
            let refused = (try? folders.refusedNames(in: opened)) ?? []
            (count.files, count.names) = (refused.count, Array(refused.prefix(DroppedFiles.mostNames)))
            for name in count.names { count.places[name] = ReasonFile.place(of: name, in: opened) }
        } else {
            try? folders.list(opened) { name, kind in
                guard folders.isMeant(name, in: folder) else { return }
                if kind == .file { count.files += 1 }
                if kind == .file, directory == folders.unclaimed {
                    // The names begin with ids, so this is the one that was set aside first.
                    let name = String(cString: name)
                    count.names = [min(count.names.first ?? name, name)]
                }
                if kind == .folder { count.folders.append(FilePath(platformString: name)) }
            }
        }
        return count
    }
}
