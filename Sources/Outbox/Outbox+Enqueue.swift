import Foundation
import GRDB
import SyncModel
import Vault

package enum Enqueued: Sendable, Equatable {
    /// In this lane; nil for that of the mutation.
    case new(sequence: Int64, lane: Lane? = nil)
    /// The same id and content were accepted before, perhaps for another account.
    case duplicate(sequence: Int64, of: Destination, Lane)

    package var sequence: Int64 {
        switch self {
        case .new(let sequence, _), .duplicate(let sequence, _, _): sequence
        }
    }
}

extension Outbox {
    /// Accepts a mutation; returns after the fsync, which concurrent calls share. The same id with other content throws `idConflict`, after
    /// a discard `discarded`, and after a replacement `replaced`. A reference throws `noSuchCreate` unless its create was accepted before
    /// for the same account, `createDiscarded` after its discard, and `createReplaced` after a replacement that creates such a row.
    package func enqueue(_ mutation: Mutation, accountLabel: String? = nil, at now: Date) async throws(OutboxError) -> Enqueued {
        guard let result = try await enqueue([mutation], accountLabel: accountLabel, at: now).results.first else {
            throw .storage("a submission was left without a result")
        }
        return try result.get()
    }

    /// Accepts mutations of one account in order, in one transaction. A refusal affects only its mutation, but after one that must wait for
    /// room all later new ones are refused, because they may be of the same lane.
    ///
    /// A mutation with `supersedes` discards that entry. Throws `notFound` if the account has no such entry, `wrongState` after its
    /// delivery or discard, `mayBeDelivered` if it may have taken effect, `hasDependents` if others refer to the row that it creates, and
    /// `hasNewer` if the mutation would overwrite a newer change in its lane.
    package func enqueue(
        _ mutations: [Mutation], accountLabel: String?, at now: Date, _ options: EnqueueOptions = EnqueueOptions()
    ) async throws(OutboxError) -> Enqueueing {
        let bytes = mutations.reduce(0) { $0 + ($1.payload?.count ?? 0) }
        await preparing.take(bytes)
        defer { preparing.release(bytes) }
        let prepared = try withOutboxErrors { try mutations.map { try Prepared($0, by: vault) } }
        let sizes = prepared.map { Int64($0.sealed.count) }
        let size = sizes.reduce(0, +)
        let others = shortage.began(size)
        defer { shortage.ended(size) }
        let fitting = try await fitting(sizes, besides: others)
        // All of them or none.
        let needs = options.isWhole ? [size] + sizes.dropFirst() : sizes
        let enqueueing: Enqueueing
        do throws(OutboxError) {
            enqueueing = try await commit(size: size, isMandatory: false) { db in
                let standing = try options.question.flatMap { try answerIfPossible($0, db) }
                var refusal: OutboxError?
                let results = try prepared.enumerated().map { index, item -> Result<Enqueued, OutboxError> in
                    if let known = try Self.known(item, db) {
                        return try options.mustReplace ? Self.replacement(known, item.mutation, db) : known
                    }
                    // No later one has to wait for it.
                    if needs[index] > maxBytes { return .failure(.tooLarge(size: needs[index], limit: maxBytes)) }
                    // The last space is for accepted entries.
                    if refusal == nil, index >= fitting { refusal = .full }
                    let excess = try refusal == nil ? self.excess(with: needs[index], db) : 0
                    if excess > 0 {
                        let isForGood = try !Self.willFree(excess, db)
                        if isForGood, needs[index] > largestForAll { return .failure(.tooLarge(size: needs[index], limit: maxBytes)) }
                        refusal = .overLimit(maxBytes)
                        if isForGood { return .failure(.neverFits(maxBytes)) }
                    }
                    if let refusal { return .failure(refusal) }
                    return try Self.accept(item, accountLabel: accountLabel, options, now: now, db)
                }
                if options.isWhole { for result in results { _ = try result.get() } }
                return Enqueueing(results: results, standing: standing)
            }
        } catch {
            if options.isWhole { note(error, of: size, by: options.actor) }
            throw error
        }
        note(enqueueing.results, of: sizes, by: options.actor)
        arrivals.send()
        eventsWritten.send()
        return enqueueing
    }

    /// The results of mutations that were all accepted before, as `enqueue` would repeat them; nil otherwise. Stores nothing.
    package func repeated(_ mutations: [Mutation]) async throws(OutboxError) -> [Enqueued]? {
        let bytes = mutations.reduce(0) { $0 + ($1.payload?.count ?? 0) }
        await preparing.take(bytes)
        defer { preparing.release(bytes) }
        let prepared = try withOutboxErrors { try mutations.map { try Prepared($0, by: vault) } }
        // As for a submission: a client deletes its copy after the answer.
        if let reason = damage.reason { throw .damaged(reason) }
        let known = try await read { db -> [Enqueued]? in
            var known: [Enqueued] = []
            for item in prepared {
                guard let result = try Self.known(item, db) else { return nil }
                known.append(try result.get())
            }
            return known
        }
        try place.check()
        return known
    }

