import Foundation
import GRDB
import JSON
import SyncModel

/// One attempt as it is stored.
package struct AttemptRecord: Sendable, Equatable {
    package var startedAt, endedAt: Date
    /// A `Verdict.Name`.
    package var verdict: String
    package var counted: Bool
    package var status: Int?
    package var message: String?
}

/// Entries of one destination and route in one state.
package struct Tally: Sendable, Equatable {
    package var destination: Destination
    package var state: Entry.State
    package var route: String
    package var count: Int
    package var bytes: Int
    /// When the latest was settled; nil for states that are not final.
    package var latest: Date?
}

extension [Tally] {
    /// Entries neither delivered nor discarded.
    package func undelivered(_ destination: Destination) -> Int { count(destination) { $0 != .delivered && $0 != .discarded } }

    /// Entries pending or in flight.
    package func unsent(_ destination: Destination?) -> Int { count(destination) { $0 == .pending || $0 == .inflight } }

    private func count(_ destination: Destination?, _ isMeant: (Entry.State) -> Bool) -> Int {
        filter { $0.destination == destination && isMeant($0.state) }.map(\.count).reduce(0, +)
    }
}

/// All dead or all held entries of a backend, if they are of one account and have one subject.
package struct CommonSubject: Sendable, Equatable {
    package var destination: Destination
    package var state: Entry.State
    package var routes: [String]
    package var subject: RosterID
}

package struct Overview: Sendable {
    /// One for each destination, state and route, ordered by destination.
    package var tallies: [Tally]
    /// Pending entries behind one that is dead, held, or keeps failing its lookups.
    package var blocked: [Destination: Int]
    /// Entries that keep failing their lookups.
    package var unseen: [Destination: Int]
    /// By route, the oldest entry that keeps failing without blame and stays first in its lane, and the number of entries behind it, up to
    /// `Outbox.countedInLane`.
    package var heldBack: [Destination: [String: (by: String, count: Int)]]
    /// Held entries that a person discarded. They need no decision.
    package var discarding: [Tally]
    package var commonSubjects: [CommonSubject]
    /// Display names.
    package var labels: [Destination: String]
    /// The stored pauses by backend; some may be over.
    package var pauses: [String: Pause]
    /// The pending entry that was accepted first, by backend.
    package var oldest: [String: (id: String, acceptedAt: Date)]
    /// The cursor of the newest event that the counts include.
    package var cursor: Int64

    /// `tallies`, with entries being discarded counted as discarded.
    package var talliesAfterDiscards: [Tally] {
        var all = tallies
        for gone in discarding {
            let held = all.firstIndex { $0.state == .held && $0.destination == gone.destination && $0.route == gone.route }
            if let held { all[held].count -= gone.count }
            all.append(gone)
            all[all.endIndex - 1].state = .discarded
        }
        return all.filter { $0.count > 0 }
    }
}

extension Outbox {
    /// Entries by ascending sequence: those after `after`, or the newest ones if it is nil.
    package func entries(
        state: Entry.State? = nil, backend: String? = nil, after: Int64? = 0, limit: Int
    ) async throws(OutboxError) -> [Entry] {
        try await read { db in
            try EntrySearch(EntryFilter(state: state, backend: backend), db).entries(after: after, limit: limit, db)
        }
    }

    /// An entry with its attempts, oldest first; nil if the id is unknown.
    package func entry(_ id: MutationID) async throws(OutboxError) -> (entry: Entry, attempts: [AttemptRecord])? {
        try await read { db in
            guard let entry = try Self.entry(id, db) else { return nil }
            return (entry, try Self.attempts(of: entry, entry.state == .delivered ? Self.receipt(id, db) : nil, db))
        }
    }

    static func entry(_ id: MutationID, _ db: Database) throws -> Entry? {
        let statement = try db.cachedStatement(sql: "SELECT * FROM entry WHERE id = ?")
        return try Entry.fetchOne(statement, arguments: [id.description]) ?? receipt(id, db).map { Entry($0) }
    }

    /// Oldest first. `receipt` is that of a delivered entry.
    static func attempts(of entry: Entry, _ receipt: ReceiptRecord?, _ db: Database) throws -> [AttemptRecord] {
        let attempts = try Row.fetchAll(
            db.cachedStatement(sql: "SELECT * FROM attempt WHERE entry = ? ORDER BY number"), arguments: [entry.sequence]
        ).map {
            AttemptRecord(
                startedAt: Date(ms: $0["startedAt"]), endedAt: Date(ms: $0["endedAt"]), verdict: $0["verdict"],
                counted: $0["counted"], status: $0["status"], message: $0["message"])
        }
        // The attempt that delivered an entry at the first send has no row, but the entry and its receipt contain it.
        guard attempts.isEmpty, entry.state == .delivered, let begin = entry.triedAt, let receipt, receipt.resolvedBy == nil,
            !receipt.foundByLookup
        else { return attempts }
        return [
            AttemptRecord(
                startedAt: begin, endedAt: receipt.settledAt, verdict: Verdict.Name.accepted.rawValue, counted: false,
                status: receipt.status, message: nil)
        ]
    }

