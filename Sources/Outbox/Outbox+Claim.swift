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
    /// What was to be put in flight and is held instead, as `quarantine`: it cannot be read back.
    package var unreadable: [MutationID] = []
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
                    let head = try head(row["head"], epoch: epoch, now: now, db)
                    guard let entry = try open(head, by: vault, db) else {
                        claimed.unreadable.append(try quarantine(head, now: now, db))
                        continue
                    }
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

    /// Puts one head in flight.
    private static func head(_ sequence: Int64, epoch: Int64, now: Date, _ db: Database) throws -> EntryRow {
        let statement = try db.cachedStatement(
            sql: "UPDATE entry SET state = 'inflight', epoch = ?, claimedAt = ? WHERE sequence = ? AND state = 'pending' RETURNING *")
        guard let row = try EntryRow.fetchOne(statement, arguments: [epoch, now.ms, sequence])?.withContent(db) else {
            throw OutboxError.damaged("lane head \(sequence) is not pending")
        }
        return row
    }

    /// Nil where its content cannot be read.
    private static func open(_ row: EntryRow, by vault: Opening, _ db: Database) throws -> Entry? {
        // `try?`: whether it can be read is the question.
        guard var entry = try? row.entry(try vault.content(of: row)) else { return nil }
        if let since = row.uncertainAt { entry.lookUps = try lookUps(of: row.sequence, since: since, db) }
        return entry
    }

    /// Holds what waits or was just put in flight, and frees its lane to follow its rule.
    static func quarantine(_ row: EntryRow, now: Date, _ db: Database) throws -> MutationID {
        try db.execute(
            sql: """
                UPDATE entry SET state = 'held', holdReason = 'quarantine', epoch = NULL, lastReason = 'unreadable',
                    lastError = 'What is stored of this entry cannot be read back.' WHERE sequence = ?
                """, arguments: [row.sequence])
        let id = try row.mutationID
        try insert(
            SyncEvent(
                at: now, .held, backend: row.backend, account: row.account, entry: id, detail: ["reason": HoldReason.quarantine.rawValue]),
            db)
        return id
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
