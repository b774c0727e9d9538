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
    func claim(_ request: NoInput, by caller: Caller) async throws -> ClaimReport {
        guard spool.settings.isEnabled else {
            throw Problem.invalid("The drop folder is turned off.", next: "Turn it on in the configuration, under ‘spool’.")
        }
        if spool.settings.unclaimed == .hold { try caller.require(.administer) }
        let keeper = try keeper(spool.settings.backend)
        let name = keeper.backend.name
        let snapshot = await keeper.snapshot
        guard snapshot.state == .signedIn, let account = snapshot.account else {
            throw Problem(
                .signInRequired, status: 409, title: "Not signed in",
                detail: "Files can only be claimed for an account that is signed in at \(name).",
                next: "Sign in with ‘\(commands(for: name).login) --claim’.")
        }
        let owner = Destination(backend: name, account: account.id)
        let files: Int
        do { files = try await spool.claim(for: owner, by: caller.peer.description) } catch {
            guard !(error is OutboxError) else { throw error }
            throw Problem(
                .storageFailed, status: 500, title: "The drop folder failed", detail: "The files could not be claimed: \(error)",
                next: "Check the disk and the owner of the folder \(spool.directory).")
        }
        if files > 0 {
            let details = facts(Requester(caller.peer), name, account.id).merging(["files": "\(files)"]) { $1 }
            log.notice("Unclaimed files were claimed", metadata: details)
        }
        return ClaimReport(files: files, backend: name, account: account.id.rawValue, email: account.label)
    }
}
