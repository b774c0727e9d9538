import Foundation
import GRDB
import SyncModel

extension Outbox {
    /// Removes rows that were delivered or discarded before `date` (their receipts stay) and events older than that, a batch at a time,
    /// and gives the space back to the disk.
    package func prune(before date: Date) async throws(OutboxError) {
        var pruned = true
        while pruned, !Task.isCancelled {
            pruned = try await commit { db in
                // One without a receipt, which only damage leaves so, stays and keeps no other.
                try db.execute(
                    sql: """
                        DELETE FROM entry WHERE sequence IN (SELECT sequence FROM entry WHERE settledAt < ?
                            AND EXISTS (SELECT 1 FROM receipt WHERE receipt.id = entry.id) ORDER BY settledAt LIMIT 500)
                        """, arguments: [date.ms])
                let entries = db.changesCount
                // The newest stays, whatever its age: a reader's cursor must not seem to lie in the future.
                try db.execute(
                    sql: """
                        DELETE FROM event WHERE cursor IN (SELECT cursor FROM event WHERE cursor < (SELECT max(cursor) FROM event)
                            ORDER BY cursor LIMIT 500) AND at < ?
                        """, arguments: [date.ms])
                return entries > 0 || db.changesCount > 0
            }
        }
        do {
            try await pool.writeWithoutTransaction { db in
                _ = try Row.fetchAll(db, sql: "PRAGMA incremental_vacuum")
                // Busy readers only put this off.
                _ = try? db.checkpoint(.truncate)
            }
        } catch {
            throw failure(error)
        }
    }
}
