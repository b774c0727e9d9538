import Foundation
import GRDB
import SyncModel

/// Creates with unknown outcome that a list settles (Decisions/ShownByTheList.md).
extension Outbox {
    /// The creates of the resource whose send has begun and whose outcome is open, by sequence.
    static func doubtfulCreates(of key: RosterKey, _ db: Database) throws -> [Int64] {
        try Int64.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT sequence FROM entry WHERE creates = ? AND backend = ? AND account = ? AND \(isOpen)
                        AND (state = 'inflight' OR uncertain) ORDER BY sequence
                    """), arguments: [key.resource, key.destination.backend, key.destination.account])
    }

    /// When a list that is read then or later may show that a held create of these routes had no effect: a time for each.
    package func settlingTimes(of key: RosterKey, routes: [String]) async throws(OutboxError) -> [Date] {
        if routes.isEmpty { return [] }
        return try await read { db in
            try Self.heldCreates(of: key, routes, db).compactMap { $0.doubtedAt?.addingTimeInterval(lookupAfter) }
        }
    }

    /// Sends the creates again that the read shows to have had no effect: it is complete, began late enough after the send, and each row was listed
    /// before the send or made by another create. Returns their number.
    static func releaseAbsent(
        after read: RosterRead, makers: [RosterID: [Int64]], lookupAfter: TimeInterval, now: Date, _ db: Database
    ) throws -> Int {
        guard read.incomplete == nil, !read.settles.routes.isEmpty, let begin = try begin(of: read, db) else { return 0 }
        let absent = try heldCreates(of: read.key, read.settles.routes, db).filter { create in
            guard let doubted = create.doubtedAt, doubted.addingTimeInterval(lookupAfter) <= begin else { return false }
            return try !makers.contains { row, sequences in
                guard sequences.contains(create.sequence) else { return false }
                return try row == RowMakers.list || reference(to: row, of: read.key.resource, at: read.key.destination, db) == nil
            }
        }
        for create in absent { try release(create, shownBy: read.key.resource, now: now, db) }
        return absent.count
    }

    /// When the first of the lists that the rows depend on began to be read; nil if one of them is missing.
    private static func begin(of read: RosterRead, _ db: Database) throws -> Date? {
        // As it is stored, in milliseconds.
        var begin = Date(ms: read.beganAt.ms)
        for parent in read.settles.parents {
            let key = RosterKey(destination: read.key.destination, resource: parent)
            guard let roster = try StoredRoster.fetch(key, db) else { return nil }
            begin = min(begin, roster.head.beganAt)
        }
        return begin
    }

    private static func heldCreates(of key: RosterKey, _ routes: [String], _ db: Database) throws -> [Entry] {
        let own: StatementArguments = [key.resource, key.destination.backend, key.destination.account]
        return try Entry.fetchAll(
            db,
            sql: """
                SELECT * FROM entry WHERE creates = ? AND backend = ? AND account = ? AND \(isOpen) AND state = 'held'
                    AND route IN (\(databaseQuestionMarks(count: routes.count))) ORDER BY sequence
                """, arguments: own + StatementArguments(routes)
        ).filter(\.mayBeShownAbsent)
    }

    /// Keeps the number of doubtful sends, which ends the resends.
    private static func release(_ create: Entry, shownBy resource: String, now: Date, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                UPDATE entry SET state = 'pending', holdReason = NULL, dueAt = ?, aside = 0, looks = 0, uncertain = 0, uncertainAt = NULL,
                    doubtedAt = NULL, lastStatus = NULL, lastReason = NULL, lastError = NULL
                WHERE sequence = ?
                """
        ).execute(arguments: [atOnce, create.sequence])
        try insert(SyncEvent(at: now, .resolved, of: create, detail: ["outcome": "notDelivered", "list": resource]), db)
        try reviveDependents(of: create.id, now: now, db)
    }
}
