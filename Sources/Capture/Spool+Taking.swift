import Files
import Foundation
import Glibc
import Outbox
import SyncModel
import SystemPackage

extension Spool {
    struct Taken {
        var name: TakenName
        var path: FilePath
        var owner: Destination
        /// The account's display name; nil if it is not known yet.
        var label: String?
    }

    /// Durably moves complete files from `candidates` out of `new/`, bound to ids and an account by name.
    func take(from candidates: inout ArraySlice<SpoolFolders.Candidate>) async throws -> [Taken] {
        // After a change of account, the next sweep first sets files aside.
        guard let (signedIn, label) = try await self.signedIn(), isTaking(for: signedIn) else {
            candidates = []
            return []
        }
        var taken: [Taken] = []
        var touched: Set<FilePath> = []
        var bytes: Int64 = 0
        while taken.count < Self.batch, bytes < Self.batchBytes, isTaking(for: signedIn), let candidate = candidates.popFirst() {
            guard isWhole(candidate, whileSignedIn: signedIn) else { continue }
            if let folder = candidate.folder, String(validating: folder) == nil {
                try await refuse(
                    candidate.path, as: candidate.name, from: candidate.place,
                    "The file’s folder name is not valid UTF-8. Expected a user’s number.")
                continue
            }
            if let owner = candidate.bound?.owner.flatMap(folders.owner), owner != signedIn {
                try await noteWaiting(candidate.path, for: owner)
                continue
            }
            guard let name = try name(of: candidate, signedIn: signedIn) else {
                try await refuse(
                    candidate.path, as: candidate.name, from: candidate.place,
                    "The file’s folder name is too long to be a user’s number.")
                continue
            }
            guard let path = move(candidate, as: name, &touched) else { continue }
            if let owner = name.owner.flatMap(folders.owner) {
                taken.append(Taken(name: name, path: path, owner: owner, label: owner == signedIn ? label : nil))
            }
            bytes = bytes.addingClamped(candidate.size)
        }
        // Otherwise, a power cut could make the next start take the file under another id.
        if !touched.isEmpty { try folders.sync(touched) }
        return taken
    }

    func signedIn() async throws(IntakeError) -> (owner: Destination, label: String)? {
        do throws(IntakeError) {
            let (backend, account) = try await intake.account(at: settings.backend)
            return (Destination(backend: backend, account: account.id), account.label)
        } catch {
            if case .signInRequired = error { return nil }
            throw error
        }
    }

    /// Sets aside complete files that appeared while signed out, or before `signedIn` signed in. Does not use file times (UnclaimedFiles).
    func setAsideFiles(before signedIn: Destination?) throws {
        guard settings.unclaimed != .next, signedIn == nil || signedIn != present else { return }
        var touched: Set<FilePath> = []
        for candidate in folders.survey().candidates where isWhole(candidate, whileSignedIn: nil) {
            if candidate.bound?.owner.flatMap(folders.owner) != nil { continue }
            // A file with an invalid name is refused after a sign-in, when a person can see it.
            if let name = try name(of: candidate, signedIn: nil), move(candidate, as: name, &touched) != nil, name.owner != nil { look() }
        }
        if !touched.isEmpty { try folders.sync(touched) }
        guard signedIn != present else { return }
        try keepUnfinished(besides: signedIn)
        try folders.setPresent(signedIn)
        present = signedIn
    }

    /// Saves unfinished files of accounts other than `present`: a restart must not reassign them.
    func keepUnfinished(besides present: Destination?) throws(FileError) {
        let written = sightings.written(besides: present)
        guard written != unfinished else { return }
        try folders.setUnfinished(written)
        unfinished = written
    }

    private func isTaking(for account: Destination) -> Bool { settings.unclaimed == .next || present == account }

    /// The name in `taken/`; nil if the folder's name is not UTF-8 or too long.
    private func name(of file: SpoolFolders.Candidate, signedIn: Destination?) throws(FileError) -> TakenName? {
        let folder = file.folder.map { String(validating: $0) }
        if case .some(nil) = folder { return nil }
        // Another account may have signed in meanwhile.
        let owner = sightings.owner(of: file, otherwise: signedIn)
        var generator = SystemRandomNumberGenerator()
        let key = try owner.map { owner throws(FileError) in try folders.register(owner) }
        var name =
            file.bound
            ?? TakenName(id: ids.next(at: clock.now, using: &generator), owner: key, folder: folder ?? nil, original: file.name)
        // An unknown account: a person must claim the file.
        if let key = name.owner, folders.owner(key) == nil { name.owner = nil }
        return name.text.utf8.count <= SpoolFolders.longestName ? name : nil
    }

    /// Moves a file to `taken/`, or to `unclaimed/` without an owner. Nil if the system refused.
    private func move(_ file: SpoolFolders.Candidate, as name: TakenName, _ touched: inout Set<FilePath>) -> FilePath? {
        let path: FilePath
        do { path = try folders.take(file, as: name) } catch {
            // The file may already have its hidden name; `note` ignores a path that does not exist.
            for path in [file.path, folders.binding(file, to: name)] { note(path, error) }
            // Keeps the owner until the move succeeds.
            _ = sightings.note(file, owner: name.owner.flatMap(folders.owner), at: clock.now)
            return nil
        }
        closed.remove(file.path)
        sightings.forget(file.path)
        touched.formUnion([file.directory, path.removingLastComponent()])
        return path
    }

    private func noteWaiting(_ path: FilePath, for owner: Destination) async throws(OutboxError) {
        let label = try await outbox.accountLabels()[owner] ?? "account \(owner.account)"
        note(path, .otherAccount("\(label) at \(owner.backend)"))
    }

    /// True if writing has finished; if not, records the file's owner.
    private func isWhole(_ candidate: SpoolFolders.Candidate, whileSignedIn present: Destination?) -> Bool {
        let known = folders.isWhole(candidate.path)
        if known ?? closed.contains(candidate.path) { return true }
        let unchanged = sightings.note(candidate, owner: present, at: clock.now)
        guard known == nil else { return false }
        if unchanged >= Self.settledAge { return true }
        look(in: Self.settledAge)
        return false
    }
}
