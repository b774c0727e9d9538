import Foundation
import GRDB
import SyncModel

/// An entry without its content. For a delivered or discarded one, only the receipt may be left.
package struct EntryRecord: Sendable, Equatable {
    package var sequence: Int64
    package var id: MutationID
    package var destination: Destination
    package var lane: Lane
    package var route: String
    package var state: Entry.State
    package var holdReason: HoldReason?
    package var onDead: Mutation.OnDead
    /// As stated by the file or the caller; otherwise `acceptedAt`.
    package var capturedAt: Date
    package var acceptedAt: Date
    /// Not to be sent earlier; nil for at once, and in any state but `pending`.
    package var dueAt: Date?
    package var settledAt: Date?
    package var attempts: Int
    package var releases: Int
    package var uncertain: Bool
    /// Consecutive.
    package var looks: Int
    /// An entry of another lane that must be delivered first.
    package var parent: Int64?
    /// Bytes of the payload.
    package var size: Int
    package var remoteID: String?
    package var lastStatus: Int?
    package var lastError: String?
    package var lastReason: Failure.Reason?
    /// Start of the last send; nil before the first.
    package var triedAt: Date?
    /// Start of the current send; nil in any state but `inflight`.
    package var claimedAt: Date?
    /// The last time a person retried it, and that person.
    package var retriedAt: Date?
    package var retriedBy: String?
}

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

package struct Overview: Sendable, Equatable {
    package var tallies: [Tally]
    /// Pending entries in lanes stopped by one that is dead, held, or keeps failing its lookups.
    package var blocked: [Destination: Int]
    /// Entries that keep failing their lookups.
    package var unseen: [Destination: Int]
    /// Of the newest event that the counts include.
    package var cursor: Int64
}

extension Outbox {
    /// Entries by ascending sequence: those after the cursor `after`, or the newest ones if it is nil.
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

    /// With its attempts, oldest first; nil if the id was never accepted.
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

    /// Nil if they are destroyed or unreadable.
    package func fields(of id: MutationID) async throws(OutboxError) -> [String: JSONValue]? {
        let opening = PayloadDecryptor(vault: vault)
        return try await read { db in
            guard let row = try EntryRow.fetchOne(db, sql: "SELECT * FROM entry WHERE id = ?", arguments: [id.description]) else {
                return nil
            }
            // `try?`: the next claim holds an unreadable entry.
            return (try? opening.content(of: try row.withContent(db)))?.fields
        }
    }

    package func entry(sequence: Int64) async throws(OutboxError) -> EntryRecord? {
        try await read { db in
            try EntryRow.fetchOne(db, sql: "SELECT * FROM entry WHERE sequence = ?", arguments: [sequence]).map { try $0.record() }
        }
    }

    /// The first entry of a lane, in any state; nil for an empty lane.
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

    /// `delivered` and `discarded` include all entries ever settled.
    package func tallies() async throws(OutboxError) -> [Tally] { try await read(Self.tallies) }

    /// In one snapshot.
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

    /// Entries that are being looked up again count too.
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

    /// By acceptance; it may have been captured long before.
    package func oldestWaiting(at backend: String) async throws(OutboxError) -> (id: String, acceptedAt: Date)? {
        try await read { db in
            try Row.fetchOne(
                db, sql: "SELECT id, acceptedAt FROM entry WHERE state = 'pending' AND backend = ? ORDER BY sequence LIMIT 1",
                arguments: [backend]
            ).map { ($0["id"], Date(ms: $0["acceptedAt"])) }
        }
    }

    package func accountLabels() async throws(OutboxError) -> [Destination: String] {
        try await read { db in
            Dictionary(
                try Row.fetchAll(db, sql: "SELECT * FROM account").map {
                    (Destination(backend: $0["backend"], account: $0["id"]), $0["label"])
                }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// Compares the tables that triggers maintain with queries over all entries.
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
