import Foundation
import Logging
import Outbox
import SyncModel

#if canImport(Glibc)
    import Glibc
#endif

/// The drop folder: takes whole files out of `new/`, hands them to the intake, and removes them once they are durably stored.
///
/// A file that is not understood moves to `refused/` with a `.reason` beside it and holds up nothing. While nobody is signed in, files stay
/// where they are.
package actor Spool {
    private let folders: SpoolFolders
    private let backend: String?
    private let route: String
    private let intake: Intake
    private let outbox: Outbox
    private let clock: any SyncClock
    private let log: Logger
    /// Files known to be whole although the kernel would not say so.
    private var closed: Set<String> = []
    private let wake = Signal()

    /// How many files share one transaction.
    private static let batch = 64
    /// How many bytes a batch has before it is closed: memory holds a batch at a time.
    private static let batchBytes: Int64 = 16 << 20
    /// How old a file must be to count as whole where neither the kernel nor an event says so, in seconds.
    private static let settledAge: TimeInterval = 5
    /// When to look again after the disk or the store has failed, in seconds.
    private static let pauseAfterFailure: TimeInterval = 30

    /// - Parameter route: the route by which what is dropped here is sent.
    package init(
        directory: String, backend: String?, route: String, intake: Intake, outbox: Outbox, clock: any SyncClock, log: Logger
    ) throws {
        folders = SpoolFolders(root: directory)
        self.backend = backend
        self.route = route
        self.intake = intake
        self.outbox = outbox
        self.clock = clock
        self.log = log
        try folders.make()
    }

    package nonisolated var directory: String { folders.root }

    /// Files that wait in `new/`, and those in `refused/`.
    package nonisolated func counts() -> (waiting: Int, refused: Int) { (folders.candidates().count, folders.refusedCount()) }

    /// Look again: somebody has signed in.
    package nonisolated func look() { wake.send() }

    /// Watches until cancelled.
    package func run() async throws {
        let watch = try FolderWatch()
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
                    // Again each time: a folder that was removed and made anew is another one.
                    for folder in [self.folders.root, self.folders.new, self.folders.users] + self.folders.userFolders { watch.add(folder) }
                    await self.sweep()
                }
            }
            look()
            await group.waitForAll()
        }
    }

    private func noticed(_ whole: Set<String>) { closed.formUnion(whole) }

    /// Takes everything that can be taken, in the order in which it was written.
    package func sweep() async {
        do {
            try folders.make()
            try await store(leftovers: folders.leftovers())
            var candidates = folders.candidates()[...]
            closed.formIntersection(candidates.map(\.path))
            while !candidates.isEmpty, !Task.isCancelled { try await store(try await take(from: &candidates)) }
        } catch {
            // What was taken stays in taken/ and is stored by the next look: soon, for a full disk tells nobody when it has room again.
            log.error("The drop folder cannot be emptied", metadata: ["directory": "\(folders.root)", "error": "\(error)"])
            look(in: Self.pauseAfterFailure)
        }
    }

    private typealias Taken = (name: TakenName, path: String)

    /// Moves a batch of whole files to `taken/`, under names that bind them to an id and to whoever is signed in, durably; takes what it has
    /// dealt with off `candidates`.
    private func take(from candidates: inout ArraySlice<SpoolFolders.Candidate>) async throws -> [Taken] {
        let probe = Submission(backend: backend, route: route)
        let account: Account
        do { account = try await intake.account(for: probe) } catch {
            if case .signInRequired = error {
                candidates = []
                return []
            }
            throw error
        }
        var taken: [Taken] = []
        var touched: Set<String> = [folders.taken]
        var generator = SystemRandomNumberGenerator()
        var bytes: Int64 = 0
        while taken.count < Self.batch, bytes < Self.batchBytes, let candidate = candidates.popFirst() {
            guard isWhole(candidate) else { continue }
            let name = TakenName(
                id: MutationID(at: clock.now, using: &generator), account: account.id, folder: candidate.folder, original: candidate.name)
            guard name.text.utf8.count <= NAME_MAX else {
                try await refuse(candidate.path, as: candidate.name, "The name of its folder is too long to be a user’s number.")
                continue
            }
            let target = folders.taken + "/" + name.text
            do { try folders.move(candidate.path, to: target) } catch {
                // Whoever dropped it has removed it meanwhile, or its folder is not ours to take from: the others do not wait for it.
                log.warning("A file cannot be taken", metadata: ["file": "\(candidate.path)", "error": "\(error)"])
                continue
            }
            closed.remove(candidate.path)
            touched.insert(candidate.folder.map { folders.users + "/" + $0 } ?? folders.new)
            taken.append((name, target))
            bytes += candidate.size
        }
        // The id must outlive a power cut before the entry does: otherwise the file would be taken again under another one.
        if !taken.isEmpty { try folders.sync(touched) }
        return taken
    }

    private func isWhole(_ candidate: SpoolFolders.Candidate) -> Bool {
        if let known = folders.isWhole(candidate.path) { return known }
        if closed.contains(candidate.path) { return true }
        let age = clock.now.timeIntervalSince1970 - TimeInterval(candidate.modifiedAt) / 1_000_000_000
        if age >= Self.settledAge { return true }
        look(in: Self.settledAge)
        return false
    }

    /// Looks again after so many seconds, whatever else happens.
    private func look(in seconds: TimeInterval) {
        let again = clock.now.addingTimeInterval(seconds)
        // Unstructured: a single look later, whoever is sweeping now; it holds nothing and ends by itself.
        Task { [clock, wake] in
            try await clock.sleep(until: again)
            wake.send()
        }
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
        if !taken.isEmpty { try await store(taken) }
    }

    /// Stores what was taken, in order, for the account that it was taken for; then removes the files.
    private func store(_ taken: [Taken]) async throws {
        for (account, files) in Dictionary(grouping: taken, by: \.name.account).sorted(by: { $0.key < $1.key }) {
            var submissions: [Submission] = []
            var sources: [Taken] = []
            for file in files {
                do {
                    submissions.append(try submission(file))
                    sources.append(file)
                } catch let error as CaptureFile.NotUnderstood {
                    try await refuse(file.path, as: file.name.original, error.reason)
                }
            }
            let label = (try? await intake.account(for: Submission(backend: backend, route: route)))
                .flatMap { $0.id == account ? $0.label : nil }  // `try?`: without a name the entry is stored all the same
            let outcomes = try await intake.accept(submissions, for: Account(id: account, label: label ?? ""))
            for (file, outcome) in zip(sources, outcomes) {
                switch outcome {
                case .success: unlink(file.path)
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
    }

    private func submission(_ file: Taken) throws -> Submission {
        let content: Data
        do { content = try folders.content(of: file.path, atMost: Intake.largestDocument) } catch {
            switch error {
            case .tooLarge(let size): throw CaptureFile.NotUnderstood(Self.tooLarge(size))
            case .notRegular: throw CaptureFile.NotUnderstood("It is not a plain file.")
            case .system(let error):
                throw CaptureFile.NotUnderstood("The file cannot be read: \(error). Check who owns it and who may read it.")
            }
        }
        let capture = try CaptureFile(name: file.name.original, folder: file.name.folder, content: content)
        return Submission(
            backend: backend, route: route, id: file.name.id, fields: ["user_id": capture.user], payload: capture.document)
    }

    private static func tooLarge(_ size: Int) -> String {
        "The file has \(size) bytes; at most \(Intake.largestDocument) (\(Intake.largestDocument >> 20) MiB) can be sent."
    }

    private func refuse(_ path: String, as name: String, _ reason: String) async throws {
        let place = try folders.refuse(path, as: name, because: reason)
        log.warning("A file was put aside", metadata: ["file": "\(place)", "reason": "\(reason)"])
        try await outbox.record([SyncEvent(at: clock.now, .fileRefused, detail: ["file": place, "reason": reason])])
    }
}
