import Foundation
import SyncModel
import Vault

/// Opens sealed rows, and checks that they are unchanged since acceptance.
package struct PayloadDecryptor: Sendable {
    private let vault: Vault

    package init(vault: Vault) { self.vault = vault }

    /// Throws if any byte of the content or the entry's identity has changed.
    func content(of row: EntryRow) throws -> SealedContent {
        guard let sealed = row.sealed else { throw OutboxError.storage("entry \(row.sequence) has no content") }
        let content = try SealedContent(opening: sealed, by: vault, as: try row.mutationID)
        guard content.digest(by: vault, backend: row.backend, route: row.route) == row.digest else {
            throw OutboxError.storage("entry \(row.sequence) does not match its digest")
        }
        guard try isUnchanged(row) else { throw OutboxError.storage("entry \(row.sequence) has changed since it was stored") }
        return content
    }

    /// The entry of a row that was read with its content; throws as `content(of:)` does.
    package func entry(of row: EntryRow) throws -> Entry { try row.entry(content(of: row)) }

    /// Whether the immutable columns are those that were accepted; true if the row has no digest of them.
    package func isUnchanged(_ row: EntryRow) throws -> Bool {
        guard let identity = row.identity else { return true }
        return try EntryRow.identity(row.entry().mutation, digest: row.digest, by: vault) == identity
    }
}
