import Foundation
import GRDB
import SyncModel

extension Outbox {
    /// Makes a dead or held entry pending again with all attempts, or a pending one due now. Revives the entries that are on hold for it.
    /// Throws `needs` if it needs one that is dead, held or discarded. `forgetsDoubt` sends an uncertain entry without a lookup.
    package func retry(_ id: MutationID, forgetsDoubt: Bool, by actor: String, named name: String? = nil, at now: Date)
        async throws(OutboxError)
    {
        try await commit { db in try Self.retry(id, forgetsDoubt: forgetsDoubt, by: actor, named: name, now: now, db) }
        eventsWritten.send()
        arrivals.send()
    }

    static func retry(_ id: MutationID, forgetsDoubt: Bool, by actor: String, named name: String?, now: Date, _ db: Database) throws {
        let doubt =
            forgetsDoubt
            ? "uncertain = 0, uncertainAt = NULL, doubtedAt = NULL"
            // A refusal settles only the send that it answers, not an earlier one with a lost answer.
            : """
            uncertain = uncertain OR doubts > 0,
            uncertainAt = coalesce(uncertainAt, iif(doubts > 0, coalesce(
                (SELECT min(startedAt) FROM attempt WHERE attempt.entry = entry.sequence), acceptedAt), NULL)),
            doubtedAt = coalesce(doubtedAt, iif(doubts > 0, triedAt, NULL))
            """
        let entry = try entry(id, in: [.dead, .held, .pending], db)
        if entry.holdReason == .discarding { throw OutboxError.beingDiscarded(id, at: entry.discardAt ?? now) }
        try checkCreate(of: entry, db)
        try db.cachedStatement(
            sql: """
                UPDATE entry SET state = 'pending', holdReason = NULL, attempts = 0, crashes = 0, doubts = 0, looks = 0, aside = 0,
                    failedAt = NULL, dueAt = ?, \(doubt), retriedAt = ?, retriedBy = ? WHERE sequence = ?
                """
        ).execute(arguments: [atOnce, now.ms, name ?? actor, entry.sequence])
        try insert(SyncEvent(at: now, .retried, of: entry, detail: ["by": actor, "from": entry.state.rawValue]), db)
        if entry.mutation.creates != nil { try reviveDependents(of: id, now: now, db) }
    }

    /// Discards all undelivered entries of an account in batches; returns their number. Entries in flight stay, because their outcome is
    /// unknown.
    package func discardAll(of destination: Destination, by actor: String, named name: String?, at now: Date) async throws(OutboxError)
        -> Int
    {
        var (count, last): (Int, Int64) = (0, 0)
        while true {
            let part = try await commit { [last] db in
                let entries = try Entry.fetchAll(
                    db,
                    sql: """
                        SELECT * FROM entry WHERE backend = ? AND account = ? AND state IN ('pending', 'dead', 'held') AND sequence > ?
                        ORDER BY sequence LIMIT ?
                        """, arguments: [destination.backend, destination.account, last, Self.discardBatch])
                for entry in entries { try Self.discard(entry, by: actor, named: name, now, db) }
                return entries.map(\.sequence)
            }
            count += part.count
            if !part.isEmpty { eventsWritten.send() }
            guard let newest = part.last, part.count == Self.discardBatch else { return count }
            last = newest
        }
    }

    private static let discardBatch = 200

    /// - Parameter event: written instead of `discarded`.
    static func discard(
        _ entry: Entry, by actor: String, named name: String?, as event: SyncEvent? = nil, _ now: Date, _ db: Database
    ) throws {
        try insertReceipt(of: entry.sequence, .discarded, ["foundByLookup": false, "discardedBy": name ?? actor], now: now, db)
        try db.cachedStatement(
            sql: """
                UPDATE entry SET state = 'discarded', holdReason = NULL, discardAt = NULL, discardBy = NULL, discardActor = NULL,
                    restoreTo = NULL, settledAt = ?
                WHERE sequence = ?
                """
        ).execute(arguments: [now.ms, entry.sequence])
        try insert(event ?? SyncEvent(at: now, .discarded, of: entry, detail: ["by": actor, "from": entry.state.rawValue]), db)
    }

