import Foundation
import GRDB
import SyncModel

/// An entry as it is shown: its row without its content. A delivered or discarded one may be known by its receipt alone.
package struct EntryRecord: Sendable, Equatable {
    package var sequence: Int64
    package var id: MutationID
    package var destination: Destination
    package var lane: Lane
    package var route: String
    package var state: Entry.State
    package var holdReason: HoldReason?
    package var onDead: Mutation.OnDead
    /// As the file or the caller said; otherwise as `acceptedAt`.
    package var capturedAt: Date
    package var acceptedAt: Date
    /// Not to be sent before; nil for at once, and in any state but `pending`.
    package var dueAt: Date?
    package var settledAt: Date?
    package var attempts: Int
    package var releases: Int
    package var uncertain: Bool
    /// Look-ups in a row that brought no answer.
    package var looks: Int
    /// An earlier entry of another lane that has to be delivered first.
    package var parent: Int64?
    /// Bytes of the document.
    package var size: Int
    package var remoteID: String?
    package var lastStatus: Int?
    package var lastError: String?
    package var lastReason: Failure.Reason?
    /// When a send was last tried; nil before the first.
    package var triedAt: Date?
    /// When the send began that is under way; nil in any state but `inflight`.
    package var claimedAt: Date?
    /// When, and by whom, it was last given all its attempts again.
    package var retriedAt: Date?
    package var retriedBy: String?
}

/// A try as it is shown.
package struct AttemptRow: Sendable, Equatable {
    package var startedAt, endedAt: Date
    package var verdict: String
    package var counted: Bool
    package var status: Int?
    package var message: String?
}

/// Entries of one destination in one state.
package struct Tally: Sendable, Equatable {
    package var destination: Destination
    package var state: Entry.State
    package var count: Int
    package var bytes: Int
    /// When the latest of them was settled; nil for states that are not final.
    package var latest: Date?
}

/// The queue at one moment.
package struct Overview: Sendable, Equatable {
    package var tallies: [Tally]
    /// Pending entries behind one that stops their lane: dead, held, or one whose look-ups keep failing.
    package var blocked: [Destination: Int]
    /// Entries that have still to be sent and whose look-ups keep failing.
    package var unseen: [Destination: Int]
    /// The newest event's: what the counts do not show yet, later events tell.
    package var cursor: Int64
}

extension Outbox {
    /// Entries by ascending sequence: those after the cursor `after`, or the newest ones where it is nil.
    package func entries(
        state: Entry.State? = nil, backend: String? = nil, after: Int64? = 0, limit: Int
    ) async throws(OutboxError) -> [EntryRecord] {
        try await read { db in
            let filters: [(any DatabaseValueConvertible)?] = [after, state?.rawValue, backend, limit]
            let conditions = [after.map { _ in "sequence > ?" }, state.map { _ in "state = ?" }, backend.map { _ in "backend = ?" }]
            let rows = try EntryRow.fetchAll(
                db,
                sql: """
                    SELECT * FROM entry WHERE \((["1"] + conditions.compactMap { $0 }).joined(separator: " AND "))
                    ORDER BY sequence \(after == nil ? "DESC" : "ASC") LIMIT ?
                    """, arguments: StatementArguments(filters.filter { $0 != nil })
            ).map { try $0.record() }
            return after == nil ? rows.reversed() : rows
        }
    }

    /// One entry with its tries, oldest first; nil where the id was never accepted.
    package func entry(_ id: MutationID) async throws(OutboxError) -> (record: EntryRecord, attempts: [AttemptRow])? {
        try await read { db in
            guard
                let row = try EntryRow.fetchOne(
                    db, sql: "SELECT * FROM entry WHERE id = ?", arguments: [id.description])
            else { return try Self.receipt(id, db).map { ($0, []) } }
            let attempts = try Row.fetchAll(db, sql: "SELECT * FROM attempt WHERE entry = ? ORDER BY number", arguments: [row.sequence])
            return (
                try row.record(),
                attempts.map {
                    AttemptRow(
                        startedAt: Date(ms: $0["startedAt"]), endedAt: Date(ms: $0["endedAt"]), verdict: $0["verdict"],
                        counted: $0["counted"],
                        status: $0["status"], message: $0["message"])
                }
            )
        }
    }

