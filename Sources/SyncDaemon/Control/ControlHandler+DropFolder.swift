import Backends
import Capture
import ControlAPI
import ControlServer
import Foundation
import Logging
import Outbox
import Sessions
import SyncModel

extension ControlHandler {
    /// Assigns files dropped while signed out to the signed-in account.
    func claim(_ request: NoInput, by caller: Caller) async throws -> ClaimReport {
        guard spool.settings.isEnabled else {
            throw Problem.invalid("The drop folder is turned off.", next: "Turn it on in the configuration, under ‘spool’.")
                .stating(.dropFolderOff)
        }
        if spool.settings.unclaimed == .hold { try caller.require(.administer) }
        let keeper = try keeper(spool.settings.backend)
        let name = keeper.backend.name
        let snapshot = await keeper.snapshot
        guard snapshot.state == .signedIn, let account = snapshot.account else {
            throw Problem(
                .signInRequired, status: 409, title: "Not signed in",
                detail: "Files can only be claimed for an account that is signed in at \(name).",
                next: "To sign in and claim the files, run: \(commands(for: name).login) --claim")
        }
        let owner = Destination(backend: name, account: account.id)
        let files: Int
        do { files = try await spool.claim(for: owner, by: caller.peer.description) } catch {
            throw failure(error, "The files could not be claimed")
        }
        if files > 0 {
            let details = facts(Requester(caller.peer), name, account.id).merging(["files": "\(files)"]) { $1 }
            log.notice("Unclaimed files were claimed", metadata: details)
        }
        return ClaimReport(files: files, backend: name, account: account.id.rawValue, email: account.label)
    }

    func refusedFiles(_ request: RefusedFileQuery, by caller: Caller) async throws -> RefusedFileList {
        do {
            let page = try spool.refusedFiles(after: request.after, limit: request.limit)
            return RefusedFileList(files: page.files.map { RefusedFile(name: $0.name, version: $0.version) }, next: page.next)
        } catch { throw failure(error, "The refused files could not be listed") }
    }

    /// Discards a refused file of the drop folder.
    func discardFile(_ request: FileDiscardRequest, by caller: Caller) async throws -> DiscardedFile {
        let (owner, name) = (caller.mayDestroy ? nil : caller.peer.uid, request.name)
        let end: RefusedFileEnd
        do {
            end = try await spool.discardRefused(
                name, version: request.version, of: owner, by: caller.peer.description, reason: request.reason)
        } catch { throw failure(error, "The file could not be discarded") }
        switch end {
        case .discarded:
            log.notice("A refused file was discarded", metadata: ["file": "\(name)", "by": "\(caller.peer)"])
            return DiscardedFile(name: name)
        case .missing:
            throw Problem.notFound("There is no refused file ‘\(name.legible)’.", next: "To see the refused files, run: homing status")
                .stating(.noSuchFile) { $0.words = name.legible }
        case .changed:
            throw Problem(
                .wrongState, status: 409, title: "Not the same file",
                detail: "The refused file ‘\(name.legible)’ was replaced or changed meanwhile. It was not discarded.",
                next: "To see the refused files, run: homing status")
        case .othersFile:
            throw Problem(
                .notPermitted, status: 403, title: "Not permitted",
                detail: "Another user dropped the file ‘\(name.legible)’.",
                next: "An administrator runs: homing discard --file \(name.asArgument) --reason TEXT")
        }
    }

    private func failure(_ error: any Error, _ what: String) -> any Error {
        if error is OutboxError { return error }
        return Problem(
            .storageFailed, status: 500, title: "The drop folder failed", detail: "\(what): \(error)",
            next: "Check the disk and the owner of the folder \(spool.directory).")
    }
}
