import Foundation
import Glibc
import Outbox
import SyncModel
import SystemPackage

extension Spool {
    /// A file in `taken/`, and whose it is.
    struct Taken {
        var name: TakenName
        var path: FilePath
        var owner: Destination
    }

    /// Moves a batch of whole files out of `new/`, under names that bind them to an id and to an account, durably; takes what it has dealt with
    /// off `candidates`.
    func take(from candidates: inout ArraySlice<SpoolFolders.Candidate>) async throws -> [Taken] {
        let signedIn = try await signedIn()
        try settle(signedIn)
        guard let signedIn else {
            candidates = []
            return []
        }
        var taken: [Taken] = []
        var touched: Set<FilePath> = []
        var bytes: Int64 = 0
        while taken.count < Self.batch, bytes < Self.batchBytes, isTaking(for: signedIn), let candidate = candidates.popFirst() {
            guard isWhole(candidate, whileSignedIn: signedIn) else { continue }
            if let folder = candidate.folder, String(validating: folder) == nil {
                try await refuse(candidate.path, as: candidate.name, "The name of its folder is not UTF-8; a user’s number was expected.")
                continue
            }
            if let owner = candidate.bound?.owner.flatMap(folders.owner), owner != signedIn {
                try await noteWaiting(candidate.path, for: owner)
                continue
            }
            guard let name = try name(of: candidate, signedIn: signedIn) else {
                try await refuse(candidate.path, as: candidate.name, "The name of its folder is too long to be a user’s number.")
                continue
            }
            guard let path = move(candidate, as: name, &touched) else { continue }
            if let owner = name.owner.flatMap(folders.owner) { taken.append(Taken(name: name, path: path, owner: owner)) }
            bytes = bytes.addingClamped(candidate.size)
        }
        // The id must outlive a power cut before the entry does: otherwise the file would be taken again under another one.
        if !touched.isEmpty { try folders.sync(touched) }
        return taken
    }

    /// The account that dropped files belong to now; nil for none.
    func signedIn() async throws(IntakeError) -> Destination? {
        do throws(IntakeError) {
            let (backend, account) = try await intake.account(for: Submission(backend: backend, route: route))
            return Destination(backend: backend, account: account.id)
        } catch {
            if case .signInRequired = error { return nil }
            throw error
        }
    }

    /// Sets aside whole files that appeared while no account was signed in: before `signedIn` signed in, or just now. From then on what appears
    /// in `new/` is that account's. (By what was there, not by times: clocks are set, and files come with any time.)
    func settle(_ signedIn: Destination?) throws {
        guard unclaimed != .next, signedIn == nil || signedIn != present else { return }
        var touched: Set<FilePath> = []
        for candidate in folders.survey().candidates where isWhole(candidate, whileSignedIn: nil) {
            if candidate.bound?.owner.flatMap(folders.owner) != nil { continue }
            // What has no good name is refused once somebody is there to see it.
            if let name = try name(of: candidate, signedIn: nil), move(candidate, as: name, &touched) != nil, name.owner != nil { look() }
        }
        if !touched.isEmpty { try folders.sync(touched) }
        guard signedIn != present else { return }
        try keepUnfinished(besides: signedIn)
        try folders.setPresent(signedIn)
        present = signedIn
    }

    /// Writes down whose unfinished files are that are not `present`'s: a restart must not give them to it.
    func keepUnfinished(besides present: Destination?) throws(Errno) {
        let written = sightings.written(besides: present)
        guard written != unfinished else { return }
        try folders.setUnfinished(written)
        unfinished = written
    }

    /// Whether what appears is still taken for that account.
    private func isTaking(for account: Destination) -> Bool { unclaimed == .next || present == account }

    /// The name that binds a file to its id and its account; nil where that of its folder is no text or leaves no room for it.
    private func name(of file: SpoolFolders.Candidate, signedIn: Destination?) throws(Errno) -> TakenName? {
        let folder = file.folder.map { String(validating: $0) }
        if case .some(nil) = folder { return nil }
        // Another account may have signed in since it was begun.
        let owner = sightings.owner(of: file, otherwise: signedIn)
        var generator = SystemRandomNumberGenerator()
        let key = try owner.map { owner throws(Errno) in try folders.register(owner) }
        var name =
            file.bound
            ?? TakenName(id: ids.next(at: clock.now, using: &generator), owner: key, folder: folder ?? nil, original: file.name)
        // Bound for an account that is not known here: a person has to say whose it is.
        if let key = name.owner, folders.owner(key) == nil { name.owner = nil }
        return name.text.utf8.count <= SpoolFolders.longestName ? name : nil
    }

    /// Moves a file to `taken/`, or to `unclaimed/` where its name says no account; returns its path there, nil where the system refused.
    private func move(_ file: SpoolFolders.Candidate, as name: TakenName, _ touched: inout Set<FilePath>) -> FilePath? {
        let path: FilePath
        do { path = try folders.take(file, as: name) } catch {
            // The others do not wait for it. It may have been bound already; only one of the two is there.
            for path in [file.path, folders.binding(file, to: name)] { note(path, error) }
            // If it can be moved later, it is still of this time.
            _ = sightings.note(file, owner: name.owner.flatMap(folders.owner), at: clock.now)
            return nil
        }
        closed.remove(file.path)
        sightings.forget(file.path)
        touched.formUnion([file.directory, path.removingLastComponent()])
        return path
    }

    /// What was bound for another account waits for that one.
    private func noteWaiting(_ path: FilePath, for owner: Destination) async throws(OutboxError) {
        let label = try await outbox.accountLabels()[owner] ?? "account \(owner.account)"
        note(path, .otherAccount("\(label) at \(owner.backend)"))
    }

    /// Whether nobody writes to it any more; if somebody does, it is noted whose it is.
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