    private static func receipt(_ id: MutationID, _ db: Database) throws -> EntryRecord? {
        try Row.fetchOne(db, sql: "SELECT * FROM receipt WHERE id = ?", arguments: [id.description]).map { row in
            EntryRecord(
                sequence: row["sequence"], id: id, destination: Destination(backend: row["backend"], account: row["account"]),
                lane: Lane(row["lane"]), route: row["route"], state: row["outcome"] == "delivered" ? .delivered : .discarded,
                onDead: .skip, capturedAt: Date(ms: row["capturedAt"]), acceptedAt: Date(ms: row["acceptedAt"]),
                settledAt: Date(ms: row["settledAt"]), attempts: row["attempts"], releases: 0, uncertain: false, looks: 0,
                size: row["size"], remoteID: row["remoteID"], lastStatus: row["status"])
        }
    }

    /// The fields of an entry; nil where they are destroyed or cannot be read.
    package func fields(of id: MutationID) async throws(OutboxError) -> [String: JSONValue]? {
        let opening = Opening(vault: vault)
        return try await read { db in
            guard let row = try EntryRow.fetchOne(db, sql: "SELECT * FROM entry WHERE id = ?", arguments: [id.description]) else {
                return nil
            }
            // `try?`: what cannot be read is held by whoever has to send it.
            return (try? opening.content(of: try row.withContent(db)))?.fields
        }
    }

    /// The entry with this sequence; nil where its row is gone.
    package func entry(sequence: Int64) async throws(OutboxError) -> EntryRecord? {
        try await read { db in
            try EntryRow.fetchOne(db, sql: "SELECT * FROM entry WHERE sequence = ?", arguments: [sequence]).map { try $0.record() }
        }
    }

    /// The entry that goes first in a lane, whatever state it is in; nil for an empty lane.
    package func head(of lane: Lane, at destination: Destination) async throws(OutboxError) -> EntryRecord? {
        try await read { db in
            try EntryRow.fetchOne(
                db,
                sql: """
                    SELECT * FROM entry WHERE sequence =
                        (SELECT min(head) FROM lane WHERE backend = ? AND account = ? AND lane = ?)
                    """, arguments: [destination.backend, destination.account, lane.rawValue]
            ).map { try $0.record() }
        }
    }

    /// Counts by destination and state; `delivered` and `discarded` count from the first day.
    package func tallies() async throws(OutboxError) -> [Tally] { try await read(Self.tallies) }

    /// Counts, blocked entries and the newest event's cursor, all at one and the same moment.
    package func overview() async throws(OutboxError) -> Overview {
        try await read { db in
            let tallies = try Self.tallies(db)
            let mayBlock = tallies.contains { $0.state == .dead || $0.state == .held }
            let unseen = try Self.unseen(db)
            var blocked = mayBlock ? try Self.blocked(db) : [:]
            if !unseen.isEmpty { blocked.merge(try Self.blockedByUnseen(db), uniquingKeysWith: +) }
            return Overview(tallies: tallies, blocked: blocked, unseen: unseen, cursor: try Self.newestCursor(db))
        }
    }

