import Files
import Foundation
import Glibc
import Logging
import Outbox
import SyncModel
import SystemPackage

extension Spool {
    /// Watches until cancelled.
    package func run() async {
        let watch = FolderWatch(folders.calls)
        let looks = wake.listen()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await whole in watch.changes {
                    await self.noticed(whole)
                    self.look()
                }
            }
            // Two sweeps would take the same files.
            group.addTask {
                for await _ in looks {
                    await self.add(to: watch)
                    await self.sweep()
                }
            }
            group.addTask { await self.lookAtACalmPace() }
            look()
            await group.waitForAll()
        }
    }

    private func add(to watch: FolderWatch) {
        var failed: Set<FilePath> = []
        // Again each time: a recreated folder needs a new watch.
        for folder in [folders.root, folders.new, folders.users] + folders.userFolders {
            do throws(FileError) { try watch.add(folders.folder(folder)) } catch {
                guard ![.noSuchFileOrDirectory, .notDirectory].contains(error.code) else { continue }
                failed.insert(folder)
                guard !unwatched.contains(folder) else { continue }
                log.warning(
                    "Cannot watch a folder; checking it once a minute instead",
                    metadata: ["directory": "\(folder.string)", "error": "\(error.code)"])
            }
        }
        unwatched = failed
    }

    /// Finds changes without an event: mounts, writes from another machine, unwatched folders.
    private func lookAtACalmPace() async {
        while true {
            let now = clock.now
            // `try?`: only cancellation throws, and it ends the loop.
            guard (try? await clock.sleep(from: now, until: now.addingTimeInterval(Self.calmPace))) != nil else { return }
            if mayHaveChanged { look() }
        }
    }

    /// Cheap if nothing changed.
    var mayHaveChanged: Bool { stamps == nil || fileCounts.stamps != stamps || sightings.isWaiting }

    private func noticed(_ whole: Set<FilePath>) { closed.formUnion(whole) }

    func look(in seconds: TimeInterval) {
        let now = clock.now
        let again = now.addingTimeInterval(seconds)
        // One timer is enough: a failed sweep sets it again.
        guard again < nextLook ?? .distantFuture else { return }
        nextLook = again
        // Unstructured: requests one sweep, holds no strong reference, and then ends.
        Task { [weak self, clock] in
            try await clock.sleep(from: now, until: again)
            await self?.look(dueAt: again)
        }
    }

    func look(dueAt time: Date) {
        if nextLook == time { nextLook = nil }
        look()
    }
}
