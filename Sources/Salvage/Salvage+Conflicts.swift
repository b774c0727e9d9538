import Foundation
import GRDB
import Outbox
import SyncModel

/// A sequence is assigned once, so an entry that shares it with another entry's receipt has changed.
extension Salvage {
    /// Such an entry could neither be settled nor pruned.
    func resolveConflicts() throws {
        let rows = try Row.fetchAll(
            db, sql: "SELECT entry.* FROM entry JOIN receipt ON receipt.sequence = entry.sequence WHERE receipt.id <> entry.id")
        for row in rows {
            let entry = try Entry(row: row)
            if try entry.settledAt != nil && !hasReceipt(entry.id.description) && PayloadDecryptor(vault: vault).isUnchanged(entry, row) {
                // The receipt's id has changed; the entry gets a new receipt.
                try db.execute(sql: "DELETE FROM receipt WHERE sequence = ?", arguments: [entry.sequence])
                continue
            }
            if entry.settledAt == nil { displaced.append(stored(row)) }
            try db.execute(sql: "DELETE FROM entry WHERE sequence = ?", arguments: [entry.sequence])
        }
    }

    func hasReceipt(_ id: String) throws -> Bool {
        try Row.fetchOne(db, sql: "SELECT 1 FROM receipt WHERE id = ?", arguments: [id]) != nil
    }

    /// The stored columns of a row of `entry`.
    func stored(_ row: Row) -> [String: DatabaseValue] { Dictionary(uniqueKeysWithValues: columns.map { ($0, row[$0] ?? .null) }) }
}
