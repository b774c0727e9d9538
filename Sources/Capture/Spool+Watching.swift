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
            // One sweeper: two would pull the same files from under each other.
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
        // Again each time: a folder that was removed and made anew is another one.
        for folder in [folders.root, folders.new, folders.users] + folders.userFolders {
            do throws(Errno) { try watch.add(folders.folder(folder)) } catch {
                guard ![.noSuchFileOrDirectory, .notDirectory].contains(error) else { continue }
                failed.insert(folder)
                guard !unwatched.contains(folder) else { continue }
                log.warning(
                    "A folder cannot be watched, and is looked at once a minute",
                    metadata: ["directory": "\(folder.string)", "error": "\(error)"])
            }
        }
        unwatched = failed
    }

    /// Looks where no event comes: at what is mounted on a watched folder, written from another machine, or in a folder that is not watched.
    private func lookAtACalmPace() async {
        while true {
            let now = clock.now
            // `try?`: cancelled while asleep, that is how this ends.
            guard (try? await clock.sleep(from: now, until: now.addingTimeInterval(Self.calmPace))) != nil else { return }
            if mayHaveChanged { look() }
        }
    }

    /// Whether a look could find something that the last one did not; cheap where nothing has changed.
    var mayHaveChanged: Bool { stamps == nil || fileCounts.stamps != stamps || sightings.isWaiting }

    private func noticed(_ whole: Set<FilePath>) { closed.formUnion(whole) }

    /// Looks again after so many seconds, whatever else happens.
    func look(in seconds: TimeInterval) {
        let now = clock.now
        let again = now.addingTimeInterval(seconds)
        // One timer: each look that fails sets it, and files that are dropped meanwhile look as well.
        guard again < nextLook ?? .distantFuture else { return }
        nextLook = again
        // Unstructured: a single look later, whoever is sweeping now; it holds nothing and ends by itself.
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
