import Foundation
import Glibc
import Outbox
import SyncModel
import SystemPackage

extension Spool {
    typealias Taken = (name: TakenName, path: FilePath)

    /// Moves a batch of whole files to `taken/`, under names that bind them to an id and to whoever is signed in, durably; takes what it has
    /// dealt with off `candidates`.
    func take(from candidates: inout ArraySlice<SpoolFolders.Candidate>) async throws -> [Taken] {
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
            if let folder = candidate.folder, String(validating: folder) == nil {
                try await refuse(candidate.path, as: candidate.name, "The name of its folder is not UTF-8; a user’s number was expected.")
                continue
            }
            // Somebody else may have signed in since it was begun.
            let owner = sightings.owner(of: candidate) ?? present
            let name =
                candidate.bound
                ?? TakenName(
                    id: ids.next(at: clock.now, using: &generator), backend: owner.backend, account: owner.account,
                    folder: candidate.folder?.string, original: candidate.name)
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
}
