import Files
import Foundation
import Glibc
import Logging
import Outbox
import SyncModel
import SystemPackage

extension Spool {
    /// The next batch for one transaction.
    func batch(from files: inout ArraySlice<SpoolFolders.Candidate>) -> [SpoolFolders.Candidate] {
        var batch: [SpoolFolders.Candidate] = []
        var bytes: Int64 = 0
        while batch.count < Self.batch, bytes < Self.batchBytes, let file = files.popFirst() {
            batch.append(file)
            bytes = bytes.addingClamped(file.size)
        }
        return batch
    }

    func store(leftovers: [SpoolFolders.Candidate]) async throws {
        var taken: [Taken] = []
        for file in leftovers {
            if let name = TakenName(file.name) {
                if let owner = name.owner.flatMap(folders.owner) {
                    taken.append(Taken(name: name, path: file.path, owner: owner))
                } else {
                    setAside(file, name)
                }
            } else {
                try await refuse(
                    file.path, as: file.name, from: nil, "The file was in taken/, which only the daemon uses. Drop files into new/.")
            }
        }
        try await store(taken)
    }

    /// Stores files in order, under the account in their names; then removes them.
    func store(_ taken: [Taken]) async throws {
        let groups = Dictionary(grouping: taken, by: \.owner)
        for (owner, files) in groups.sorted(by: { $0.key < $1.key }) {
            guard intake.isKnown(owner.backend) else {
                for file in files { note(file.path, .noBackend(owner.backend)) }
                continue
            }
            try await store(files, for: owner)
        }
    }

    private func store(_ files: [Taken], for owner: Destination) async throws {
        let label: String? = if let known = files.first?.label { known } else { await intake.label(of: owner) }
        let now = clock.now
        var waiting: [(file: Taken, mutation: Mutation)] = []
        for file in files {
            do {
                waiting.append((file, try intake.mutation(try submission(file), for: owner, at: now)))
            } catch let error as CaptureFile.NotUnderstood {
                try await refuse(file.path, as: file.name.original, from: file.name.place, error.reason)
            } catch IntakeError.notUnderstood(let reason) {
                try await refuse(file.path, as: file.name.original, from: file.name.place, reason)
            } catch IntakeError.tooLarge(let size, _) {
                try await refuse(file.path, as: file.name.original, from: file.name.place, Self.tooLarge(size))
            } catch let error as FileError {
                note(file.path, .system(error.code))
            }
        }
        while !waiting.isEmpty {
            let outcomes = try await answers(to: waiting.map(\.mutation), label, at: now)
            for (item, outcome) in zip(waiting, outcomes) { try await settle(item.file, item.mutation, outcome) }
            waiting.removeFirst(outcomes.count)
        }
    }

    /// Without room for all, tries only the first.
    private func answers(
        to mutations: [Mutation], _ label: String?, at now: Date
    ) async throws(IntakeError) -> [Result<Intake.Accepted, IntakeError>] {
        do { return try await intake.accept(mutations, accountLabel: label, at: now) } catch {
            guard error == .outbox(.full) else { throw error }
            return mutations.count > 1 ? try await answers(to: [mutations[0]], label, at: now) : [.failure(error)]
        }
    }

    /// Throws without room, so that no later file overtakes this one.
    private func settle(_ file: Taken, _ mutation: Mutation, _ outcome: Result<Intake.Accepted, IntakeError>) async throws {
        switch outcome {
        // Discarded or replaced after it was stored: a crash left the file.
        case .success, .failure(.outbox(.discarded)), .failure(.outbox(.replaced)):
            do { try folders.unlink(file.path) } catch { note(file.path, .system(error.code)) }
        case .failure(let error):
            if let reason = reasonToRefuse(error) {
                return try await refuse(file.path, as: file.name.original, from: file.name.place, reason)
            }
            noteLackOfRoom(file.path, size: Int64(mutation.payload?.count ?? 0), error)
            throw error
        }
    }

