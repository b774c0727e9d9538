import Foundation
import GRDB
import SyncModel

/// Discards with grace, and replaced entries (Decisions/DiscardsWithGrace).
extension Outbox {
    /// The longest grace in seconds.
    package static let longestGrace: TimeInterval = 86_400

    /// The grace in seconds of an entry whose time was set while the clock was ahead.
    package static let correctedGrace: TimeInterval = 600

    /// Discards an entry at `date`. Until then it is held as `discarding`, stops no lane, and `restore` brings it back. A second call does
    /// not change the time. `reason` is a person's, and `name` the display name of `actor`.
    package func discard(
        _ id: MutationID, later date: Date, reason: String?, by actor: String, named name: String?, at now: Date
    ) async throws(OutboxError) {
        try await commit { db in
            let entry = try Self.entry(id, in: [.dead, .held, .pending], db)
            guard entry.holdReason != .discarding else { return }
            try db.cachedStatement(
                sql: """
                    UPDATE entry SET state = 'held', holdReason = 'discarding', discardAt = ?, discardBy = ?, discardActor = ?,
                        restoreTo = iif(state = 'held', 'held:' || holdReason, state) WHERE sequence = ?
                    """
            ).execute(arguments: [date.ms, name ?? actor, actor, entry.sequence])
            var detail = ["reason": HoldReason.discarding.rawValue, "by": actor, "from": entry.state.rawValue]
            detail["until"] = date.formatted(.iso8601)
            detail["note"] = reason
            try Self.insert(SyncEvent(at: now, .held, of: entry, detail: detail), db)
            try Self.holdDependents(of: id, .needing(id, .held), now: now, db)
        }
        discardsPlanned.send()
        eventsWritten.send()
        // The next entry of the lane may be eligible now.
        arrivals.send()
    }

    /// Destroys the content at once and keeps a receipt.
    package func discard(
        _ id: MutationID, reason: String? = nil, by actor: String, named name: String? = nil, at now: Date
    ) async throws(OutboxError) {
        try await commit { db in
            let entry = try Self.entry(id, in: [.dead, .held, .pending], db)
            var event = SyncEvent(at: now, .discarded, of: entry, detail: ["by": actor, "from": entry.state.rawValue])
            event.detail["note"] = reason
            try Self.discard(entry, by: actor, named: name, as: event, now, db)
            try Self.holdDependents(of: entry, now: now, db)
        }
        secretsDeleted.send()
        eventsWritten.send()
        arrivals.send()
    }

    /// Returns the entry to its earlier state, or to hold if one that it needs or follows is gone. Throws `wrongState` unless it is being
    /// discarded.
    package func restore(_ id: MutationID, by actor: String, at now: Date) async throws(OutboxError) {
        try await commit { db in
            let entry = try Self.entry(id, in: [.held], db)
            guard entry.holdReason == .discarding else { throw OutboxError.wrongState(id, .held) }
            let (state, reason) = try Self.restored(entry, db)
            try db.cachedStatement(
                sql: """
                    UPDATE entry SET state = ?, holdReason = ?, discardAt = NULL, discardBy = NULL, discardActor = NULL, restoreTo = NULL
                    WHERE sequence = ?
                    """
            ).execute(arguments: [state.rawValue, reason?.rawValue, entry.sequence])
            try Self.insert(SyncEvent(at: now, .restored, of: entry, detail: ["by": actor, "to": state.rawValue]), db)
            guard state == .pending else { return }
            if let parent = try Self.discardedParent(of: entry, db) {
                try Self.hold(entry.sequence, .discarded(parent), at: now, db)
                return
            }
            try Self.reviveDependents(of: id, now: now, db)
            if let create = entry.mutation.subject?.reference { try Self.holdIfStranded(entry.sequence, needs: create, now: now, db) }
        }
        eventsWritten.send()
        arrivals.send()
    }

    /// The state before the discard. An entry held only for its create becomes pending if that is on its way: nothing else would release
    /// it.
    private static func restored(_ entry: Entry, _ db: Database) throws -> (Entry.State, HoldReason?) {
        let stored = try String.fetchOne(db, sql: "SELECT restoreTo FROM entry WHERE sequence = ?", arguments: [entry.sequence])
        switch stored {
        case Entry.State.pending.rawValue: return (.pending, nil)
        case Entry.State.dead.rawValue: return (.dead, nil)
        default:
            let reason = stored.flatMap { HoldReason(rawValue: String($0.trimmingPrefix("held:"))) } ?? .operator
            guard reason == .dependency, let create = entry.mutation.subject?.reference, try isOnItsWay(create, db),
                try discardedParent(of: entry, db) == nil
            else { return (.held, reason) }
            return (.pending, nil)
        }
    }

