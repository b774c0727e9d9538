import Foundation
import Outbox
import SyncModel
import SystemPackage

extension Spool {
    /// Files that were dropped while no account was signed in.
    package nonisolated var unclaimedFiles: Int { fileCounts.unclaimed }

    /// To be called before an account can sign in and after it has signed in or out: returns once what was dropped before is set aside.
    package func accountMayHaveChanged() async {
        guard isEnabled else { return }
        do {
            try folders.make()
            try settle(try await signedIn())
        } catch {
            // The next look tries again, and takes nothing before.
            tell(error)
        }
        look()
    }

    /// Takes unclaimed files for `account`, and tells of it first; how many there were.
    ///
    /// - Parameter actor: the person who says that they are that account's.
    package func claim(for account: Destination, by actor: String) async throws -> Int {
        let files = try inOrder(folders.unclaimedFiles())
        guard !files.isEmpty else { return 0 }
        let key = try folders.register(account)
        let detail = ["by": actor, "files": "\(files.count)"]
        try await outbox.record([SyncEvent(at: clock.now, .claimed, backend: account.backend, account: account.account, detail: detail)])
        // Also where not all could be claimed: no event tells of what lies in taken/.
        defer { look() }
        var count = 0
        for file in files {
            guard var name = TakenName(file.name) else {
                try await refuse(file.path, as: file.name, "The file lay in unclaimed/, which is the daemon’s own. Drop files into new/.")
                continue
            }
            name.owner = key
            do {
                try folders.rename(file.path, to: folders.taken / name.text)
                count += 1
            } catch { note(file.path, .system(error)) }
        }
        try folders.sync([folders.unclaimed, folders.taken])
        return count
    }

    /// Puts back what lies in `taken/` for an account that is not known here any more.
    func setAside(_ file: SpoolFolders.Candidate, _ name: TakenName) {
        var name = name
        name.owner = nil
        do throws(Errno) {
            try folders.rename(file.path, to: folders.unclaimed / name.text)
            try folders.sync([folders.taken, folders.unclaimed])
        } catch { note(file.path, .system(error)) }
    }
}
