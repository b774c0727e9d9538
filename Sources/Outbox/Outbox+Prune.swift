import Foundation
import GRDB
import SyncModel

extension Outbox {
    /// Removes rows that were delivered or discarded before `date` (their receipts stay) and events older than that, a batch at a time,
    /// and gives the space back to the disk.
    ///
    /// Events leave in the order of their cursors, so that none is missing behind the oldest.
    package func prune(before date: Date, at now: Date) async throws(OutboxError) {
        try await commit { db in
            // Written by a clock that was ahead: it is not known when, but no later than now.
            try db.execute(sql: "UPDATE event SET at = :now WHERE at > :now", arguments: ["now": now.ms])
            try db.execute(
                sql: "UPDATE entry SET settledAt = :now WHERE settledAt > :now", arguments: ["now": now.ms])
        }
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
                        WITH oldest AS (SELECT cursor, at FROM event ORDER BY cursor LIMIT 500)
                        DELETE FROM event WHERE cursor < (SELECT max(cursor) FROM event)
                            AND cursor <= (SELECT max(cursor) FROM oldest)
                            AND cursor < coalesce((SELECT min(cursor) FROM oldest WHERE at >= ?), \(Int64.max))
                        """, arguments: [date.ms])
                return entries > 0 || db.changesCount > 0
            }
        }
        while !Task.isCancelled, try await shrink() {}
        _ = try await emptyLog()
    }

    /// Brings what the log holds into the file and empties it, so that of what was delivered nothing is left in either; false, and nothing is
    /// waited for, where somebody is reading from the log, or on a full disk, which somebody else may fill up: there the log keeps the room
    /// that it has.
    package func emptyLog() async throws(OutboxError) -> Bool {
        guard mayEmptyLog else { return false }
        defer { _ = hasRoomAsItIs() }
        do {
            return try await pool.writeWithoutTransaction(Self.truncateLog)
        } catch {
            throw failure(error)
        }
    }
    /// Brings what the log holds into the file, and makes it an empty one; false where somebody reads from it.
    static func truncateLog(_ db: Database) throws -> Bool {
        try db.execute(sql: "PRAGMA busy_timeout = 0")
        // `try?`: a connection on which not even this can be set fails with the next write, which says why.
        defer { try? db.execute(sql: "PRAGMA busy_timeout = \(busyTimeout * 1000)") }
        do {
            let log = try db.checkpoint(.passive)
            // What a power cut leaves of the index must not say that the log holds what it gave away long ago.
            guard log.checkpointedFrameCount == log.walFrameCount, db.syncLogIndex() else { return false }
            _ = try db.checkpoint(.truncate)
            return true
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            return false
        }
    }
}