    private static func blocked(_ db: Database) throws -> [Destination: Int] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT backend, account, count(*) AS count FROM lane JOIN entry USING (backend, account, lane)
                WHERE lane.dueAt IS NULL AND entry.blocks AND entry.state = 'pending' AND entry.sequence > lane.head
                    AND (SELECT state FROM entry AS first WHERE first.sequence = lane.head) IN ('dead', 'held')
                GROUP BY backend, account
                """)
        return Dictionary(
            rows.map { (Destination(backend: $0["backend"], account: $0["account"]), $0["count"]) }, uniquingKeysWith: +)
    }

    private static func blockedByUnseen(_ db: Database) throws -> [Destination: Int] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT backend, account, count(*) AS count FROM (\(unseenEntries)) AS first JOIN entry USING (backend, account, lane)
                WHERE first.onDead = 'halt' AND entry.blocks AND entry.state = 'pending' AND entry.sequence > first.sequence
                GROUP BY backend, account
                """)
        return Dictionary(uniqueKeysWithValues: rows.map { (Destination(backend: $0["backend"], account: $0["account"]), $0["count"]) })
    }

    /// Those that are just being looked up again are no better off.
    private static let unseenEntries = ["asideOrder WHERE aside AND state = 'pending'", "oneInFlight WHERE state = 'inflight'"].map {
        "SELECT sequence, backend, account, lane, onDead FROM entry INDEXED BY \($0) AND looks >= \(stuckLooks)"
    }.joined(separator: " UNION ALL ")

    private static func unseen(_ db: Database) throws -> [Destination: Int] {
        let rows = try Row.fetchAll(
            db, sql: "SELECT backend, account, count(*) AS count FROM (\(unseenEntries)) GROUP BY backend, account")
        return Dictionary(uniqueKeysWithValues: rows.map { (Destination(backend: $0["backend"], account: $0["account"]), $0["count"]) })
    }

    private static func tallies(_ db: Database) throws -> [Tally] {
        try Row.fetchAll(db, sql: "SELECT * FROM tally WHERE count > 0 ORDER BY backend, account, state").compactMap { row in
            guard let state = Entry.State(rawValue: row["state"]) else { return nil }
            return Tally(
                destination: Destination(backend: row["backend"], account: row["account"]), state: state, count: row["count"],
                bytes: row["bytes"], latest: (row["latest"] as Int64?).map(Date.init(ms:)))
        }
    }

    /// The entry that has waited longest at `backend`, and when it was accepted: it may have been captured long before.
    package func oldestWaiting(at backend: String) async throws(OutboxError) -> (id: String, acceptedAt: Date)? {
        try await read { db in
            try Row.fetchOne(
                db, sql: "SELECT id, acceptedAt FROM entry WHERE state = 'pending' AND backend = ? ORDER BY sequence LIMIT 1",
                arguments: [backend]
            ).map { ($0["id"], Date(ms: $0["acceptedAt"])) }
        }
    }

    /// The names by which people know accounts.
    package func accountLabels() async throws(OutboxError) -> [Destination: String] {
        try await read { db in
            Dictionary(
                try Row.fetchAll(db, sql: "SELECT * FROM account").map {
                    (Destination(backend: $0["backend"], account: $0["id"]), $0["label"])
                }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// True where the tables that triggers keep say what the slow queries over all entries say.
    package func derivedTablesMatch() async throws(OutboxError) -> Bool { try await read(Self.derivedTablesMatch) }

    static func derivedTablesMatch(_ db: Database) throws -> Bool {
        let lanes = OutboxSchema.lanes
        let open = "('pending', 'inflight', 'dead', 'held')"
        let tallies = "SELECT backend, account, state, count(*), sum(size) FROM entry WHERE state IN \(open) GROUP BY 1, 2, 3"
        let kept = "SELECT backend, account, state, count, bytes FROM tally WHERE count > 0 AND state IN \(open)"
        for (a, b) in [("SELECT * FROM lane", lanes), (lanes, "SELECT * FROM lane"), (kept, tallies), (tallies, kept)]
        where try Row.fetchOne(db, sql: "SELECT * FROM (\(a)) EXCEPT SELECT * FROM (\(b))") != nil { return false }
        return true
    }
}

extension EntryRow {
    func record() throws -> EntryRecord {
        let entry = try entry()
        return EntryRecord(
            sequence: sequence, id: entry.id, destination: entry.mutation.destination, lane: entry.mutation.lane, route: route,
            state: entry.state, holdReason: entry.holdReason, onDead: entry.mutation.onDead, capturedAt: entry.mutation.capturedAt,
            acceptedAt: entry.acceptedAt,
            dueAt: entry.state == .pending && dueAt != Outbox.atOnce ? entry.dueAt : nil, settledAt: settledAt.map(Date.init(ms:)),
            attempts: attempts,
            releases: releases, uncertain: uncertain, looks: looks, parent: parent, size: size, remoteID: remoteID, lastStatus: lastStatus,
            lastError: lastError,
            lastReason: lastReason.flatMap(Failure.Reason.init), triedAt: triedAt.map(Date.init(ms:)),
            claimedAt: entry.state == .inflight ? claimedAt.map(Date.init(ms:)) : nil, retriedAt: retriedAt.map(Date.init(ms:)),
            retriedBy: retriedBy)
    }
}
