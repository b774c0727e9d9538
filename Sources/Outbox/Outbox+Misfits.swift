import Foundation
import GRDB
import SyncModel

/// Entries that a changed profile cannot send.
extension Outbox {
    /// Releases entries held as `profile` that fit the current profile again; returns how many.
    package func releaseMisfits(
        of backend: String, at now: Date, fits: @escaping @Sendable (Mutation) -> Bool
    ) async throws(OutboxError) -> Int {
        var (released, last) = (0, Int64(0))
        while true {
            let begin = last
            let (count, end) = try await commit { db in try Self.releaseMisfits(of: backend, after: begin, decryptor, now, fits, db) }
            released += count
            guard let end else { break }
            last = end
        }
        if released > 0 {
            arrivals.send()
            eventsWritten.send()
        }
        return released
    }

    /// Releases one batch; `end` is its last sequence, nil past the end.
    private static func releaseMisfits(
        of backend: String, after begin: Int64, _ decryptor: PayloadDecryptor, _ now: Date, _ fits: (Mutation) -> Bool, _ db: Database
    ) throws -> (count: Int, end: Int64?) {
        let rows = try Row.fetchAll(
            db, sql: "SELECT * FROM entry WHERE state = 'held' AND backend = ? AND sequence > ? ORDER BY sequence LIMIT 50",
            arguments: [backend, begin])
        var count = 0
        for row in rows {
            // `try?`: an unreadable entry stays held.
            guard try row.decode(String?.self, forColumn: "holdReason") == HoldReason.profile.rawValue,
                let entry = try? decryptor.entry(of: row, sealedContent(of: row.decode(forColumn: "sequence"), db)), fits(entry.mutation)
            else { continue }
            try db.execute(
                sql: """
                    UPDATE entry SET state = 'pending', holdReason = NULL, dueAt = ?, lastStatus = NULL, lastReason = NULL, lastError = NULL
                    WHERE sequence = ? AND state = 'held'
                    """, arguments: [atOnce, entry.sequence])
            try insert(SyncEvent(at: now, .released, of: entry, detail: ["reason": HoldReason.profile.rawValue]), db)
            if entry.mutation.creates != nil { try reviveDependents(of: entry.id, now: now, db) }
            count += 1
        }
        return (count, try rows.last?.decode(forColumn: "sequence"))
    }
}