    /// Nil for an error that is not the file's. Only a folder can be named `@` and an id: the capture app's own file has a number.
    private func reasonToRefuse(_ error: IntakeError) -> String? {
        let names = "ID is the user’s number, or @ and the id of the entry that creates the user"
        let next = "Drop the file into the folder of its user: \(folders.users.string)/ID/, where \(names)."
        switch error {
        case .outbox(.idConflict):
            return "The file was already stored with different content. Look for it at the backend before you drop it into new/ again."
        case .outbox(.tooLarge(let size, let limit)): return Self.overLimit(size, limit)
        case .outbox(.noSuchCreate(let id)):
            let other = "If entry \(id) belongs to another account, drop the file into the same folder while that account is signed in."
            return "The file’s folder names entry \(id), but this account has no entry \(id) that creates a user. \(next) \(other)"
        case .outbox(.createDiscarded(let id)):
            return "The file’s folder names entry \(id), which was to create a user, but that entry was discarded. \(next)"
        case .outbox(.createReplaced(let id, let new)):
            let why = "The file’s folder names entry \(id), which was to create a user, but entry \(new) replaced that entry"
            return "\(why) and creates the user. Drop the file into \(folders.users.string)/@\(new)/."
        default: return nil
        }
    }

    private func noteLackOfRoom(_ path: FilePath, size: Int64, _ error: IntakeError) {
        // `Outbox.room` reports that smaller ones do not fit.
        guard size > outbox.largestForAll else { return }
        switch error {
        case .outbox(.full): note(path, .diskFull(needs: Outbox.freeBytes(for: size)))
        case .outbox(.overLimit(let limit)): note(path, .overLimit(limit))
        default: break
        }
    }

    private func submission(_ file: Taken) throws -> Submission {
        let content: Data
        do { content = try folders.content(of: file.path, atMost: Mutation.largestPayload) } catch {
            switch error {
            case .tooLarge(let size): throw CaptureFile.NotUnderstood(Self.tooLarge(size))
            case .notRegular: throw CaptureFile.NotUnderstood("It is not a regular file.")
            case .linked: throw CaptureFile.NotUnderstood("The file has a second name (a hard link). Drop a copy of it into new/.")
            case .system(let error) where [.permissionDenied, .notPermitted].contains(error.code):
                throw CaptureFile.NotUnderstood(
                    "The file cannot be read: \(error.code). Give homingd’s user read permission and drop it into new/ again.")
            // Perhaps temporary; the next sweep retries.
            case .system(let error): throw error
            }
        }
        let capture = try CaptureFile(
            name: file.name.original, folder: file.name.folder, content: content, users: folders.users.string)
        var submission = Submission(
            route: settings.route, id: file.name.id, fields: ["user_id": capture.user], payload: capture.payload,
            capturedAt: capture.capturedAt)
        submission.file = file.name.original
        return submission
    }

    private static func tooLarge(_ size: Int) -> String {
        "The file has \(size) bytes; the limit is \(Mutation.largestPayload) (\(Mutation.largestPayload >> 20) MiB)."
    }

    private static func overLimit(_ size: Int64, _ limit: Int64) -> String {
        let facts = "The file takes \(size) bytes in the outbox; the limit is \(limit) (\(limit >> 20) MiB)"
        let next = """
            administrator must raise outbox.max_bytes in the configuration and reload homingd. Then drop the file into new/ again.
            """
        if size > limit { return "\(facts). An \(next)" }
        return """
            \(facts), and deliveries do not make enough room for it. Entries that have failed (‘homing list --state failed’) or are \
            on hold (‘homing list --state held’) take room until you decide on them. If there are none, or the file still does not fit, \
            an \(next)
            """
    }

    /// `place` is where it was dropped, below `new/`; nil if it was not.
    func refuse(_ path: FilePath, as name: String, from place: String?, _ reason: String) async throws(OutboxError) {
        let file: String
        do { file = try folders.refuse(path, as: name, from: place, because: reason) } catch { return note(path, .system(error.code)) }
        log.warning("Refused a dropped file", metadata: ["file": "\(file)", "place": "\(place ?? "")", "reason": "\(reason)"])
        var detail = ["file": file, "reason": reason]
        detail["place"] = place
        try await outbox.record([SyncEvent(at: clock.now, .fileRefused, detail: detail)])
    }
}
