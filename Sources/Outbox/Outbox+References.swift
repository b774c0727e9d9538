import Foundation
import GRDB
import SyncModel

/// References to rows that entries create. See Decisions/References.md.
extension Outbox {
    /// The undelivered creates of a resource, oldest first, with their content where it is readable.
    package func creates(of resource: String, at destination: Destination, limit: Int) async throws(OutboxError) -> [Entry] {
        try await read { db in
            let rows = try Row.fetchAll(
                db.cachedStatement(sql: Self.openCreates), arguments: [resource, destination.backend, destination.account, limit])
            return try rows.map { try opened($0, db) }
        }
    }

    /// The ids of rows whose create was delivered.
    package func bindings(of references: Set<MutationID>) async throws(OutboxError) -> [MutationID: RosterID] {
        if references.isEmpty { return [:] }
        return try await read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT id, remoteID FROM receipt WHERE id IN (\(databaseQuestionMarks(count: references.count)))
                        AND creates IS NOT NULL AND outcome = 'delivered' AND remoteID IS NOT NULL
                    """, arguments: StatementArguments(references.map(\.description)))
            var bindings: [MutationID: RosterID] = [:]
            for row in rows {
                guard let id = MutationID(row["id"] as String) else { continue }
                bindings[id] = RosterID(row["remoteID"] as String)
            }
            return bindings
        }
    }

    /// Entries by these routes that will be sent and refer to a create, with that create.
    package func changes(by routes: [String], at destination: Destination) async throws(OutboxError) -> [MutationID: MutationID] {
        if routes.isEmpty { return [:] }
        return try await read { db in
            let rows = try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT id, needs FROM entry INDEXED BY neededBy WHERE route IN (\(databaseQuestionMarks(count: routes.count)))
                            AND backend = ? AND account = ? AND needs IS NOT NULL AND state IN ('pending', 'inflight')
                            AND state NOT IN ('delivered', 'discarded')
                        """), arguments: StatementArguments(routes) + [destination.backend, destination.account])
            var changes: [MutationID: MutationID] = [:]
            for row in rows { if let id = MutationID(row["id"] as String) { changes[id] = MutationID(row["needs"] as String) } }
            return changes
        }
    }

    /// Deletions by these routes that will be sent, by the row's present id: the oldest for each row.
    package func deletions(by routes: [String], at destination: Destination) async throws(OutboxError) -> [RosterID: MutationID] {
        if routes.isEmpty { return [:] }
        return try await read { db in try Self.deletions(by: routes, at: destination, db) }
    }

    static func deletions(by routes: [String], at destination: Destination, _ db: Database) throws -> [RosterID: MutationID] {
        if routes.isEmpty { return [:] }
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT id, coalesce((SELECT remoteID FROM receipt WHERE receipt.id = entry.needs AND receipt.creates IS NOT NULL), subject)
                        AS target
                    FROM entry INDEXED BY routeOrder WHERE route IN (\(databaseQuestionMarks(count: routes.count)))
                        AND backend = ? AND account = ? AND subject IS NOT NULL AND state IN ('pending', 'inflight')
                    ORDER BY sequence
                    """), arguments: StatementArguments(routes) + [destination.backend, destination.account])
        var deletions: [RosterID: MutationID] = [:]
        for row in rows {
            let target = RosterID(row["target"] as String)
            if deletions[target] == nil { deletions[target] = MutationID(row["id"] as String) }
        }
        return deletions
    }

    /// The oldest create that made this row here.
    package func reference(
        to row: RosterID, of resource: String, at destination: Destination
    ) async throws(OutboxError) -> MutationID? {
        try await read { try Self.reference(to: row, of: resource, at: destination, $0) }
    }

    static let createdRow = """
        SELECT id FROM receipt WHERE remoteID = ? AND backend = ? AND account = ? AND creates = ? AND outcome = 'delivered'
        ORDER BY sequence LIMIT 1
        """

    /// The oldest delivered create that made this row.
    static func reference(to row: RosterID, of resource: String, at destination: Destination, _ db: Database) throws -> MutationID? {
        try String.fetchOne(
            db.cachedStatement(sql: createdRow), arguments: [row.rawValue, destination.backend, destination.account, resource]
        ).flatMap { MutationID($0) }
    }

    /// The condition of the indexes `neededBy` and `createOrder`.
    static let isOpen = "state NOT IN ('delivered', 'discarded')"

    static let pendingDependents = "SELECT sequence FROM entry WHERE needs = ? AND state = 'pending' AND \(isOpen) ORDER BY sequence"
    static let releasedDependents = """
        SELECT * FROM entry WHERE needs = ? AND state = 'held' AND \(isOpen) AND holdReason = 'dependency'
            AND NOT EXISTS (SELECT 1 FROM receipt WHERE receipt.sequence = entry.parent AND outcome = 'discarded')
        ORDER BY sequence
        """
    static let openCreates = """
        SELECT * FROM entry WHERE creates = ? AND backend = ? AND account = ? AND \(isOpen) ORDER BY sequence LIMIT ?
        """

    private func opened(_ row: Row, _ db: Database) throws -> Entry {
        let entry = try Entry(row: row)
        // `try?`: without content, if that is unreadable.
        return (try? decryptor.entry(of: row, Self.sealedContent(of: entry.sequence, db))) ?? entry
    }
}

struct Create {
    let destination: Destination
    let resource: String
    let state: Entry.State
    /// The server's id of the row, once delivered.
    let row: RosterID?

    /// True if the row exists, or may come without a person.
    var isViable: Bool { state == .pending || state == .inflight || state == .delivered }
}

extension Outbox {
    /// The entry that creates a row; nil if it is unknown or creates nothing.
    static func create(_ id: MutationID, _ db: Database) throws -> Create? {
        // A settled entry has both, and the receipt is the binding.
        for rows in ["outcome AS state, remoteID FROM receipt", "state, NULL AS remoteID FROM entry"] {
            let statement = try db.cachedStatement(sql: "SELECT backend, account, creates, \(rows) WHERE id = ?")
            guard let row = try Row.fetchOne(statement, arguments: [id.description]) else { continue }
            guard let resource = row["creates"] as String?, let state = Entry.State(rawValue: row["state"]) else { return nil }
            return Create(
                destination: Destination(backend: row["backend"], account: row["account"]), resource: resource, state: state,
                row: state == .delivered ? (row["remoteID"] as String?).map { RosterID($0) } : nil)
        }
        return nil
    }

    /// The server's id of the created row; nil until the create was delivered.
    static func row(createdBy reference: MutationID, at destination: Destination, _ db: Database) throws -> RosterID? {
        guard let create = try create(reference, db), create.destination == destination else { return nil }
        return create.row
    }

    /// Why a mutation with a reference is not accepted.
    static func refusal(of mutation: Mutation, _ db: Database) throws -> OutboxError? {
        guard let id = mutation.subject?.reference else { return nil }
        func fits(_ create: Create) -> Bool { create.destination == mutation.destination && create.resource == mutation.reference }
        guard let create = try create(id, db), fits(create) else { return .noSuchCreate(id) }
        guard create.state == .discarded else { return nil }
        var last = id
        while let next = try receipt(last, db)?.supersededBy { last = next }
        guard last != id, let new = try Self.create(last, db), fits(new), new.state != .discarded else { return .createDiscarded(id) }
        return .createReplaced(id, by: last)
    }

    /// Throws `needs` if the create of an entry failed, is on hold or was discarded.
    static func checkCreate(of entry: Entry, _ db: Database) throws {
        guard let id = entry.mutation.subject?.reference else { return }
        guard let create = try create(id, db) else { throw OutboxError.noSuchCreate(id) }
        guard create.isViable else { throw OutboxError.needs(id, create.state) }
    }

    /// Holds a pending entry whose create failed, is on hold or was discarded.
    static func holdIfStranded(_ sequence: Int64, needs create: MutationID, now: Date, _ db: Database) throws {
        let found = try Self.create(create, db)
        if found?.isViable != true { try hold(sequence, .needing(create, found?.state), at: now, db) }
    }

    static func settleDependents(of create: Entry, _ settlement: Settlement, now: Date, _ db: Database) throws {
        switch settlement {
        case .delivered: try reviveDependents(of: create.id, now: now, db)
        case .dead: try holdDependents(of: create.id, .needing(create.id, .dead), now: now, db)
        case .held: try holdDependents(of: create.id, .needing(create.id, .held), now: now, db)
        case .retry, .released, .aside: break
        }
    }

    /// Holds the pending entries that need this one, and in turn those that need them.
    static func holdDependents(of id: MutationID, _ reason: Hold, now: Date, _ db: Database) throws {
        // A loop, because a chain of references may be long.
        var left = [(id, reason)]
        while let (create, reason) = left.popLast() {
            let dependents = try Int64.fetchAll(
                db.cachedStatement(sql: pendingDependents), arguments: [create.description])
            for sequence in dependents {
                guard let held = try putOnHold(sequence, reason, at: now, db), held.creates else { continue }
                left.append((held.id, .needing(held.id, .held)))
            }
        }
    }

    /// Makes the entries on hold for this one pending again, and in turn those on hold for them. Not those that had to follow a discarded
    /// entry: a person decides on them.
    static func reviveDependents(of id: MutationID, now: Date, _ db: Database) throws {
        var left = [id]
        while let create = left.popLast() {
            let dependents = try Entry.fetchAll(db.cachedStatement(sql: releasedDependents), arguments: [create.description])
            for entry in dependents {
                try db.cachedStatement(
                    sql: """
                        UPDATE entry SET state = 'pending', holdReason = NULL, dueAt = ?, lastStatus = NULL, lastReason = NULL, lastError = NULL
                        WHERE sequence = ?
                        """
                ).execute(arguments: [atOnce, entry.sequence])
                try insert(SyncEvent(at: now, .retried, of: entry, detail: ["after": create.description]), db)
                if entry.mutation.creates != nil { left.append(entry.id) }
            }
        }
    }
}
