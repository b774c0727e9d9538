import Foundation
import GRDB
import SyncModel
import Vault

/// Opens sealed rows, and checks that they are unchanged since acceptance.
package struct PayloadDecryptor: Sendable {
    private let vault: Vault

    package init(vault: Vault) { self.vault = vault }

    /// The entry of a row, with its content. Throws if any byte of the content or the entry's identity has changed.
    package func entry(of row: Row, _ sealed: Data?) throws -> Entry {
        var entry = try Entry(row: row)
        guard let sealed else { throw OutboxError.storage("entry \(entry.sequence) has no content") }
        let content = try SealedContent(opening: sealed, by: vault, as: entry.id)
        let digest = try row.decode(Data.self, forColumn: "digest")
        guard content.digest(by: vault, backend: entry.destination.backend, route: entry.route) == digest else {
            throw OutboxError.storage("entry \(entry.sequence) does not match its digest")
        }
        guard try isUnchanged(entry, row) else { throw OutboxError.storage("entry \(entry.sequence) has changed since it was stored") }
        (entry.mutation.fields, entry.mutation.payload, entry.mutation.hasFollower) = (content.fields, content.payload, content.hasFollower)
        return entry
    }

    /// True if the immutable columns are those that were accepted, or the row has no digest of them.
    package func isUnchanged(_ entry: Entry, _ row: Row) throws -> Bool {
        guard let identity = try row.decode(Data?.self, forColumn: "identity") else { return true }
        return entry.mutation.identity(digest: try row.decode(forColumn: "digest"), by: vault) == identity
    }
}

extension Outbox {
    /// The sealed content of an entry; nil if it is gone.
    package static func sealedContent(of sequence: Int64, _ db: Database) throws -> Data? {
        try Data.fetchOne(db.cachedStatement(sql: "SELECT sealed FROM content WHERE sequence = ?"), arguments: [sequence])
    }
}