    /// `delivered` and `discarded` include all entries ever settled, without those that another one replaced.
    package func tallies() async throws(OutboxError) -> [Tally] { try await read(Self.tallies) }

    /// In one snapshot.
    package func overview() async throws(OutboxError) -> Overview {
        try await read { db in
            let tallies = try Self.tallies(db)
            let failed = tallies.filter { $0.state == .dead || $0.state == .held }.map(\.count).reduce(0, +)
            let unseen = try Self.counts("(\(Self.unseenEntries))", db)
            var blocked = failed > 0 ? try Self.blocked(db) : [:]
            if !unseen.isEmpty { blocked.merge(try Self.blockedByUnseen(db), uniquingKeysWith: +) }
            let waiting = Set(tallies.filter { $0.state == .pending }.map(\.destination.backend))
            let oldest = try waiting.compactMap { backend in try Self.oldestWaiting(at: backend, db).map { (backend, $0) } }
            return Overview(
                tallies: tallies, blocked: blocked, unseen: unseen, heldBack: try Self.heldBack(db),
                discarding: try Self.discarding(db),
                commonSubjects: (1...Self.mostFailedRead).contains(failed) ? try Self.commonSubjects(db) : [],
                labels: try Self.accountLabels(db), pauses: try Self.pausesByBackend(db),
                oldest: Dictionary(uniqueKeysWithValues: oldest), cursor: try Self.newestCursor(db))
        }
    }

    /// So that thousands of failed entries do not slow `overview`.
    private static let mostFailedRead = 1000

