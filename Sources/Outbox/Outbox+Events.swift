import Foundation
import GRDB
import JSON
import SyncModel

extension SyncEvent {
    init(at now: Date, _ kind: Kind, of entry: Entry, detail: [String: String] = [:]) {
        self.init(at: now, kind, backend: entry.destination.backend, account: entry.destination.account, entry: entry.id, detail: detail)
    }
}

extension Outbox {
    /// Writes events that belong to no entry.
    package func record(_ events: [SyncEvent]) async throws(OutboxError) {
        try await commit { db in for event in events { try Self.insert(event, db) } }
        eventsWritten.send()
    }

    /// Records an event in the transaction of the change. `cursor` is nil for the next one.
    package static func insert(_ event: SyncEvent, at cursor: Int64? = nil, _ db: Database) throws {
        let detail = JSONValue.object(event.detail.mapValues(JSONValue.string)).serialized
        try db.cachedStatement(sql: "INSERT INTO event (cursor, at, kind, backend, account, entry, detail) VALUES (?, ?, ?, ?, ?, ?, ?)")
            .execute(arguments: [
                cursor, event.at.ms, event.kind.rawValue, event.backend, event.account, event.entry?.description,
                String(decoding: detail, as: UTF8.self),
            ])
    }

    /// Events, oldest first, without kinds of newer versions. Cursors are contiguous; if the first is missing, it was pruned.
    package func events(since: Int64, limit: Int) async throws(OutboxError) -> [SyncEvent] {
        try await read { db in
            // Before the limit: a page of unknown kinds would look like the end.
            try Row.fetchAll(
                db, sql: "SELECT * FROM event WHERE cursor > ? AND kind IN (\(Self.kinds)) ORDER BY cursor LIMIT ?",
                arguments: [since, limit]
            ).compactMap(Self.event)
        }
    }

    /// Nil for a kind that only a newer version knows.
    static func event(_ row: Row) -> SyncEvent? {
        guard let kind = SyncEvent.Kind(rawValue: row["kind"]) else { return nil }
        var detail: [String: String] = [:]
        if case .object(let members) = JSONValue(parsing: Data((row["detail"] as String).utf8)) {
            detail = members.compactMapValues(\.string)
        }
        return SyncEvent(
            cursor: row["cursor"], at: Date(ms: row["at"]), kind, backend: row["backend"], account: row["account"],
            entry: (row["entry"] as String?).flatMap { MutationID($0) }, detail: detail)
    }

    /// The columns that identify an entry's row.
    package typealias SubjectColumns = (destination: Destination, route: String, subject: RosterID?, creates: String?)

    /// The subjects of those entries and receipts that have one or create a row.
    package func subjects(of ids: [MutationID]) async throws(OutboxError) -> [MutationID: SubjectColumns] {
        let names = Set(ids).map(\.description)
        if names.isEmpty { return [:] }
        return try await read { db in
            let columns = "id, backend, account, route, subject, creates"
            let condition = "(subject IS NOT NULL OR creates IS NOT NULL) AND id IN (\(databaseQuestionMarks(count: names.count)))"
            let rows = try Row.fetchAll(
                db,
                sql: "SELECT \(columns) FROM entry WHERE \(condition) UNION SELECT \(columns) FROM receipt WHERE \(condition)",
                arguments: StatementArguments(names) + StatementArguments(names))
            var found: [MutationID: SubjectColumns] = [:]
            for row in rows {
                guard let id = MutationID(row["id"] as String) else { continue }
                found[id] = (
                    Destination(backend: row["backend"], account: row["account"]), row["route"],
                    (row["subject"] as String?).map { RosterID($0) }, row["creates"]
                )
            }
            return found
        }
    }

    private static let kinds = SyncEvent.Kind.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")

    /// The least cursor after which no event is missing.
    package func oldestCursor() async throws(OutboxError) -> Int64 {
        try await read { db in max(0, (try Int64.fetchOne(db, sql: "SELECT min(cursor) FROM event") ?? 1) - 1) }
    }

    /// 0 before the first event.
    package func newestCursor() async throws(OutboxError) -> Int64 { try await read(Self.newestCursor) }

    static func newestCursor(_ db: Database) throws -> Int64 { try Int64.fetchOne(db, sql: "SELECT max(cursor) FROM event") ?? 0 }

    /// The cursor of the last event that was ever written. Reads no event, so a start or a stop does not meet their damage.
    static func lastCursor(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT \(OutboxSchema.lastNumber(of: "event"))") ?? 0
    }
}
