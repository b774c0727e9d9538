import Foundation
import Glibc
import Logging
import Outbox
import SyncModel
import SystemPackage

extension Spool {
    /// As many files as share one transaction.
    func batch(from files: inout ArraySlice<SpoolFolders.Candidate>) -> [SpoolFolders.Candidate] {
        var batch: [SpoolFolders.Candidate] = []
        var bytes: Int64 = 0
        while batch.count < Self.batch, bytes < Self.batchBytes, let file = files.popFirst() {
            batch.append(file)
            bytes += file.size
        }
        return batch
    }

    func store(leftovers: [SpoolFolders.Candidate]) async throws {
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
    func store(_ taken: [Taken]) async throws {
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

    func store(_ files: [Taken], for account: Account) async throws {
        var submissions: [Submission] = []
        var sources: [Taken] = []
        for file in files {
            do {
                submissions.append(try submission(file))
                sources.append(file)
            } catch let error as CaptureFile.NotUnderstood {
                try await refuse(file.path, as: file.name.original, error.reason)
            } catch let error as Errno {
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
            case .system(let error) where [.permissionDenied, .notPermitted].contains(error):
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

    func refuse(_ path: FilePath, as name: String, _ reason: String) async throws(OutboxError) {
        let place: String
        do { place = try folders.refuse(path, as: name, because: reason) } catch { return note(path, .system(error)) }
        log.warning("A file was put aside", metadata: ["file": "\(place)", "reason": "\(reason)"])
        try await outbox.record([SyncEvent(at: clock.now, .fileRefused, detail: ["file": place, "reason": reason])])
    }
}