    /// Stores a mutation that is not known and has room.
    private static func accept(
        _ item: Prepared, accountLabel: String?, _ options: EnqueueOptions, now: Date, _ db: Database
    ) throws -> Result<Enqueued, OutboxError> {
        if let error = try refusal(of: item.mutation, db) { return .failure(error) }
        // While the superseded entry is in its lane, so that the new one follows it there.
        let placed = item.at(try place(of: item.mutation, db))
        if let error = try supersede(by: placed.mutation, options.actor, now: now, db) { return .failure(error) }
        let sequence = try insert(placed, accountLabel: accountLabel, by: options.actor, now: now, db)
        try takeOver(placed.mutation, as: sequence, now: now, db)
        let lane = placed.mutation.lane
        return .success(.new(sequence: sequence, lane: lane == item.mutation.lane ? nil : lane))
    }

    /// Notes whether there was room.
    private func note(_ results: [Result<Enqueued, OutboxError>], of sizes: [Int64], by actor: String?) {
        for case .success(.new) in results { shortage.note { ($0.lastNoSpace, $0.lastOverLimit) = (0, nil) } }
        // Later refusals may be smaller.
        for refusal in [OutboxError.overLimit(maxBytes), .neverFits(maxBytes), .full] {
            if let first = results.firstIndex(of: .failure(refusal)) { note(refusal, of: sizes[first], by: actor) }
        }
    }

    /// A large file of the drop folder is reported separately, because others are accepted while it waits.
    private func note(_ refusal: OutboxError, of size: Int64, by actor: String?) {
        guard actor != nil || size <= largestForAll else { return }
        switch refusal {
        case .overLimit, .neverFits: shortage.note { $0.lastOverLimit = size }
        case .full: shortage.note { $0.lastNoSpace = size }
        default: break
        }
    }

    /// How many of them, from the first on, fit on the disk besides `others` bytes.
    private func fitting(_ sizes: [Int64], besides others: Int64) async throws(OutboxError) -> Int {
        var needed = others + sizes.reduce(0, +)
        for count in sizes.indices.reversed() {
            if try await diskHasRoom(for: needed) { return count + 1 }
            needed -= sizes[count]
        }
        return 0
    }

    /// Bytes in use; free pages are reused before the file grows.
    static func usedBytes(_ db: Database) throws -> Int64 {
        // Not as tables, for which SQLite compiles the pragma at every use.
        let (pages, free, size) = (
            try db.cachedStatement(sql: "PRAGMA page_count"), try db.cachedStatement(sql: "PRAGMA freelist_count"),
            try db.cachedStatement(sql: "PRAGMA page_size")
        )
        return try ((Int64.fetchOne(pages) ?? 0) - (Int64.fetchOne(free) ?? 0)) * (Int64.fetchOne(size) ?? 0)
    }

    /// Nil for a new mutation.
    private static func known(_ item: Prepared, _ db: Database) throws -> Result<Enqueued, OutboxError>? {
        let id = item.mutation.id
        if item.mutation.isOriginal { return nil }
        for sql in sameID {
            let statement = try db.cachedStatement(sql: sql)
            guard let row = try Row.fetchOne(statement, arguments: [id.description]) else { continue }
            guard row["digest"] == item.digest else { return .failure(.idConflict(id)) }
            let discards = try db.cachedStatement(
                sql: "SELECT settledAt, discardedBy, supersededBy FROM receipt WHERE id = ? AND outcome = 'discarded'")
            if let discard = try Row.fetchOne(discards, arguments: [id.description]) {
                let date = Date(ms: discard["settledAt"])
                if let new = try lastReplacement(discard["supersededBy"], db) { return .failure(.replaced(id, by: new, at: date)) }
                return .failure(.discarded(id, by: discard["discardedBy"], at: date))
            }
            let destination = Destination(backend: row["backend"], account: row["account"])
            return .success(.duplicate(sequence: row["sequence"], of: destination, Lane(row["lane"] as String)))
        }
        return nil
    }

    /// The end of a chain of replacements; nil if that was or is being discarded, so that no entry has the capture.
    private static func lastReplacement(_ first: String?, _ db: Database) throws -> MutationID? {
        var next = first
        while let id = next {
            let discards = try db.cachedStatement(
                sql: """
                    SELECT supersededBy FROM receipt WHERE id = ?1 AND outcome = 'discarded'
                    UNION ALL SELECT NULL FROM entry WHERE id = ?1 AND holdReason = 'discarding'
                    """)
            guard let discard = try Row.fetchOne(discards, arguments: [id]) else { return MutationID(id) }
            next = discard["supersededBy"]
        }
        return nil
    }

    private static let sameID = ["entry", "receipt"].map { "SELECT sequence, backend, account, lane, digest FROM \($0) WHERE id = ?" }

    /// The earlier result of a repeated mutation that replaces an entry: it is a duplicate only of the one that replaced it.
    private static func replacement(
        _ known: Result<Enqueued, OutboxError>, _ mutation: Mutation, _ db: Database
    ) throws -> Result<Enqueued, OutboxError> {
        guard case .success = known, let old = mutation.supersedes else { return known }
        return try receipt(old, db)?.supersededBy == mutation.id ? known : .failure(.idConflict(mutation.id))
    }

