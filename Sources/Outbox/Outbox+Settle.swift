import Foundation
import GRDB
import SyncModel

extension Outbox {
    /// Writes the results of sends and claims the next entries, in one transaction. Ignores late settlements, whose entries are no longer
    /// in flight under this epoch.
    package func settle(
        _ settled: [Settled], thenClaim orders: [Destination: ClaimOrder], at now: Date
    ) async throws(OutboxError) -> Claimed {
        let claimed = try await commit { db in
            try Self.write(settled, epoch: epoch, now: now, db)
            let begin = ContinuousClock.now
            var claimed = try Self.claim(orders, epoch: epoch, by: decryptor, now: now, db)
            claimed.took = ContinuousClock.now - begin
            return claimed
        }
        if !settled.isEmpty { eventsWritten.send() }
        return claimed
    }

    /// Writes settlements. If one violates a constraint, which only damage can cause, holds its entry.
    private static func write(_ settled: [Settled], epoch: Int64, now: Date, _ db: Database) throws {
        if settled.isEmpty { return }
        do {
            try db.inSavepoint {
                for item in settled { try write(item, epoch: epoch, now: now, db) }
                return .commit
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            guard settled.count == 1 else {
                for item in settled { try write([item], epoch: epoch, now: now, db) }
                return
            }
            let sequence = settled[0].entry.sequence
            do { try hold(sequence, .unsettled, inFlightUnder: epoch, at: now, db) } catch let other as DatabaseError
                where other.resultCode == .SQLITE_CONSTRAINT
            {
                throw OutboxError.damaged("the result of entry \(sequence) cannot be stored: \(error)")
            }
        }
    }

    private static func write(_ item: Settled, epoch: Int64, now: Date, _ db: Database) throws {
        guard try update(item, epoch: epoch, now: now, db) else { return }
        let entry = item.entry
        try record(item, now: now, db)
        var event = SyncEvent(at: now, .released, of: entry)
        if let failure = item.settlement.failure {
            event.detail = ["reason": failure.reason.rawValue, "message": failure.message]
            event.detail["status"] = failure.status.map { String($0) }
        }
        switch item.settlement {
        case .delivered(let receipt):
            try insert(receipt, of: entry.sequence, now: now, db)
            event.kind = .delivered
            event.detail = ["status": String(receipt.status), "route": entry.mutation.route]
            event.detail["remoteID"] = receipt.remoteID
            if receipt.foundByLookup {
                event.detail["foundByLookup"] = "true"
            } else {
                // Without a look-up, an earlier send may have taken effect too.
                if entry.doubts > 0 { event.detail["doubts"] = String(entry.doubts) }
                try recall(entry, db)
            }
            event.detail["altered"] = receipt.altered
        case .retry: event.kind = .retrying
        case .released: break
        case .aside: if entry.mutation.onDead == .skip { event.detail["aside"] = "true" }
        case .held(let reason, _):
            event.kind = .held
            event.detail["reason"] = reason.rawValue
        case .dead: event.kind = .dead
        }
        // Not for entries handed back unsent: there may be thousands when a session ends.
        if item.attempt != nil || event.kind != .released { try insert(event, db) }
        if entry.mutation.creates != nil { try settleDependents(of: entry, item.settlement, now: now, db) }
    }

    /// False for a late settlement. Always the same statement, because each other one would keep a compiled copy of all triggers in memory.
    private static func update(_ item: Settled, epoch: Int64, now: Date, _ db: Database) throws -> Bool {
        let entry = settledEntry(item, now: now)
        try db.cachedStatement(
            sql: """
                UPDATE entry SET epoch = NULL, state = ?, holdReason = ?, dueAt = ?, aside = ?, attempts = ?, releases = ?, looks = ?,
                    uncertain = ?, uncertainAt = ?, doubtedAt = ?, doubts = ?, triedAt = ?, countedAt = ?, failedAt = ?, settledAt = ?,
                    lastStatus = ?, lastReason = ?, lastError = ?, remoteID = ?
                WHERE sequence = ? AND state = 'inflight' AND epoch = ?
                """
        ).execute(arguments: [
            entry.state.rawValue, entry.holdReason?.rawValue, entry.dueAt?.ms ?? atOnce, entry.isAside, entry.attempts, entry.releases,
            entry.looks, entry.uncertain, entry.uncertainSince?.ms, entry.doubtedAt?.ms, entry.doubts, entry.triedAt?.ms,
            entry.countedAt?.ms, entry.failedAt?.ms, entry.settledAt?.ms, entry.lastStatus, entry.lastReason?.rawValue, entry.lastError,
            entry.remoteID, entry.sequence, epoch,
        ])
        return db.changesCount == 1
    }

    /// The entry with the result of its send.
    private static func settledEntry(_ item: Settled, now: Date) -> Entry {
        var entry = item.entry
        let failure = item.settlement.failure
        let since = entry.uncertainSince ?? item.attempt?.startedAt ?? now
        if !keepsLastResult(item) {
            (entry.lastStatus, entry.lastReason, entry.lastError) = (failure?.status, failure?.reason, failure?.message)
        }
        entry.uncertain = failure?.outcomeUnknown ?? false
        entry.uncertainSince = entry.uncertain ? since : nil
        if let attempt = item.attempt { add(attempt, isDoubtful: item.isDoubtful, to: &entry) }
        if item.counts { (entry.attempts, entry.countedAt) = (entry.attempts + 1, now) }
        switch item.settlement {
        case .delivered(let receipt): (entry.state, entry.settledAt, entry.remoteID) = (.delivered, now, receipt.remoteID)
        case .retry(let at, _): (entry.state, entry.dueAt, entry.isAside) = (.pending, at, false)
        case .released(let until, _):
            (entry.state, entry.dueAt, entry.isAside) = (.pending, until <= now ? nil : until, false)
            if item.attempt != nil { entry.releases += 1 }
        case .aside(let until, _):
            // Behind untried entries.
            (entry.state, entry.dueAt, entry.isAside) = (.pending, max(now, until), true)
            if item.attempt != nil { entry.releases += 1 }
        case .held(let reason, _): (entry.state, entry.holdReason) = (.held, reason)
        case .dead: entry.state = .dead
        }
        return entry
    }

    /// True if nothing was sent, so that the last result holds, unless a look-up was answered with an error.
    private static func keepsLastResult(_ item: Settled) -> Bool {
        switch (item.attempt?.verdict, item.settlement) {
        case (.unseen?, _): item.entry.looks == 0
        case (.unreachable?, _), (.throttled?, _), (.unauthorized?, _):
            item.entry.uncertain && item.settlement.failure?.outcomeUnknown == true && item.attempt?.wasSent == false
        // No request was made.
        case (nil, .released), (nil, .aside): item.entry.uncertain || item.settlement.failure?.reason == .paused
        default: false
        }
    }

    /// - Parameter entry: with the settlement's doubt.
    private static func add(_ attempt: Attempt, isDoubtful: Bool, to entry: inout Entry) {
        entry.triedAt = attempt.startedAt
        if isDoubtful {
            (entry.doubtedAt, entry.doubts) = (attempt.endedAt, entry.doubts + 1)
        } else if !entry.uncertain {
            entry.doubtedAt = nil
        }
        switch attempt.verdict {
        case .transient(let failure), .intercepted(let failure), .unknown(let failure):
            if attempt.wasSent, failure.reason != .stopping { entry.failedAt = attempt.endedAt }
        default: break
        }
        switch attempt.verdict {
        case .unknown where !attempt.wasSent && entry.uncertain: entry.looks += 1
        case .unread(let failure, _) where failure.reason == .tooLarge: entry.looks += 1
        case .unread(let failure, _) where failure.reason == .throttled: break
        case .unreachable, .throttled, .unauthorized: break
        default: entry.looks = 0
        }
    }

    /// After a delivery, tries entries of the route that stepped aside at once, except those with failing lookups.
    private static func recall(_ entry: Entry, _ db: Database) throws {
        let waits = try Bool.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT EXISTS (SELECT 1 FROM entry INDEXED BY asideOrder WHERE aside AND state = 'pending'
                        AND backend = ? AND account = ?)
                    """), arguments: [entry.destination.backend, entry.destination.account])
        guard waits == true else { return }
        try db.cachedStatement(
            sql: """
                UPDATE entry INDEXED BY asideOrder SET aside = 0, dueAt = ? WHERE aside AND state = 'pending' AND looks < \(stuckLooks)
                    AND backend = ? AND account = ? AND route = ?
                """
        ).execute(arguments: [
            atOnce, entry.destination.backend, entry.destination.account, entry.mutation.route,
        ])
    }

    /// Consecutive failed lookups after which a person should know.
    package static let stuckLooks = 3

    /// Keeps the newest 20 attempts. A delivery at the first send needs no row: see `onlyAttempt`.
    private static func record(_ item: Settled, now: Date, _ db: Database) throws {
        guard let attempt = item.attempt else { return }
        if item.entry.triedAt == nil, case .delivered(let receipt) = item.settlement, !receipt.foundByLookup,
            case .accepted = attempt.verdict
        {
            return
        }
        let sequence = item.entry.sequence
        let number =
            (try Int64.fetchOne(
                db.cachedStatement(sql: "SELECT max(number) FROM attempt WHERE entry = ?"), arguments: [sequence]) ?? 0) + 1
        let verdict = attempt.verdict
        let failure = verdict.failure
        let status: Int? = if case .accepted(let receipt) = verdict { receipt.status } else { failure?.status }
        try db.cachedStatement(
            sql: """
                INSERT INTO attempt (entry, number, startedAt, endedAt, verdict, counted, status, message) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            sequence, number, attempt.startedAt.ms, attempt.endedAt.ms, verdict.name.rawValue, item.counts, status, failure?.message,
        ])
        if number > 20 {
            try db.cachedStatement(sql: "DELETE FROM attempt WHERE entry = ? AND number <= ?").execute(arguments: [sequence, number - 20])
        }
    }

    private static func insert(_ receipt: Receipt, of sequence: Int64, now: Date, _ db: Database) throws {
        let values: [String: (any DatabaseValueConvertible)?] = [
            "remoteID": receipt.remoteID, "status": receipt.status, "foundByLookup": receipt.foundByLookup, "altered": receipt.altered,
        ]
        try insertReceipt(of: sequence, .delivered, values, now: now, db)
    }

    /// The receipt of an entry, with its columns and these.
    static func insertReceipt(
        of sequence: Int64, _ outcome: ReceiptRecord.Outcome, _ values: [String: (any DatabaseValueConvertible)?], now: Date, _ db: Database
    ) throws {
        let columns = values.keys.sorted()
        try db.cachedStatement(
            sql: """
                INSERT INTO receipt (id, sequence, backend, account, lane, route, size, digest, attempts, capturedAt, acceptedAt, subject, creates,
                    outcome, settledAt, \(columns.joined(separator: ", ")))
                SELECT id, sequence, backend, account, lane, route, size, digest, attempts, capturedAt, acceptedAt, subject, creates,
                    :outcome, :settledAt, \(columns.map { ":\($0)" }.joined(separator: ", "))
                FROM entry WHERE sequence = :sequence
                """
        ).execute(
            arguments: StatementArguments(
                values.merging(["outcome": outcome.rawValue, "settledAt": now.ms, "sequence": sequence]) { $1 }))
    }
}
