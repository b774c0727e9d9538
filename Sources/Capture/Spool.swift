import Foundation
import Glibc
import Logging
import Outbox
import SyncModel
import Synchronization
import SystemPackage

/// The drop folder: takes whole files out of `new/`, hands them to the intake, and removes them once they are durably stored.
///
/// A file that is not understood moves to `refused/` with a `.reason` beside it and holds up nothing. Nor does one that the system will not let
/// be taken, or that is no plain file: it stays where it is and is told of. What is dropped while no account is signed in is set aside in
/// `unclaimed/` until it is claimed.
package actor Spool {
    let folders: SpoolFolders
    /// Where what is dropped here goes; nil for the only backend.
    package nonisolated let backend: String?
    let route: String
    /// Whether anything is taken; otherwise the folder is left as it is.
    package nonisolated let isEnabled: Bool
    package nonisolated let unclaimed: UnclaimedFiles
    let intake: Intake
    let outbox: Outbox
    let clock: any SyncClock
    let log: Logger
    /// After a crash, what was taken is stored in the order of its ids.
    var ids = MutationIDMint()
    /// Files known to be whole although the kernel would not say so.
    var closed: Set<FilePath> = []
    var sightings = Sightings()
    var times = CaptureTimes()
    /// The account that what appears in `new/` belongs to; nil for none.
    var present: Destination?
    /// Folders in which no event will be told of.
    var unwatched: Set<FilePath> = []
    /// How the folders were before the last look; nil where a change could have gone unseen.
    var stamps: [FilePath: FolderCounts.Stamp]?
    /// What cannot be taken, or was taken and can be neither stored nor put aside.
    private var stuck: [FilePath: StuckFile.Cause] = [:]
    private let stuckReport = Mutex<(count: Int, waiting: Int, example: StuckFile?)>((0, 0, nil))
    private let failureReport = Mutex<String?>(nil)
    /// The unfinished files of other accounts, as they are written down.
    var unfinished = Data()
    let fileCounts: FolderCounts
    let wake = Signal()
    /// Told after every look.
    package nonisolated let looked = Signal()
    /// The file of each lane for which this look has found no room: what is of that lane waits behind it.
    var withoutRoom: [LanePlace: FilePath] = [:]
    /// What this look leaves in taken/ for want of room, and bytes of it.
    var unstored: (paths: Set<FilePath>, bytes: Int) = ([], 0)
    /// When the timer that is set will go off.
    var nextLook: Date?
    /// Whether the last look has failed somewhere, and the pause after the next failure, in seconds.
    private var hasFailed = false
    /// What stopped it, where the journal has been told.
    private var lastFailure: String?
    private var pauseAfterFailure = Spool.pausesAfterFailure.lowerBound

    /// How many files share one transaction.
    static let batch = 64
    /// How many bytes a batch has before it is closed: memory holds a batch at a time.
    static let batchBytes: Int64 = 16 << 20
    /// Bytes that may wait for room in taken/ while more is taken.
    static let mostUnstored = 64 << 20
    /// How long a file must not have changed to count as whole where neither the kernel nor an event says so, in seconds.
    static let settledAge: TimeInterval = 5
    /// When to ask whether anything has changed without an event, in seconds.
    static let calmPace: TimeInterval = 60
    /// When to look again after something has failed, in seconds: soon, for it may have been a moment's weather, and twice as late each time.
    static let pausesAfterFailure = 1.0...30

    /// - Parameter route: the route by which what is dropped here is sent.
    package init(
        directory: String, backend: String?, route: String, isEnabled: Bool = true, unclaimed: UnclaimedFiles = .ask, intake: Intake,
        outbox: Outbox, clock: any SyncClock, log: Logger
    ) throws {
        try self.init(
            folders: SpoolFolders(root: directory), backend: backend, route: route, isEnabled: isEnabled, unclaimed: unclaimed,
            intake: intake, outbox: outbox, clock: clock, log: log)
    }

    init(
        folders: SpoolFolders, backend: String?, route: String, isEnabled: Bool = true, unclaimed: UnclaimedFiles = .ask, intake: Intake,
        outbox: Outbox, clock: any SyncClock, log: Logger
    ) throws {
        self.isEnabled = isEnabled
        self.unclaimed = unclaimed
        self.folders = folders
        fileCounts = FolderCounts(folders)
        self.backend = backend
        self.route = route
        self.intake = intake
        self.outbox = outbox
        self.clock = clock
        self.log = log
        if isEnabled { try folders.make(isStart: true) }
        present = folders.present
        unfinished = folders.unfinished
        sightings = Sightings(written: unfinished, at: clock.now)
    }

    package nonisolated var directory: String { folders.root.string }

    /// The folders that a drop folder consists of.
    package static func rooms(of directory: String) -> [String] { SpoolFolders(root: directory).rooms.map(\.string) }

    /// Files that wait in `new/`, and those in `refused/`.
    package nonisolated func counts() -> (waiting: Int, refused: Int) { fileCounts.now }

    /// The same with those in `unclaimed/`, all counted at once.
    package nonisolated var files: (waiting: Int, refused: Int, unclaimed: Int) { fileCounts.all }

    /// What the last look could not take, how many files of it are also counted as waiting, and one of it.
    package nonisolated var stuckFiles: (count: Int, waiting: Int, example: StuckFile?) { stuckReport.withLock(\.self) }

    /// Why the last look was cut short, so that files may wait untried; nil where it was not, or where it was for want of room in the outbox.
    package nonisolated var failure: String? { failureReport.withLock(\.self) }

    /// Look again: somebody has signed in.
    package nonisolated func look() { wake.send() }

    /// Takes everything that can be taken, in the order in which it was captured.
    package func sweep() async {
        hasFailed = false
        withoutRoom = [:]
        unstored = ([], 0)
        do {
            try folders.make()
            stamps = fileCounts.stamps
            if unclaimed == .next, unclaimedFiles > 0, let account = try await signedIn() {
                _ = try await claim(for: account, by: "spool.unclaimed: next")
            }
            let taken = inOrder(try folders.leftovers())
            var leftovers = taken[...]
            keepOrder(behind: leftovers.compactMap { TakenName($0.name)?.id })
            while !leftovers.isEmpty, !Task.isCancelled { try await store(leftovers: batch(from: &leftovers)) }
            try settle(try await signedIn())
            var candidates = survey()
            times.keep(taken + candidates)
            candidates = inOrder(candidates)[...]
            closed.formIntersection(candidates.map(\.path))
            sightings.keep(candidates)
            try keepUnfinished(besides: present)
            keepOrder(behind: candidates.compactMap(\.bound?.id))
            while !candidates.isEmpty, !isCrowded, !Task.isCancelled { try await store(try await take(from: &candidates)) }
            lastFailure = nil
            failureReport.withLock { $0 = nil }
        } catch {
            // What was taken stays in taken/ and is stored by the next look: soon, for a full disk tells nobody when it has room again.
            tell(error)
            hasFailed = true
        }
        reportStuck()
        if hasFailed { lookAfterFailure() } else { pauseAfterFailure = Self.pausesAfterFailure.lowerBound }
        looked.send()
    }

    /// What is taken from now on goes behind what was taken before, whatever has become of the clock since.
    private func keepOrder(behind earlier: [MutationID]) { if let last = earlier.max() { ids.goOn(behind: last) } }

    /// Whether so much waits for room in taken/ that no more is taken: each look reads it, and it may have been copied to a disk that has none.
    private var isCrowded: Bool { unstored.paths.count >= Self.batch || unstored.bytes >= Self.mostUnstored }

    /// What can be taken, after a note of what cannot.
    private func survey() -> ArraySlice<SpoolFolders.Candidate> {
        let (candidates, unfit) = folders.survey()
        stuck = stuck.filter { $0.value.isFailure || unfit[$0.key] != nil }
        for (path, cause) in unfit { note(path, cause) }
        return candidates[...]
    }

    /// Tells the journal once what stopped a look.
    func tell(_ error: any Error) {
        let text = if case IntakeError.outbox(let cause) = error { "\(cause)" } else { "\(error)" }
        defer { lastFailure = text }
        let isWantOfRoom =
            switch error {
            case IntakeError.outbox(.full), IntakeError.outbox(.overLimit), OutboxError.full, OutboxError.overLimit: true
            default: false
            }
        failureReport.withLock { $0 = isWantOfRoom ? nil : text }
        guard lastFailure != text else { return }
        log.error("The drop folder cannot be emptied", metadata: ["directory": "\(folders.root.string)", "error": "\(text)"])
    }

    /// Tells the log once.
    func note(_ path: FilePath, _ cause: StuckFile.Cause) {
        // Whoever dropped it may have removed it meanwhile.
        guard folders.exists(path), stuck.updateValue(cause, forKey: path) != cause else { return }
        let file = StuckFile(path, cause, users: folders.users)
        log.warning("A file cannot be taken", metadata: ["file": "\(file.path)", "reason": "\(file.reason)"])
    }

    private func lookAfterFailure() {
        look(in: pauseAfterFailure)
        pauseAfterFailure = min(2 * pauseAfterFailure, Self.pausesAfterFailure.upperBound)
    }

    private func reportStuck() {
        stuck = stuck.filter { folders.exists($0.key) && (!$0.value.isForWantOfRoom || unstored.paths.contains($0.key)) }
        // Failures first, and what waits behind one after it: what is not of the kind that is taken may have been put there on purpose.
        let files = stuck.map { (rank: $0.value.rank, file: StuckFile($0.key, $0.value, users: folders.users)) }
        let example = files.min { ($0.rank, $0.file.path) < ($1.rank, $1.file.path) }?.file
        let waiting = stuck.values.count(where: \.isFailure)
        stuckReport.withLock { $0 = (files.count, waiting, example) }
        // Whoever grants a permission or removes a link tells nobody; whoever signs in does.
        let isTold = stuck.values.allSatisfy { if case .otherAccount = $0 { true } else { false } }
        if !isTold { hasFailed = true }
    }
}
