import Foundation
import GRDB
import SyncModel
import Vault

/// Entries that a changed profile cannot send.
extension Outbox {
    /// Sends on entries of `backend` that are held as `profile` and that fit again; how many there were.
    ///
    /// - Parameter fits: whether the profile of now can turn a mutation into its requests.
    package func releaseMisfits(
        of backend: String, at now: Date, fits: @escaping @Sendable (Mutation) -> Bool
    ) async throws(OutboxError) -> Int {
        let opening = Opening(vault: vault)
        var (released, last) = (0, Int64(0))
        while true {
            let begin = last
            let (count, end) = try await commit { db in try Self.releaseMisfits(of: backend, after: begin, opening, now, fits, db) }
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

    /// The first of them after a sequence; how many were released, and the last one that was looked at, nil behind the end.
    private static func releaseMisfits(
        of backend: String, after begin: Int64, _ opening: Opening, _ now: Date, _ fits: (Mutation) -> Bool, _ db: Database
    ) throws -> (count: Int, end: Int64?) {
        let rows = try EntryRow.fetchAll(
            db, sql: "SELECT * FROM entry WHERE state = 'held' AND backend = ? AND sequence > ? ORDER BY sequence LIMIT 50",
            arguments: [backend, begin])
        var count = 0
        for row in rows where row.holdReason == HoldReason.profile.rawValue {
            // `try?`: what cannot be read stays held.
            guard let entry = try? row.entry(opening.content(of: row.withContent(db))), fits(entry.mutation) else { continue }
            try db.execute(
                sql: """
                    UPDATE entry SET state = 'pending', holdReason = NULL, dueAt = ?, lastStatus = NULL, lastReason = NULL, lastError = NULL
                    WHERE sequence = ?
                    """, arguments: [atOnce, row.sequence])
            try insert(
                SyncEvent(
                    at: now, .released, backend: row.backend, account: row.account, entry: entry.id,
                    detail: ["reason": HoldReason.profile.rawValue]), db)
            count += 1
        }
        return (count, rows.last?.sequence)
    }
}

/// What waits in a store, read beside a daemon that works with it.
package struct WaitingMutations {
    private let reader: StoreReader
    private let opening: Opening

    package init(file: String, vault: Vault, isInUse: Bool) {
        reader = StoreReader(file: file, isInUse: isInUse)
        opening = Opening(vault: vault)
    }

    /// By backend: the base URL whose accounts its entries belong to.
    package func origins() throws(OutboxError) -> [String: String] {
        do {
            return try reader.read { db in
                var origins: [String: String] = [:]
                for row in try Row.fetchAll(db, sql: "SELECT backend, CAST(origin AS BLOB) AS origin FROM origin") {
                    origins[try row.decode(forColumn: "backend")] = Outbox.origin(in: try row.decode(forColumn: "origin"))
                }
                return origins
            }
        } catch {
            throw OutboxError(error)
        }
    }

    /// Hands over each that has still to be sent, or that is on hold; how many cannot be opened.
    package func visit(_ work: (Mutation) -> Void) throws(OutboxError) -> Int {
        do {
            return try reader.read { db in
                var unreadable = 0
                let waiting = "SELECT * FROM entry WHERE state IN ('pending', 'inflight', 'held') ORDER BY sequence"
                let rows = try EntryRow.fetchCursor(db, sql: waiting)
                while let row = try rows.next() {
                    // `try?`: whether it can be read is the question.
                    if let entry = try? row.entry(opening.content(of: row.withContent(db))) {
                        work(entry.mutation)
                    } else {
                        unreadable += 1
                    }
                }
                return unreadable
            }
        } catch {
            throw OutboxError(error)
        }
    }
}