    /// True if an entry is pending, in flight or delivered.
    private static func isOnItsWay(_ id: MutationID, _ db: Database) throws -> Bool {
        let states: Set<Entry.State> = [.pending, .inflight, .delivered]
        return try entry(id, db).map { states.contains($0.state) } ?? false
    }

    /// The entry that it had to follow, if that was discarded.
    private static func discardedParent(of entry: Entry, _ db: Database) throws -> MutationID? {
        let discarded = "SELECT id FROM receipt WHERE sequence = ? AND outcome = 'discarded'"
        return try String.fetchOne(db, sql: discarded, arguments: [entry.parent]).flatMap { MutationID($0) }
    }

    /// The first entry in a chain of replacements; the entry itself if it replaced none.
    package func first(of entry: Entry) async throws(OutboxError) -> Entry {
        guard entry.mutation.supersedes != nil else { return entry }
        return try await read { db in
            let search = "SELECT receipt.id FROM entry JOIN receipt ON receipt.sequence = entry.replaces WHERE entry.sequence = ?"
            let id = try String.fetchOne(db, sql: search, arguments: [entry.sequence]).flatMap { MutationID($0) }
            return try id.flatMap { try Self.entry($0, db) } ?? entry
        }
    }

    /// Discards due entries in batches; returns the time of the next one. A time beyond `longestGrace` was set while the clock was ahead,
    /// and becomes `correctedGrace`.
    package func discardDue(at now: Date) async throws(OutboxError) -> Date? {
        var hasDiscarded = false
        defer { if hasDiscarded { secretsDeleted.send() } }
        while true {
            let (next, last) = try await read(Self.discardTimes)
            guard let next, let last else { return nil }
            let horizon = now.addingTimeInterval(Self.longestGrace)
            guard next <= now || last > horizon else { return next }
            try await commit { db in
                try db.execute(
                    sql: "UPDATE entry SET discardAt = ? WHERE discardAt > ?",
                    arguments: [now.addingTimeInterval(Self.correctedGrace).ms, horizon.ms])
                try Self.discardDue(at: now, db)
            }
            hasDiscarded = true
            eventsWritten.send()
            // A follower may now be on hold, and its lane may skip it.
            arrivals.send()
        }
    }

    /// The earliest and the latest, by one index seek each.
    private static func discardTimes(_ db: Database) throws -> (Date?, Date?) {
        func time(_ which: String) throws -> Date? {
            let sql = "SELECT \(which)(discardAt) FROM entry WHERE discardAt IS NOT NULL"
            return try Int64.fetchOne(db.cachedStatement(sql: sql)).map(Date.init(ms:))
        }
        return (try time("min"), try time("max"))
    }

    private static func discardDue(at now: Date, _ db: Database) throws {
        for row in try Row.fetchAll(db, sql: dueDiscards, arguments: [now.ms]) {
            let entry = try Entry(row: row)
            let actor: String? = try row.decode(forColumn: "discardActor")
            try discard(entry, by: actor ?? entry.discardBy ?? "a person", named: entry.discardBy, now, db)
            try holdDependents(of: entry, now: now, db)
        }
    }

    private static let mostDestroyed = 200

    static let dueDiscards = "SELECT * FROM entry WHERE discardAt <= ? ORDER BY discardAt, sequence LIMIT \(mostDestroyed)"

    /// Discards the superseded entry. Returns why the new one must not be accepted; nil if it may be. `actor` is nil for the drop folder.
    static func supersede(by new: Mutation, _ actor: String?, now: Date, _ db: Database) throws -> OutboxError? {
        guard let id = new.supersedes else { return nil }
        guard let old = try entry(id, db), old.destination == new.destination else { return .notFound(id) }
        switch old.state {
        case .delivered, .discarded: return .wrongState(id, old.state)
        case .inflight: return .mayBeDelivered(id)
        case .pending, .dead, .held: break
        }
        if old.holdReason == .discarding { return .beingDiscarded(id, at: old.discardAt ?? now) }
        if old.mayHaveTakenEffect { return .mayBeDelivered(id) }
        if try hasDependents(old, db) { return .hasDependents(id) }
        if let newer = try newest(after: old, by: new.altering, in: new.lane, db) {
            return .hasNewer(id, newer: newer)
        }
        var event = SyncEvent(at: now, .superseded, of: old, detail: ["from": old.state.rawValue, "new": new.id.description])
        event.detail["by"] = actor
        try discard(old, by: actor ?? "drop folder", named: nil, as: event, now, db)
        let replaced = try db.cachedStatement(sql: "UPDATE receipt SET supersededBy = ? WHERE id = ?")
        try replaced.execute(arguments: [new.id.description, id.description])
        // The new entry has its capture, so nothing was thrown away.
        try db.cachedStatement(
            sql: """
                UPDATE tally SET count = count - 1, bytes = bytes - ?
                WHERE backend = ? AND account = ? AND state = 'discarded' AND route = ?
                """
        ).execute(arguments: [old.size, old.destination.backend, old.destination.account, old.route])
        return nil
    }

