import GRDB
import SyncModel

/// An entry with everything that explains its state.
package struct EntryContext: Sendable {
    package var entry: Entry
    /// Oldest first.
    package var attempts: [AttemptRecord]
    /// The entry that a pending one waits behind: in its lane, in the lane before it, `create`, or the most relevant of `earlier`.
    package var blocker: Entry?
    /// The undelivered entry that creates the row that this one refers to.
    package var create: Entry?
    /// The server's id of the row, if the subject is a reference whose create was delivered.
    package var binding: RosterID?
    /// Undelivered entries that refer to the row that this one creates, up to `Outbox.countedInLane`.
    package var dependents = 0
    /// Undelivered entries of its subject that go before a pending one, up to `Outbox.countedInLane`.
    package var earlier = 0
    /// Entries before a pending one in its lane, up to `Outbox.countedInLane`.
    package var ahead = 0
    /// Entries after a pending one in its lane that keeps failing and may not be passed, up to the same limit.
    package var later = 0
    /// Nil until it is delivered or discarded.
    package var receipt: ReceiptRecord?
    /// Empty if they are destroyed or unreadable.
    package var fields: [String: JSONValue]
    /// The account's display name.
    package var label: String?
    /// The pause of its backend as stored, perhaps over.
    package var pause: Pause?
}

extension Outbox {
    /// In one snapshot; nil if the id was never accepted.
    package func context(of id: MutationID) async throws(OutboxError) -> EntryContext? {
        try await read { db in
            let row = try Row.fetchOne(db.cachedStatement(sql: "SELECT * FROM entry WHERE id = ?"), arguments: [id.description])
            let receipt = try Self.receipt(id, db)
            guard let entry = try row.map({ try Entry(row: $0) }) ?? receipt.map({ Entry($0) }) else { return nil }
            // `try?`: the next claim holds an unreadable entry.
            let opened = row.flatMap { row in try? decryptor.entry(of: row, Self.sealedContent(of: entry.sequence, db)) }
            var context = EntryContext(
                entry: entry, attempts: try Self.attempts(of: entry, receipt, db), receipt: receipt, fields: opened?.mutation.fields ?? [:],
                label: try Self.accountLabels(db)[entry.destination], pause: try Self.pausesByBackend(db)[entry.destination.backend])
            if let reference = entry.mutation.subject?.reference {
                context.binding = try Self.row(createdBy: reference, at: entry.destination, db)
                context.create = try Self.entry(reference, db).flatMap { $0.state == .delivered ? nil : $0 }
            }
            if entry.mutation.creates != nil { context.dependents = try Self.dependents(of: id, db) }
            if entry.state == .pending {
                let earlier = try Self.earlier(than: entry, db)
                context.earlier = earlier.count
                context.blocker = try Self.blocker(of: entry, earlier, db)
                context.ahead = try Self.count("<", entry, db)
                if entry.isAside, entry.mutation.onDead != .skip { context.later = try Self.count(">", entry, db) }
            }
            return context
        }
    }

    /// The most relevant earlier entry of the subject: one that failed or is on hold needs a person, so it comes first.
    private static func blocker(of entry: Entry, _ earlier: [Entry], _ db: Database) throws -> Entry? {
        guard let id = try blockers(of: [entry], db)[entry.id] else { return nil }
        if earlier.contains(where: { $0.id == id }) { return earlier.first { $0.state == .dead || $0.state == .held } ?? earlier.first }
        return try self.entry(id, db)
    }

    /// The earlier entries, oldest first; empty unless the entry goes after all earlier ones of its subject.
    private static func earlier(than entry: Entry, _ db: Database) throws -> [Entry] {
        guard entry.mutation.afterSubject, let subject = entry.mutation.subject else { return [] }
        let statement = try db.cachedStatement(
            sql: """
                SELECT first.* FROM entry AS this CROSS JOIN entry AS first INDEXED BY subjectOrder
                WHERE this.sequence = ? AND first.subject = ? AND \(OutboxSchema.precedes("this"))
                    AND first.backend = this.backend AND first.account = this.account AND first.reference IS this.reference
                    AND first.\(isOpen)
                ORDER BY first.sequence LIMIT \(countedInLane)
                """)
        let names = try EntrySearch.equals(of: subject, db).map(\.subject)
        let found = try names.flatMap { name in
            try Entry.fetchAll(statement, arguments: [entry.sequence, name.rawValue])
        }
        return Array(found.sorted { $0.sequence < $1.sequence }.prefix(countedInLane))
    }

    private static func dependents(of id: MutationID, _ db: Database) throws -> Int {
        try Int.fetchOne(
            db, sql: "SELECT count(*) FROM (SELECT 1 FROM entry WHERE needs = ? AND \(isOpen) LIMIT \(countedInLane))",
            arguments: [id.description]) ?? 0
    }

    /// Entries of its lane before (`<`) or after (`>`) it.
    private static func count(_ comparison: String, _ entry: Entry, _ db: Database) throws -> Int {
        try Int.fetchOne(
            db,
            sql: """
                SELECT count(*) FROM (SELECT 1 FROM entry WHERE blocks AND backend = ? AND account = ? AND lane = ? AND sequence \(comparison) ?
                    LIMIT \(countedInLane))
                """, arguments: [entry.destination.backend, entry.destination.account, entry.lane.rawValue, entry.sequence]) ?? 0
    }
}