    /// Bytes.
    private static let largestKept = 64 << 10

    /// In bytes: if a submission of this size does not fit, none does.
    package var largestForAll: Int64 { min(1 << 20, maxBytes / 16) }

    private struct Prepared: Sendable {
        private(set) var mutation: Mutation
        private(set) var joinsLanes = false
        let sealed, digest: Data
        private(set) var identity: Data
        let vault: Vault
        let generation: Int

        init(_ mutation: Mutation, by vault: Vault) throws {
            self.mutation = mutation
            self.vault = vault
            generation = vault.generation
            let content = SealedContent(fields: mutation.fields, payload: mutation.payload, hasFollower: mutation.hasFollower)
            (sealed, digest) = try content.sealed(
                by: vault, as: mutation.id, backend: mutation.destination.backend, route: mutation.route)
            identity = mutation.identity(digest: digest, by: vault)
        }

        func at(_ place: Place) -> Prepared {
            var placed = self
            if place.lane != mutation.lane {
                placed.mutation.lane = place.lane
                placed.identity = placed.mutation.identity(digest: digest, by: vault)
            }
            (placed.mutation.after, placed.joinsLanes) = (place.after, place.joinsLanes)
            return placed
        }
    }

    private static func insert(
        _ item: Prepared, accountLabel: String?, by actor: String?, now: Date, _ db: Database
    ) throws -> Int64 {
        let (mutation, to) = (item.mutation, item.mutation.destination)
        // With the data key of this transaction.
        let sealed = try item.vault.refreshed(item.sealed, of: item.generation, as: mutation.id.description)
        if let accountLabel { try remember(Account(id: to.account, label: accountLabel), of: to.backend, db) }
        let replaced = try mutation.supersedes.flatMap { try place(of: $0, replacedBy: mutation.id, db) }
        try db.cachedStatement(sql: insertion).execute(arguments: [
            mutation.id.description, to.backend, to.account, mutation.lane.rawValue, mutation.route, mutation.onDead.rawValue,
            mutation.payload?.count ?? 0, item.digest, atOnce, mutation.capturedAt.ms, now.ms, mutation.supersedes?.description,
            item.identity, mutation.after?.rawValue, try parent(of: item, db),
            mutation.subject?.rawValue, mutation.reference, mutation.creates, mutation.afterSubject && mutation.subject != nil,
            replaced,
        ])
        let sequence = db.lastInsertedRowID
        let sql = "INSERT INTO content (sequence, id, sealed) VALUES (?, ?, ?)"
        // A cached statement keeps its last bindings, so a large payload would stay in memory.
        let statement = try sealed.count > largestKept ? db.makeStatement(sql: sql) : db.cachedStatement(sql: sql)
        try statement.execute(arguments: [sequence, mutation.id.description, sealed])
        var detail = ["route": mutation.route, "lane": mutation.lane.rawValue]
        detail["by"] = actor
        detail["file"] = mutation.file
        if replaced != nil { detail["replaces"] = mutation.supersedes?.description }
        try insert(
            SyncEvent(at: now, .captured, backend: to.backend, account: to.account, entry: mutation.id, detail: detail), db)
        if let create = mutation.subject?.reference { try holdIfStranded(sequence, needs: create, now: now, db) }
        return sequence
    }

    private static let insertion = """
        INSERT INTO entry (sequence, id, backend, account, lane, route, onDead, size, digest, dueAt, capturedAt, acceptedAt, supersedes, identity,
            after, parent, subject, reference, creates, afterSubject, replaces)
        VALUES (\(OutboxSchema.nextSequence), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    private static func parent(of item: Prepared, _ db: Database) throws -> Int64? {
        guard let after = item.mutation.after else { return nil }
        if item.mutation.isBehind, !item.joinsLanes { return 0 }
        let destination = item.mutation.destination
        // A discarded one does not count, although it may come back.
        return item.joinsLanes
            ? try newestHalting(in: after, at: destination, db)
            : try newest(in: after, at: destination, where: "holdReason IS NOT 'discarding'", db)
    }

    /// The sequence of the first entry in a chain of replacements; nil if `old` was not replaced.
    private static func place(of old: MutationID, replacedBy new: MutationID, _ db: Database) throws -> Int64? {
        try Int64.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT coalesce(replaces, sequence) FROM entry WHERE id = ?
                        AND EXISTS (SELECT 1 FROM receipt WHERE receipt.id = entry.id AND supersededBy = ?)
                    """), arguments: [old.description, new.description])
    }

    /// Stores the display name of an account.
    static func remember(_ account: Account, of backend: String, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO account (backend, id, label) VALUES (?, ?, ?)
                ON CONFLICT DO UPDATE SET label = excluded.label WHERE label <> excluded.label
                """
        ).execute(arguments: [backend, account.id, account.label])
    }
}