    /// Lets entries that had to follow the superseded one follow the new one, if that is in the same lane. Otherwise a person decides.
    static func takeOver(_ new: Mutation, as sequence: Int64, now: Date, _ db: Database) throws {
        guard let id = new.supersedes, let old = try receipt(id, db), old.supersededBy == new.id else { return }
        guard new.lane == old.lane, try !hasFollower(in: old.lane, at: new.destination, db) else {
            return try holdFollowers(of: old.sequence, in: old.lane, .replaced(old, by: new), now: now, db)
        }
        let parts = [("afterOrder", "after IS NOT NULL AND state = 'pending'"), ("stateOrder", "state IN ('dead', 'held')")]
        for (index, states) in parts {
            try db.execute(
                sql: "UPDATE entry INDEXED BY \(index) SET parent = ? WHERE after = ? AND parent = ? AND \(states)",
                arguments: [sequence, new.lane.rawValue, old.sequence])
        }
    }

    /// True if an undelivered entry of the lane must follow another lane. The two lanes could wait for each other.
    private static func hasFollower(in lane: Lane, at destination: Destination, _ db: Database) throws -> Bool {
        try newest(in: lane, at: destination, where: "after IS NOT NULL AND parent IS NOT 0", db) != nil
    }

    /// The newest entry by these routes after this one in its lane: a replacement would be sent after it. Nil for none.
    ///
    /// - Parameter isSent: only those in flight or delivered count.
    package func newest(after entry: Entry, by routes: Set<String>, isSent: Bool = false) async throws(OutboxError) -> MutationID? {
        try await read { db in try Self.newest(after: entry, by: routes, isSent: isSent, in: entry.lane, db) }
    }

    /// The newest other entry of a lane by these routes that was accepted after `entry`, and that is undelivered or was delivered. A
    /// replacement is as old as the first entry of its chain. One that is being discarded does not count, although it may come back.
    private static func newest(
        after entry: Entry, by routes: Set<String>, isSent: Bool = false, in lane: Lane, _ db: Database
    ) throws -> MutationID? {
        if routes.isEmpty { return nil }
        let age = try db.cachedStatement(sql: "SELECT coalesce(replaces, sequence) FROM entry WHERE sequence = ?")
        let first = try Int64.fetchOne(age, arguments: [entry.sequence]) ?? entry.sequence
        let (backend, account) = (entry.destination.backend, entry.destination.account)
        let place: StatementArguments = [first, backend, account, lane.rawValue, entry.sequence]
        let statement = try db.cachedStatement(sql: newestAfter(routes: routes.count, isSent: isSent))
        return try String.fetchOne(statement, arguments: place + StatementArguments(routes)).flatMap { MutationID($0) }
    }

    /// Each part ends at its newest match. No index has the receipts of a lane, so those after the entry are read, the newest first.
    static func newestAfter(routes count: Int, isSent: Bool) -> String {
        let routes = (6..<6 + count).map { "?\($0)" }.joined(separator: ", ")
        let place = "sequence > ?1 AND backend = ?2 AND account = ?3 AND lane = ?4 AND sequence <> ?5 AND route IN (\(routes))"
        let undelivered = laneIndexes.map { "entry WHERE \($0) AND holdReason IS NOT 'discarding'" }
        let entries = isSent ? ["entry WHERE state = 'inflight'"] : undelivered
        let parts = (entries + ["receipt WHERE outcome = 'delivered'"]).map { "SELECT id, sequence FROM \($0) AND \(place)" }
        return parts.joined(separator: " UNION ALL ") + " ORDER BY sequence DESC LIMIT 1"
    }

    static let anyDependent = "SELECT 1 FROM entry WHERE needs = ? AND \(isOpen) LIMIT 1"

    /// True if an undelivered entry refers to what this one creates.
    private static func hasDependents(_ entry: Entry, _ db: Database) throws -> Bool {
        guard entry.mutation.creates != nil else { return false }
        return try Int.fetchOne(db.cachedStatement(sql: anyDependent), arguments: [entry.id.description]) != nil
    }
}