    /// Holds the entries that had to follow a discarded one, and those that need its row, for a person to decide.
    static func holdDependents(of parent: Entry, now: Date, _ db: Database) throws {
        try holdFollowers(of: parent.sequence, in: parent.lane, .discarded(parent.id), now: now, db)
        if parent.mutation.creates != nil { try holdDependents(of: parent.id, .needing(parent.id, .discarded), now: now, db) }
    }

    static func holdFollowers(of parent: Int64, in lane: Lane, _ reason: Hold, now: Date, _ db: Database) throws {
        let followers = try Int64.fetchAll(
            db, sql: "SELECT sequence FROM entry WHERE after = ? AND parent = ? AND state = 'pending' ORDER BY sequence",
            arguments: [lane.rawValue, parent])
        for sequence in followers { try hold(sequence, reason, at: now, db) }
    }

    /// The entry of that id. Throws if it is unknown or in another state.
    static func entry(_ id: MutationID, in states: Set<Entry.State>, _ db: Database) throws -> Entry {
        let entry = try Entry.fetchOne(db.cachedStatement(sql: "SELECT * FROM entry WHERE id = ?"), arguments: [id.description])
        guard let entry else { throw OutboxError.notFound(id) }
        guard states.contains(entry.state) else { throw OutboxError.wrongState(id, entry.state) }
        return entry
    }

    /// Makes waiting entries due now; uncertain ones only on `routes`, which support look-ups, and on `others`, which read again before a
    /// send, if their last send is older than `sent`.
    @discardableResult
    package func makeDue(
        backend: String, lookingUp routes: Set<String>, rereading others: Set<String> = [], sentBefore sent: Date = .distantPast,
        at now: Date
    ) async throws(OutboxError) -> MadeDue {
        let made = try await commit { db -> MadeDue in
            var arguments: StatementArguments = [Self.atOnce, now.ms, backend]
            arguments += StatementArguments(routes.sorted())
            arguments += [sent.ms]
            arguments += StatementArguments(others.sorted())
            try db.execute(
                sql: """
                    UPDATE entry SET dueAt = ? WHERE state = 'pending' AND sequence IN
                        (SELECT head FROM lane WHERE dueAt > ? AND backend = ?)
                        AND (NOT uncertain OR route IN (\(databaseQuestionMarks(count: routes.count)))
                            OR (doubtedAt < ? AND route IN (\(databaseQuestionMarks(count: others.count)))))
                    """, arguments: arguments)
            arguments = [now.ms]
            arguments += StatementArguments(routes.sorted())
            arguments += [backend]
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT lane.account, min(lane.dueAt) AS due,
                        min(CASE WHEN lane.dueAt <= ? THEN uncertain AND entry.route IN (\(databaseQuestionMarks(count: routes.count))) END) AS looks
                    FROM lane JOIN entry ON sequence = head WHERE lane.backend = ? AND lane.dueAt IS NOT NULL GROUP BY lane.account
                    """, arguments: arguments)
            return rows.reduce(into: MadeDue()) { made, row in
                let (account, due) = (AccountID(row["account"] as String), Date(ms: row["due"]))
                if due > now { made.later[account] = due }
                if row["looks"] as Bool? == true { made.lookedUp.insert(account) }
            }
        }
        arrivals.send()
        return made
    }
}

package struct MadeDue: Sendable, Equatable {
    /// Accounts without a due entry, and the first time at which one is due.
    package var later: [AccountID: Date]
    /// Accounts whose due entries are all looked up before a send.
    package var lookedUp: Set<AccountID>

    package init(later: [AccountID: Date] = [:], lookedUp: Set<AccountID> = []) { (self.later, self.lookedUp) = (later, lookedUp) }
}
