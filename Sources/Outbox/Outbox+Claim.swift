import Foundation
import GRDB
import SyncModel

/// What a claim brought, and when to look again.
package struct Claimed: Sendable, Equatable {
    /// In flight now, under this run's epoch, each the head of its lane, with its content.
    package var entries: [Entry]
    /// When the next head of a lane is due, which may be past where more was due than was asked for; nil where nothing waits, and where what is
    /// in flight has to settle first.
    package var nextDue: [Destination: Date]
    /// How long the claim took within its transaction, whose commit is not counted.
    package var took: Duration = .zero

    package init(entries: [Entry] = [], nextDue: [Destination: Date] = [:]) {
        self.entries = entries
        self.nextDue = nextDue
    }
}

extension Outbox {
    /// Puts the heads of lanes that are due in flight, at most so many for each destination, oldest first.
    package func claim(_ slots: [Destination: Int], at now: Date) async throws(OutboxError) -> Claimed {
        try await settle([], thenClaim: slots, at: now)
    }

    /// No entry waits longer than this (seconds): what Retry-After is clamped to, and a little.
    static let horizon: TimeInterval = 6 * 3600 + 60

    /// `dueAt` of what waits for no time at all: no step of the clock can make it late. What has failed before steps behind it.
    static let atOnce: Int64 = 0

    /// Bytes of documents in flight at a backend, unless one alone is larger: each is held in memory about four times while it is sent.
    static let mostInFlight = 32 << 20

    private static func bytesInFlight(at backend: String, _ db: Database) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT sum(size) FROM entry WHERE state = 'inflight' AND backend = ?"), arguments: [backend]) ?? 0
    }

    static func claim(_ slots: [Destination: Int], epoch: Int64, vault: Opening, now: Date, _ db: Database) throws -> Claimed {
        var claimed = Claimed()
        for (destination, count) in slots.sorted(by: { $0.key < $1.key }) {
            let arguments: StatementArguments = [destination.backend, destination.account]
            var missing = count
            var room = try mostInFlight - bytesInFlight(at: destination.backend, db)
            var isCrowded = false
            while missing > 0, !isCrowded {
                let heads = try Row.fetchAll(
                    db.cachedStatement(
                        sql: """
                            SELECT head, (SELECT size FROM entry WHERE sequence = head) AS size FROM lane
                            WHERE backend = ? AND account = ? AND dueAt IS NOT NULL AND dueAt <= ? ORDER BY dueAt, head LIMIT ?
                            """), arguments: arguments + [now.ms, missing])
                if heads.isEmpty { break }
                for row in heads {
                    let size: Int = row["size"] ?? 0
                    isCrowded = size > room && room < mostInFlight
                    if isCrowded { break }
                    guard let entry = try claim(row["head"], epoch: epoch, vault: vault, now: now, db) else { continue }
                    claimed.entries.append(entry)
                    missing -= 1
                    room -= size
                }
            }
            // What is in flight frees its room when it settles, which asks again.
            if isCrowded { continue }
            var next = try Int64.fetchOne(
                db.cachedStatement(sql: "SELECT min(dueAt) FROM lane WHERE backend = ? AND account = ? AND dueAt IS NOT NULL"),
                arguments: arguments)
            let latest = now.addingTimeInterval(horizon).ms
            if let time = next, time > latest {
                // The clock was ahead when this was written, and has been set right: nothing waits for years.
                try db.execute(
                    sql: """
                        UPDATE entry SET dueAt = ? WHERE state = 'pending' AND sequence IN
                            (SELECT head FROM lane WHERE backend = ? AND account = ? AND dueAt > ?)
                        """, arguments: [atOnce] + arguments + [latest])
                next = atOnce
            }
            claimed.nextDue[destination] = next.map(Date.init(ms:))
        }
        return claimed
    }

    /// Claims one head; nil where its content cannot be read, which holds it as `quarantine` and frees the lane to follow its rule.
    private static func claim(_ head: Int64, epoch: Int64, vault: Opening, now: Date, _ db: Database) throws -> Entry? {
        let statement = try db.cachedStatement(
            sql: "UPDATE entry SET state = 'inflight', epoch = ?, claimedAt = ? WHERE sequence = ? AND state = 'pending' RETURNING *")
        guard let row = try EntryRow.fetchOne(statement, arguments: [epoch, now.ms, head])?.withContent(db) else {
            throw OutboxError.damaged("lane head \(head) is not pending")
        }
        var entry: Entry
        do { entry = try row.entry(try vault.content(of: row)) } catch {
            try db.execute(
                sql: """
                    UPDATE entry SET state = 'held', holdReason = 'quarantine', epoch = NULL, lastReason = 'unreadable',
                        lastError = 'What is stored of this entry cannot be read back.' WHERE sequence = ?
                    """, arguments: [head])
            try insert(
                SyncEvent(
                    at: now, .held, backend: row.backend, account: row.account, entry: try row.mutationID,
                    detail: ["reason": HoldReason.quarantine.rawValue]), db)
            return nil
        }
        if let since = row.uncertainAt { entry.lookUps = try lookUps(of: head, since: since, db) }
        return entry
    }

    /// Tries that brought no answer since the one that left it open, which began at `since` (Unix milliseconds).
    private static func lookUps(of entry: Int64, since: Int64, _ db: Database) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT count(*) FROM attempt WHERE entry = ?1 AND verdict = 'unknown' AND number > ifnull((
                        SELECT max(number) FROM attempt WHERE entry = ?1 AND startedAt = ?2
                    ), 0)
                    """), arguments: [entry, since]) ?? 0
    }
}
