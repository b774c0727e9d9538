import Files
import Foundation
import Glibc
import Logging
import Outbox
import SyncModel
import Synchronization
import SystemPackage

/// The drop folder: stores complete files from `new/`, then removes them. Invalid files move to `refused/` with a `.reason` file, and files
/// dropped while signed out to `unclaimed/`. Files that cannot be taken stay and are reported.
package actor Spool {
    package nonisolated let settings: SpoolSettings
    let folders: SpoolFolders
    let intake: Intake
    let outbox: Outbox
    let clock: any SyncClock
    let log: Logger
    /// Ascending: after a crash, taken files are stored in id order.
    var ids = MutationIDMint()
    /// Files that inotify reported complete, for when the kernel gives no lease.
    var closed: Set<FilePath> = []
    var sightings = UnfinishedFiles()
    var times = CaptureTimes()
    /// The owner of new files in `new/`; nil while signed out.
    var present: Destination?
    var unwatched: Set<FilePath> = []
    /// Folder stamps before the last sweep; nil if a change could have been missed.
    var stamps: [FilePath: FolderCounts.Stamp]?
    private var faults = SpoolFaults()
    private let report = Mutex(SpoolFaults.Report())
    /// Unfinished files of other accounts, encoded as last saved.
    var unfinished = Data()
    let fileCounts: FolderCounts
    let wake = Signal()
    /// Fires after every sweep.
    package nonisolated let looked = Signal()
    var nextLook: Date?

    /// Files per transaction.
    static let batch = 64
    /// Bytes at which a batch, which is held in memory, is closed.
    static let batchBytes: Int64 = 16 << 20
    /// Seconds after which an unchanged file counts as complete, without word from kernel or inotify.
    static let settledAge: TimeInterval = 5
    /// Interval of checks for changes without an event, in seconds.
    static let calmPace: TimeInterval = 60

    package init(
        _ settings: SpoolSettings, intake: Intake, outbox: Outbox, clock: any SyncClock, log: Logger, calls: Folder.Calls = .init()
    ) throws {
        self.settings = settings
        var folders = SpoolFolders(root: settings.directory)
        folders.calls = calls
        self.folders = folders
        fileCounts = FolderCounts(folders)
        self.intake = intake
        self.outbox = outbox
        self.clock = clock
        self.log = log
        if settings.isEnabled { try folders.make(isStart: true) }
        present = folders.present
        unfinished = folders.unfinished
        sightings = UnfinishedFiles(written: unfinished, at: clock.now)
    }

    package nonisolated var directory: String { folders.root.string }

    package static func rooms(of directory: String) -> [String] { SpoolFolders(root: directory).rooms.map(\.string) }

    package nonisolated func counts() -> (waiting: Int, refused: Int) { fileCounts.now }

    /// In one pass.
    package nonisolated var files: DroppedFiles { fileCounts.all }

    /// Files that the last sweep could not take, or all files if a large one has no room. `files` counts `waiting` of them as waiting too.
    package nonisolated var stuckFiles: (count: Int, waiting: Int, example: StuckFile?) { report.withLock { $0.stuck } }

    /// Why the last sweep stopped early, other than for lack of room in the outbox.
    package nonisolated var failure: String? { report.withLock { $0.failure } }

    package nonisolated func look() { wake.send() }

    /// Takes complete files in capture order. Stops at the first without room, and retries after a pause.
    package func sweep() async {
        faults.beginSweep()
        var hasStopped = false
        do {
            try requireStore()
            try folders.make()
            stamps = fileCounts.stamps
            if settings.unclaimed == .next, unclaimedFiles > 0, let account = try await signedIn()?.owner {
                _ = try await claim(for: account, by: "spool.unclaimed: next")
            }
            let taken = inOrder(try folders.leftovers())
            var leftovers = taken[...]
            keepOrder(behind: leftovers.compactMap { TakenName($0.name)?.id })
            while !leftovers.isEmpty, !Task.isCancelled { try await store(leftovers: batch(from: &leftovers)) }
            try setAsideFiles(before: try await signedIn()?.owner)
            var candidates = survey()
            times.keep(taken + candidates)
            candidates = inOrder(candidates)[...]
            closed.formIntersection(candidates.map(\.path))
            sightings.keep(candidates)
            try keepUnfinished(besides: present)
            keepOrder(behind: candidates.compactMap(\.bound?.id))
            while !candidates.isEmpty, !Task.isCancelled { try await store(try await take(from: &candidates)) }
            faults.succeed()
        } catch {
            // No event reports free disk space, so the next sweep comes soon.
            hasStopped = true
            tell(error)
        }
        let pause = faults.endSweep(
            hasStopped: hasStopped, users: folders.users, waiting: { fileCounts.now.waiting }, exists: folders.exists)
        publish()
        if let pause { look(in: pause) }
        looked.send()
    }

    /// Keeps ids ascending even if the clock was set back.
    private func keepOrder(behind earlier: [MutationID]) { if let last = earlier.max() { ids.goOn(behind: last) } }

    private func survey() -> ArraySlice<SpoolFolders.Candidate> {
        let (candidates, unfit) = folders.survey()
        faults.forgetUnfit(besides: unfit)
        for (path, cause) in unfit { note(path, cause) }
        return candidates[...]
    }

    /// Throws before a file is moved that could not be stored.
    func requireStore() throws(OutboxError) {
        if let path = outbox.place.lost { throw .gone(path) }
    }

    /// Logs each failure once.
    func tell(_ error: any Error) {
        let text = faults.stop(because: error)
        publish()
        guard let text else { return }
        log.error("Failed to process the drop folder", metadata: ["directory": "\(folders.root.string)", "error": "\(text)"])
    }

    /// Logs each cause once.
    func note(_ path: FilePath, _ cause: StuckFile.Cause) {
        guard faults.note(path, cause, exists: folders.exists(path)) else { return }
        let file = StuckFile(path, cause, users: folders.users)
        log.warning("Cannot take a dropped file", metadata: ["file": "\(file.path)", "reason": "\(file.reason)"])
    }

    private func publish() { report.withLock { $0 = faults.report } }
}