    private static func commonSubjects(_ db: Database) throws -> [CommonSubject] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT backend, min(account) AS account, state, min(subject) AS subject, json_group_array(DISTINCT route) AS routes
                FROM entry INDEXED BY failedOrder WHERE state IN ('dead', 'held') AND holdReason IS NOT 'discarding' GROUP BY backend, state
                HAVING count(DISTINCT account) = 1 AND count(DISTINCT subject) = 1 AND count(subject) = count(*)
                """
        ).compactMap { row in
            let list = Data((row["routes"] as String).utf8)
            guard let state = Entry.State(rawValue: row["state"]), case .array(let routes) = JSONValue(parsing: list) else { return nil }
            return CommonSubject(
                destination: Destination(backend: row["backend"], account: row["account"]), state: state,
                routes: routes.compactMap(\.string), subject: RosterID(row["subject"] as String))
        }
    }

    private static func blocked(_ db: Database) throws -> [Destination: Int] {
        try counts(
            """
            (\(stoppedLanes)) AS stopped CROSS JOIN entry USING (backend, account, lane)
            WHERE entry.blocks AND entry.state = 'pending' AND entry.sequence >= stopped.head
            """, db)
    }

    /// Lanes whose head failed or is on hold, or must follow such an entry. In this order of joins, because a lane may have a million
    /// entries.
    private static let stoppedLanes = """
        SELECT lane.backend, lane.account, lane.lane, lane.head FROM lane CROSS JOIN entry AS this ON this.sequence = lane.head
        WHERE lane.dueAt IS NULL AND this.blocks AND (this.state IN ('dead', 'held') OR (this.state = 'pending' AND (
            EXISTS (SELECT 1 FROM entry AS parent WHERE parent.sequence = this.parent AND \(OutboxSchema.needsPerson("parent")))
            OR (this.afterSubject AND \(OutboxSchema.hasFailedBefore("this"))))))
        """

    private static func blockedByUnseen(_ db: Database) throws -> [Destination: Int] {
        try counts(
            """
            (\(unseenEntries)) AS first JOIN entry USING (backend, account, lane)
            WHERE first.onDead <> 'skip' AND entry.blocks AND entry.state = 'pending' AND entry.sequence > first.sequence
            """, db)
    }

    private static func heldBack(_ db: Database) throws -> [Destination: [String: (by: String, count: Int)]] {
        let later = """
            SELECT 1 FROM entry AS later WHERE later.blocks AND later.state = 'pending' AND later.backend = first.backend
                AND later.account = first.account AND later.lane = first.lane AND later.sequence > first.sequence
            """
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT first.*, (SELECT count(*) FROM (\(later) LIMIT \(countedInLane))) AS count
                FROM (SELECT first.backend, first.account, first.lane, first.route, min(first.sequence) AS sequence, first.id
                    FROM entry AS first INDEXED BY asideOrder
                    WHERE first.aside AND first.state = 'pending' AND first.onDead <> 'skip' AND first.looks < \(stuckLooks)
                        AND EXISTS (\(later))
                        AND NOT EXISTS (SELECT 1 FROM entry AS earlier INDEXED BY asideOrder
                            WHERE earlier.aside AND earlier.state = 'pending' AND earlier.backend = first.backend
                                AND earlier.account = first.account AND earlier.lane = first.lane AND earlier.sequence < first.sequence)
                    GROUP BY first.backend, first.account, first.route) AS first
                """)
        return rows.reduce(into: [:]) { found, row in
            let destination = Destination(backend: row["backend"], account: row["account"])
            let (route, first, count): (String, String, Int) = (row["route"], row["id"], row["count"])
            found[destination, default: [:]][route] = (by: first, count: count)
        }
    }

    private static func discarding(_ db: Database) throws -> [Tally] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT backend, account, state, route, count(*) AS count, sum(size) AS bytes, NULL AS latest
                FROM entry INDEXED BY discardOrder WHERE discardAt IS NOT NULL GROUP BY backend, account, state, route
                """
        ).compactMap(tally)
    }

    /// Entries that are being looked up again count too.
    private static let unseenEntries = ["asideOrder WHERE aside AND state = 'pending'", "oneInFlight WHERE state = 'inflight'"].map {
        "SELECT sequence, backend, account, lane, onDead FROM entry INDEXED BY \($0) AND looks >= \(stuckLooks)"
    }.joined(separator: " UNION ALL ")

    private static func counts(_ rows: String, _ db: Database) throws -> [Destination: Int] {
        let rows = try Row.fetchAll(db, sql: "SELECT backend, account, count(*) AS count FROM \(rows) GROUP BY backend, account")
        return Dictionary(uniqueKeysWithValues: rows.map { (Destination(backend: $0["backend"], account: $0["account"]), $0["count"]) })
    }

    private static func tallies(_ db: Database) throws -> [Tally] {
        try Row.fetchAll(
            db, sql: "SELECT * FROM tally WHERE count > 0 AND backend <> '' ORDER BY backend, account, state, route"
        ).compactMap(tally)
    }

    private static func tally(_ row: Row) -> Tally? {
        guard let state = Entry.State(rawValue: row["state"]) else { return nil }
        return Tally(
            destination: Destination(backend: row["backend"], account: row["account"]), state: state, route: row["route"],
            count: row["count"], bytes: row["bytes"], latest: (row["latest"] as Int64?).map(Date.init(ms:)))
    }

    private static func oldestWaiting(at backend: String, _ db: Database) throws -> (id: String, acceptedAt: Date)? {
        try Row.fetchOne(
            db, sql: "SELECT id, acceptedAt FROM entry WHERE state = 'pending' AND backend = ? ORDER BY sequence LIMIT 1",
            arguments: [backend]
        ).map { ($0["id"], Date(ms: $0["acceptedAt"])) }
    }

    package func accountLabels() async throws(OutboxError) -> [Destination: String] { try await read(Self.accountLabels) }

    static func accountLabels(_ db: Database) throws -> [Destination: String] {
        Dictionary(
            try Row.fetchAll(db, sql: "SELECT * FROM account").map {
                (Destination(backend: $0["backend"], account: $0["id"]), $0["label"])
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Compares the tables that triggers maintain with queries over all entries.
    package func derivedTablesMatch() async throws(OutboxError) -> Bool { try await read(Self.derivedTablesMatch) }

    static func derivedTablesMatch(_ db: Database) throws -> Bool {
        let lanes = OutboxSchema.lanes
        let open = "('pending', 'inflight', 'dead', 'held')"
        let tallies = "SELECT backend, account, state, route, count(*), sum(size) FROM entry WHERE state IN \(open) GROUP BY 1, 2, 3, 4"
        let kept = "SELECT backend, account, state, route, count, bytes FROM tally WHERE count > 0 AND state IN \(open)"
        for (a, b) in [("SELECT * FROM lane", lanes), (lanes, "SELECT * FROM lane"), (kept, tallies), (tallies, kept)]
        where try Row.fetchOne(db.cachedStatement(sql: "SELECT * FROM (\(a)) EXCEPT SELECT * FROM (\(b))")) != nil { return false }
        return true
    }
}
