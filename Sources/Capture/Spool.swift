import Foundation
import Glibc
import Logging
import Outbox
import SyncModel
import Synchronization

/// The drop folder: takes whole files out of `new/`, hands them to the intake, and removes them once they are durably stored.
///
/// A file that is not understood moves to `refused/` with a `.reason` beside it and holds up nothing. Nor does one that the system will not let
/// be taken, or that is no plain file: it stays where it is and is told of. While nobody is signed in, files stay where they are.
package actor Spool {
    private let folders: SpoolFolders
    private let backend: String?
    private let route: String
    private let intake: Intake
    private let outbox: Outbox
    private let clock: any SyncClock
    private let log: Logger
    /// After a crash, what was taken is stored in the order of its ids.
    private var ids = MutationIDMint()
    /// Files known to be whole although the kernel would not say so.
    private var closed: Set<FilePath> = []
    private var sightings = Sightings()
    /// Folders in which no event will be told of.
    private var unwatched: Set<FilePath> = []
    /// How the folders were before the last look; nil where a change could have gone unseen.
    private var stamps: [FilePath: FolderCounts.Stamp]?
    /// What cannot be taken, or was taken and can be neither stored nor put aside.
    private var stuck: [FilePath: StuckFile.Cause] = [:]
    private let stuckReport = Mutex<(count: Int, example: StuckFile?)>((0, nil))
    private let fileCounts: FolderCounts
    private let wake = Signal()
    /// When the timer that is set will go off.
    private var nextLook: Date?

    /// How many files share one transaction.
    private static let batch = 64
    /// How many bytes a batch has before it is closed: memory holds a batch at a time.
    private static let batchBytes: Int64 = 16 << 20
    /// How long a file must not have changed to count as whole where neither the kernel nor an event says so, in seconds.
    private static let settledAge: TimeInterval = 5
    /// When to ask whether anything has changed without an event, in seconds.
    private static let calmPace: TimeInterval = 60
    /// When to look again after something has failed, in seconds.
    private static let pauseAfterFailure: TimeInterval = 30

    /// - Parameter route: the route by which what is dropped here is sent.
    package init(
        directory: String, backend: String?, route: String, intake: Intake, outbox: Outbox, clock: any SyncClock, log: Logger
    ) throws {
        try self.init(
            folders: SpoolFolders(root: directory), backend: backend, route: route, intake: intake, outbox: outbox, clock: clock, log: log)
    }

    init(
        folders: SpoolFolders, backend: String?, route: String, intake: Intake, outbox: Outbox, clock: any SyncClock, log: Logger
    ) throws {
        self.folders = folders
        fileCounts = FolderCounts(folders)
        self.backend = backend
        self.route = route
        self.intake = intake
        self.outbox = outbox
        self.clock = clock
        self.log = log
        try folders.make()
    }

    package nonisolated var directory: String { folders.root.text }

    /// Files that wait in `new/`, and those in `refused/`.
    package nonisolated func counts() -> (waiting: Int, refused: Int) { fileCounts.now }

    /// What the last look could not take, and one of it; what is in `new/` is also counted as waiting where it is a file.
    package nonisolated var stuckFiles: (count: Int, example: StuckFile?) { stuckReport.withLock(\.self) }

    /// Look again: somebody has signed in.
    package nonisolated func look() { wake.send() }

    /// Watches until cancelled.
    package func run() async throws {
        let watch = try FolderWatch(folders.calls)
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
            do { try watch.add(folder) } catch {
                guard error.code != ENOENT else { continue }
                failed.insert(folder)
                guard !unwatched.contains(folder) else { continue }
                log.warning(
                    "A folder cannot be watched, and is looked at once a minute",
                    metadata: ["directory": "\(folder.text)", "error": "\(error)"])
            }
        }
        unwatched = failed
    }

    /// Looks where no event comes: at what is mounted on a watched folder, written from another machine, or in a folder that is not watched.
    private func lookAtACalmPace() async {
        // `try?`: cancelled while asleep, that is how this ends.
        while (try? await clock.sleep(until: clock.now.addingTimeInterval(Self.calmPace))) != nil {
            if mayHaveChanged { look() }
        }
    }

    /// Whether a look could find something that the last one did not; cheap where nothing has changed.
    var mayHaveChanged: Bool { stamps == nil || fileCounts.stamps != stamps || sightings.isWaiting }

    private func noticed(_ whole: Set<FilePath>) { closed.formUnion(whole) }

    /// Takes everything that can be taken, in the order in which it was written.
    package func sweep() async {
        do {
            try folders.make()
            stamps = fileCounts.stamps
            var leftovers = try folders.leftovers()[...]
            while !leftovers.isEmpty, !Task.isCancelled { try await store(leftovers: batch(from: &leftovers)) }
            var candidates = survey()
            closed.formIntersection(candidates.map(\.path))
            sightings.keep(candidates)
            while !candidates.isEmpty, !Task.isCancelled { try await store(try await take(from: &candidates)) }
        } catch {
            // What was taken stays in taken/ and is stored by the next look: soon, for a full disk tells nobody when it has room again.
            log.error("The drop folder cannot be emptied", metadata: ["directory": "\(folders.root.text)", "error": "\(error)"])
            look(in: Self.pauseAfterFailure)
        }
        reportStuck()
    }

    /// What can be taken, after a note of what cannot.
    private func survey() -> ArraySlice<SpoolFolders.Candidate> {
        let (candidates, unfit) = folders.survey()
        stuck = stuck.filter { $0.value.isFailure || unfit[$0.key] != nil }
        for (path, cause) in unfit { note(path, cause) }
        return candidates[...]
    }

    /// Tells the log once.
    private func note(_ path: FilePath, _ cause: StuckFile.Cause) {
        // Whoever dropped it may have removed it meanwhile.
        guard folders.exists(path), stuck.updateValue(cause, forKey: path) != cause else { return }
        let file = StuckFile(path, cause, users: folders.users)
        log.warning("A file cannot be taken", metadata: ["file": "\(file.path)", "reason": "\(file.reason)"])
    }

    private func reportStuck() {
        stuck = stuck.filter { folders.exists($0.key) }
        // Failures first: what is not of the kind that is taken may have been put there on purpose.
        let files = stuck.map { (isFailure: $0.value.isFailure, file: StuckFile($0.key, $0.value, users: folders.users)) }
        let example = files.min { ($0.isFailure ? 0 : 1, $0.file.path) < ($1.isFailure ? 0 : 1, $1.file.path) }?.file
        stuckReport.withLock { $0 = (files.count, example) }
        // Whoever grants a permission or removes a link tells nobody; whoever signs in does.
        let isTold = stuck.values.allSatisfy { if case .otherAccount = $0 { true } else { false } }
        if !isTold { look(in: Self.pauseAfterFailure) }
    }

    private typealias Taken = (name: TakenName, path: FilePath)

    /// Moves a batch of whole files to `taken/`, under names that bind them to an id and to whoever is signed in, durably; takes what it has
    /// dealt with off `candidates`.
    private func take(from candidates: inout ArraySlice<SpoolFolders.Candidate>) async throws -> [Taken] {
        let signedIn: (backend: String, account: Account)
        do { signedIn = try await intake.account(for: Submission(backend: backend, route: route)) } catch {
            if case .signInRequired = error {
                candidates = []
                return []
            }
            throw error
        }
        var taken: [Taken] = []
        var touched: Set<FilePath> = [folders.taken]
        var generator = SystemRandomNumberGenerator()
        var bytes: Int64 = 0
        while taken.count < Self.batch, bytes < Self.batchBytes, let candidate = candidates.popFirst() {
            let present = Destination(backend: signedIn.backend, account: signedIn.account.id)
            guard isWhole(candidate, whileSignedIn: present) else { continue }
            if let folder = candidate.folder, folder.utf8 == nil {
                try await refuse(candidate.path, as: candidate.name, "The name of its folder is not UTF-8; a user’s number was expected.")
                continue
            }
            // Somebody else may have signed in since it was begun.
            let owner = sightings.owner(of: candidate) ?? present
            let name =
                candidate.bound
                ?? TakenName(
                    id: ids.next(at: clock.now, using: &generator), backend: owner.backend, account: owner.account,
                    folder: candidate.folder?.text, original: candidate.name)
            if let bound = candidate.bound, (bound.backend, bound.account) != (present.backend, present.account) {
                try await noteWaiting(candidate.path, for: Destination(backend: bound.backend, account: bound.account))
                continue
            }
            guard name.text.utf8.count <= SpoolFolders.longestName else {
                try await refuse(candidate.path, as: candidate.name, "The name of its folder is too long to be a user’s number.")
                continue
            }
            do { taken.append((name, try folders.take(candidate, as: name))) } catch {
                // The others do not wait for it. It may have been bound already; only one of the two is there.
                for path in [candidate.path, folders.binding(candidate, to: name)] { note(path, .system(error)) }
                continue
            }
            closed.remove(candidate.path)
            sightings.forget(candidate.path)
            touched.insert(candidate.directory)
            bytes += candidate.size
        }
        // The id must outlive a power cut before the entry does: otherwise the file would be taken again under another one.
        if !taken.isEmpty { try folders.sync(touched) }
        return taken
    }

    /// What was bound for somebody else waits for that person.
    private func noteWaiting(_ path: FilePath, for owner: Destination) async throws(OutboxError) {
        let label = try await outbox.accountLabels()[owner] ?? "account \(owner.account)"
        note(path, .otherAccount("\(label) at \(owner.backend)"))
    }

    /// Whether nobody writes to it any more; if somebody does, it is noted whose it is.
    private func isWhole(_ candidate: SpoolFolders.Candidate, whileSignedIn present: Destination) -> Bool {
        let known = folders.isWhole(candidate.path)
        if known ?? closed.contains(candidate.path) { return true }
        let unchanged = sightings.note(candidate, owner: present, at: clock.now)
        guard known == nil else { return false }
        if unchanged >= Self.settledAge { return true }
        look(in: Self.settledAge)
        return false
    }

    /// Looks again after so many seconds, whatever else happens.
    private func look(in seconds: TimeInterval) {
        let again = clock.now.addingTimeInterval(seconds)
        // One timer: each look that fails sets it, and files that are dropped meanwhile look as well.
        guard again < nextLook ?? .distantFuture else { return }
        nextLook = again
        // Unstructured: a single look later, whoever is sweeping now; it holds nothing and ends by itself.
        Task { [weak self, clock] in
            try await clock.sleep(until: again)
            await self?.look(dueAt: again)
        }
    }

    private func look(dueAt time: Date) {
        if nextLook == time { nextLook = nil }
        look()
    }

    /// As many files as share one transaction.
    private func batch(from files: inout ArraySlice<SpoolFolders.Candidate>) -> [SpoolFolders.Candidate] {
        var batch: [SpoolFolders.Candidate] = []
        var bytes: Int64 = 0
        while batch.count < Self.batch, bytes < Self.batchBytes, let file = files.popFirst() {
            batch.append(file)
            bytes += file.size
        }
        return batch
    }

    private func store(leftovers: [SpoolFolders.Candidate]) async throws {
        var taken: [Taken] = []
        for file in leftovers {
            if let name = TakenName(file.name) {
                taken.append((name, file.path))
            } else {
                try await refuse(file.path, as: file.name, "The file lay in taken/, which is the daemon’s own. Drop files into new/.")
            }
        }
        try await store(taken)
    }

    /// Stores what was taken, in order, for the backend and the account that it was taken for; then removes the files.
    private func store(_ taken: [Taken]) async throws {
        let groups = Dictionary(grouping: taken) { Destination(backend: $0.name.backend, account: $0.name.account) }
        for (destination, files) in groups.sorted(by: { $0.key < $1.key }) {
            var account = Account(id: destination.account, label: "")
            do {
                let signedIn = try await intake.account(for: Submission(backend: destination.backend, route: route)).account
                if signedIn.id == account.id { account = signedIn }
            } catch IntakeError.unknownBackend {
                for file in files { note(file.path, .noBackend(destination.backend)) }
                continue
            } catch {
                // Nobody is signed in: without a name the entry is stored all the same.
            }
            try await store(files, for: account)
        }
    }

    private func store(_ files: [Taken], for account: Account) async throws {
        var submissions: [Submission] = []
        var sources: [Taken] = []
        for file in files {
            do {
                submissions.append(try submission(file))
                sources.append(file)
            } catch let error as CaptureFile.NotUnderstood {
                try await refuse(file.path, as: file.name.original, error.reason)
            } catch let error as SpoolFolders.Errno {
                note(file.path, .system(error))
            }
        }
        let outcomes = try await intake.accept(submissions, for: account)
        for (file, outcome) in zip(sources, outcomes) {
            switch outcome {
            case .success:
                do { try folders.calls.unlink(file.path) } catch { note(file.path, .system(error)) }
            case .failure(.notUnderstood(let reason)): try await refuse(file.path, as: file.name.original, reason)
            case .failure(.tooLarge(let size, _)): try await refuse(file.path, as: file.name.original, Self.tooLarge(size))
            case .failure(.outbox(.idConflict)):
                try await refuse(
                    file.path, as: file.name.original,
                    "It was stored before with other content. Look for it at the backend before you drop it into new/ again.")
            case .failure(let error): throw error
            }
        }
    }

    private func submission(_ file: Taken) throws -> Submission {
        let content: Data
        do { content = try folders.content(of: file.path, atMost: Intake.largestDocument) } catch {
            switch error {
            case .tooLarge(let size): throw CaptureFile.NotUnderstood(Self.tooLarge(size))
            case .notRegular: throw CaptureFile.NotUnderstood("It is not a plain file.")
            case .system(let error) where [EACCES, EPERM].contains(error.code):
                throw CaptureFile.NotUnderstood("The file cannot be read: \(error). Check who owns it and who may read it.")
            // The next look may have better luck.
            case .system(let error): throw error
            }
        }
        let capture = try CaptureFile(name: file.name.original, folder: file.name.folder, content: content)
        return Submission(
            backend: file.name.backend, route: route, id: file.name.id, fields: ["user_id": capture.user], payload: capture.document)
    }

    private static func tooLarge(_ size: Int) -> String {
        "The file has \(size) bytes; at most \(Intake.largestDocument) (\(Intake.largestDocument >> 20) MiB) can be sent."
    }

    private func refuse(_ path: FilePath, as name: String, _ reason: String) async throws(OutboxError) {
        let place: String
        do { place = try folders.refuse(path, as: name, because: reason) } catch { return note(path, .system(error)) }
        log.warning("A file was put aside", metadata: ["file": "\(place)", "reason": "\(reason)"])
        try await outbox.record([SyncEvent(at: clock.now, .fileRefused, detail: ["file": place, "reason": reason])])
    }
}
