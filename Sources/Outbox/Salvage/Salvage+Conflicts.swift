import Foundation
import GRDB
import SyncModel

/// A sequence is given once, so an entry that has the one of another's receipt cannot be what was written.
extension Salvage {
    /// Has no entry share its sequence with another's receipt: nothing could be written of what becomes of it, nor could it leave.
    func resolveConflicts() throws {
        let rows = try Row.fetchAll(
            db, sql: "SELECT entry.* FROM entry JOIN receipt ON receipt.sequence = entry.sequence WHERE receipt.id <> entry.id")
        for row in rows {
            let entry = try EntryRow(row: row)
            if try entry.settledAt != nil && !hasReceipt(entry.id) && isWhatItWas(entry) {
                // Then it is the receipt whose id has changed: the entry tells what it said.
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

    /// The columns of a row of `entry` that are stored.
    func stored(_ row: Row) -> [String: DatabaseValue] { Dictionary(uniqueKeysWithValues: columns.map { ($0, row[$0] ?? .null) }) }

    private func isWhatItWas(_ entry: EntryRow) throws -> Bool {
        guard let identity = entry.identity else { return true }
        return try EntryRow.identity(entry.entry().mutation, digest: entry.digest, by: vault) == identity
    }
}
