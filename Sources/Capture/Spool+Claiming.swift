import Files
import Foundation
import Outbox
import SyncModel
import SystemPackage

extension Spool {
    package nonisolated var unclaimedFiles: Int { fileCounts.all.unclaimed }

    /// Sets earlier files aside. Call before a sign-in begins, and after a sign-in or sign-out.
    package func accountMayHaveChanged() async {
        guard settings.isEnabled else { return }
        do {
            try requireStore()
            try folders.make()
            try setAsideFiles(before: try await signedIn()?.owner)
        } catch {
            // The next sweep retries before it takes files.
            tell(error)
        }
        look()
    }

    /// Assigns unclaimed files to `account`, after recording an event; returns their number.
    package func claim(for account: Destination, by actor: String) async throws -> Int {
        try requireStore()
        let files = try inOrder(folders.unclaimedFiles())
        guard !files.isEmpty else { return 0 }
        let key = try folders.register(account)
        let detail = ["by": actor, "files": "\(files.count)"]
        try await outbox.record([SyncEvent(at: clock.now, .claimed, backend: account.backend, account: account.account, detail: detail)])
        // Also after a partial failure: no event reports files in taken/.
        defer { look() }
        var count = 0
        for file in files {
            guard var name = TakenName(file.name) else {
                try await refuse(
                    file.path, as: file.name, from: nil, "The file was in unclaimed/, which only the daemon uses. Drop files into new/.")
                continue
            }
            name.owner = key
            do {
                try folders.rename(file.path, to: folders.taken / name.text)
                count += 1
            } catch { note(file.path, .system(error.code)) }
        }
        try folders.sync([folders.unclaimed, folders.taken])
        return count
    }

    /// For an account that is unknown here.
    func setAside(_ file: SpoolFolders.Candidate, _ name: TakenName) {
        var name = name
        name.owner = nil
        do throws(FileError) {
            try folders.rename(file.path, to: folders.unclaimed / name.text)
            try folders.sync([folders.taken, folders.unclaimed])
        } catch { note(file.path, .system(error.code)) }
    }
}
