import Foundation
import GRDB
import SyncModel

extension Outbox {
    /// Removes rows settled before `date` (their receipts stay) and older events, after counting these, in batches, and returns the space
    /// to the disk. Events go in cursor order, so the rest has no gap.
    package func prune(before date: Date, at now: Date) async throws(OutboxError) {
        try await commit { db in
            // The clock was ahead: the time is unknown, but not in the future.
            try db.execute(sql: "UPDATE event SET at = :now WHERE at > :now", arguments: ["now": now.ms])
            try db.execute(
                sql: "UPDATE entry SET settledAt = :now WHERE settledAt > :now", arguments: ["now": now.ms])
        }
        // Before the events go.
        try await countFigures(at: now)
        var pruned = true
        while pruned, !Task.isCancelled {
            pruned = try await commit { db in
                // Damage may leave an entry without a receipt; it stays.
                try db.execute(
                    sql: """
                        DELETE FROM entry WHERE sequence IN (SELECT sequence FROM entry WHERE settledAt < ?
                            AND EXISTS (SELECT 1 FROM receipt WHERE receipt.id = entry.id) ORDER BY settledAt LIMIT 500)
                        """, arguments: [date.ms])
                let entries = db.changesCount
                // The newest stays, so that no reader's cursor lies in the future.
                try db.execute(
                    sql: """
                        WITH oldest AS (SELECT cursor, at FROM event ORDER BY cursor LIMIT 500)
                        DELETE FROM event WHERE cursor < (SELECT max(cursor) FROM event)
                            AND cursor <= (SELECT max(cursor) FROM oldest)
                            AND cursor <= (SELECT cursor FROM figureCursor)
                            AND cursor < coalesce((SELECT min(cursor) FROM oldest WHERE at >= ?), \(Int64.max))
                        """, arguments: [date.ms])
                return entries > 0 || db.changesCount > 0
            }
        }
        while !Task.isCancelled, try await shrink() {}
        _ = try await emptyLog()
    }

    /// Truncates the log, so that neither file holds delivered content. False at once if another reader uses the log, or on a full disk,
    /// where another program could take the space (Decisions/Ballast.md).
    package func emptyLog() async throws(OutboxError) -> Bool {
        guard mayEmptyLog else { return false }
        marker.write()
        defer { refillReserve() }
        do {
            return try await pool.writeWithoutTransaction(Self.truncateLog)
        } catch {
            throw failure(error)
        }
    }
    /// False if another reader uses the log.
    static func truncateLog(_ db: Database) throws -> Bool {
        try db.execute(sql: "PRAGMA busy_timeout = 0")
        // `try?`: if this fails, the next write fails too and reports why.
        defer { try? db.execute(sql: "PRAGMA busy_timeout = \(busyTimeout * 1000)") }
        do {
            let log = try db.checkpoint(.passive)
            // After a power cut, a stale index must not count removed frames.
            guard log.checkpointedFrameCount == log.walFrameCount, db.syncLogIndex() else { return false }
            _ = try db.checkpoint(.truncate)
            return true
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            return false
        }
    }
}
