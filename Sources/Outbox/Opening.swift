import Foundation
import SyncModel
import Vault

/// Opens sealed rows, and checks that they are unchanged since acceptance.
struct Opening: Sendable {
    let vault: Vault

    /// Throws if any byte of the content or the entry's identity has changed.
    func content(of row: EntryRow) throws -> SealedContent {
        guard let sealed = row.sealed else { throw OutboxError.storage("entry \(row.sequence) has no content") }
        let content = try SealedContent(opening: sealed, by: vault, as: try row.mutationID)
        guard content.digest(by: vault, backend: row.backend, route: row.route) == row.digest else {
            throw OutboxError.storage("entry \(row.sequence) does not match its digest")
        }
        if let identity = row.identity, try EntryRow.identity(row.entry().mutation, digest: row.digest, by: vault) != identity {
            throw OutboxError.storage("entry \(row.sequence) is not what it was")
        }
        return content
    }
}
