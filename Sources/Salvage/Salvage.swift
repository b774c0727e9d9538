import Foundation
import GRDB
import Outbox
import SyncModel
import Vault

/// Copies every readable row of a damaged store into a fresh one (Decisions/DamagedStore.md).
final class Salvage {
    let pages: StorePages
    let db: Database
    let vault: Vault
    let now: Date
    var report: SalvageReport
    let columns: [String]
    /// Rows with another entry's sequence. They get the one that an index names, or a new one.
    var displaced: [[String: DatabaseValue]] = []
    var counters: [String: Int64] = [:]
    /// The last number of each table that counts as assigned.
    var assigned: [String: Int64] = [:]
    /// Entries that the salvage holds. Their events follow those that were read.
    var held: [(id: MutationID?, backend: String?, account: String?, reason: HoldReason)] = []
    private var epoch: Int64 = 0
    /// The epoch that the store certainly had at its end; nil if damage may have changed it.
    private(set) var certainEpoch: Int64?
    private var names: [String: [String]] = [:]
    let progress: () -> Void

    /// `db` is a store with all its tables, empty and without triggers. `progress` is called after every few hundred pages and after each
    /// step.
    init(_ pages: StorePages, into db: Database, vault: Vault, because reason: String, now: Date, progress: @escaping () -> Void) throws {
        (self.pages, self.db, self.vault, self.now, self.progress) = (pages, db, vault, now, progress)
        report = SalvageReport(at: now, reason: reason)
        report.mayMissMore = pages.log.mayHoldMore
        columns = try Self.columns(of: "entry", db)
    }

    /// Reads the newest versions first, so that an earlier version of a row never takes its place.
    func run() throws -> SalvageReport {
        for trust in StorePages.Trust.allCases {
            try forEachRow(trust) { row in try take(row, trust) }
        }
        if pages.log.mayLackVersions {
            // A row may continue in an earlier version of a damaged overflow page; a content's seal verifies that. The row's own page may
            // be as doubtful: a frame with a changed page number counts for both pages.
            for trust in StorePages.Trust.allCases {
                try forEachRow(trust, goingOnIn: .earlier) { row in if case .content = row { try take(row, .earlier) } }
            }
        }
        let steps = [
            setAsideImpossible, join, fillGaps, insertDisplaced, joinContents, checkContents, holdDependents, boundSizes, continueEvents,
            boundFigures, countAndTell, deriveTables,
        ]
        for step in steps {
            progress()
            try step()
        }
        progress()
        return report
    }

    /// `other` is the version to read of an overflow page with a damaged newest version.
    func forEachRow(_ trust: StorePages.Trust, goingOnIn other: StorePages.Trust = .damaged, _ work: (FoundRow) throws -> Void) throws {
        let numbers = trust == .newest ? Array(1...max(1, pages.count)) : pages.log.versions.keys.sorted()
        for (count, number) in numbers.enumerated() where !pages.isPointerMap(number) {
            if count % 256 == 0 { progress() }
            guard let bytes = pages.page(number, trust), let page = TreePage(bytes, number: number, of: pages, goingOnIn: other) else {
                continue
            }
            for row in page.rows {
                if let found = FoundRow(row, in: page.kind) { try work(found) }
            }
        }
    }

    private func take(_ row: FoundRow, _ trust: StorePages.Trust) throws {
        switch row {
        case .entry(let sequence, let values, let isWhole):
            try insertEntry(sequence, values, isWhole: isWhole, isNewest: trust == .newest && !pages.log.mayLackVersions)
        case .content(let sequence, let id, let sealed): try insertContent(sequence, id, sealed)
        case .receipt(let values): try insert(into: "receipt", values)
        case .event(let cursor, let values): try insert(into: "event", [cursor.databaseValue] + values.dropFirst())
        case .attempt(let values): try insert(into: "attempt", values)
        case .account(let values): try insert(into: "account", values)
        case .origin(let values): try insert(into: "origin", values)
        case .lookupRule(let values): try insert(into: "lookupRule", values)
        case .pause(let values): try insert(into: "pause", values)
        case .quiet(let values): try insert(into: "quiet", values)
        case .gap(let values): try insert(into: "gap", values)
        case .figure(let values): try insert(into: "dailyFigure", values)
        case .figureCursor(let values):
            // An earlier version would count events twice.
            if trust == .newest, !pages.log.mayLackVersions { try insert(into: "figureCursor", values) }
        case .session(_, _, let values):
            // An earlier version may be signed out since, or hold a used refresh token.
            if trust == .newest, !pages.log.mayLackVersions { try insert(into: "session", values) }
        case .epoch(let value):
            epoch = max(epoch, value)
            if trust == .newest, !pages.log.mayLackVersions { certainEpoch = value }
        case .counter(let table, let value): if trust == .newest { counters[table] = max(counters[table] ?? 0, value) }
        case .identity, .place, .settled, .keyring: break
        }
    }

    /// Stored columns, in order.
    private static func columns(of table: String, _ db: Database) throws -> [String] {
        try String.fetchAll(db, sql: "SELECT name FROM pragma_table_info(?) ORDER BY cid", arguments: [table])
    }

    /// Skips a row that violates a constraint or exists already.
    private func insert(into table: String, _ values: [DatabaseValue]) throws {
        let places = values.map { _ in "?" }.joined(separator: ", ")
        if names[table] == nil { names[table] = try Self.columns(of: table, db) }
        let names = (names[table] ?? []).prefix(values.count).map { "\"\($0)\"" }.joined(separator: ", ")
        do {
            try db.cachedStatement(sql: "INSERT INTO \(table) (\(names)) VALUES (\(places))").execute(arguments: StatementArguments(values))
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {}
    }

    /// A receipt settles its entry, and every settled entry gets one. Only an event shows that an entry replaced the one that it names in
    /// `supersedes`.
    private func join() throws {
        try db.execute(
            sql: """
                UPDATE entry SET state = receipt.outcome, settledAt = receipt.settledAt, remoteID = receipt.remoteID,
                    holdReason = NULL, discardAt = NULL, discardBy = NULL, discardActor = NULL, restoreTo = NULL, epoch = NULL,
                    uncertain = 0, uncertainAt = NULL
                FROM receipt WHERE receipt.id = entry.id AND entry.state NOT IN ('delivered', 'discarded')
                """)
        try resolveConflicts()
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO receipt (id, sequence, backend, account, lane, route, size, digest, outcome, remoteID, status,
                    foundByLookup, attempts, capturedAt, acceptedAt, settledAt, subject, creates)
                SELECT id, sequence, backend, account, lane, route, size, digest, state, remoteID, lastStatus, 0, attempts, capturedAt,
                    acceptedAt, settledAt, subject, creates
                FROM entry WHERE state IN ('delivered', 'discarded');

                UPDATE receipt SET supersededBy = event.detail ->> 'new'
                FROM event WHERE event.kind = 'superseded' AND event.entry = receipt.id AND receipt.outcome = 'discarded'
                    AND receipt.supersededBy IS NULL;

                DELETE FROM attempt WHERE entry NOT IN (SELECT sequence FROM entry);
                """)
        try destroyWords()
        // An entry in flight under a greater epoch must be an orphan at the next start too.
        epoch = max(epoch, try Int64.fetchOne(db, sql: "SELECT max(epoch) FROM entry") ?? 0)
        if epoch == 0 { epoch = now.ms }
        try db.execute(sql: "UPDATE run SET epoch = ?", arguments: [epoch])
    }

    /// Removes server messages of settled entries, as at a delivery: an earlier version may still have them.
    private func destroyWords() throws {
        try db.execute(
            sql: """
                UPDATE entry SET lastError = NULL WHERE settledAt IS NOT NULL AND lastError IS NOT NULL;
                UPDATE attempt SET message = NULL
                    WHERE message IS NOT NULL AND entry IN (SELECT sequence FROM entry WHERE settledAt IS NOT NULL);
                UPDATE event SET detail = json_remove(detail, '$.message') WHERE entry IN (SELECT id FROM receipt);
                """)
    }

    /// The sums of impossible sizes would violate constraints.
    private func boundSizes() throws {
        try db.execute(
            sql: """
                UPDATE entry SET size = 0 WHERE size NOT BETWEEN 0 AND \(Self.mostBytes);
                UPDATE receipt SET size = coalesce((SELECT size FROM entry WHERE entry.id = receipt.id), 0)
                    WHERE size NOT BETWEEN 0 AND \(Self.mostBytes);
                """)
    }

    /// Above any payload's size, but a million of them can be summed.
    private static let mostBytes: Int64 = 1 << 40

    private func tell(_ event: SyncEvent) throws { try Outbox.insert(event, at: next("event"), db) }

    /// Assigns the next number of the table.
    func next(_ table: String) -> Int64 {
        assigned[table, default: 0] += 1
        return assigned[table, default: 0]
    }

    private func deriveTables() throws {
        try db.execute(
            sql: """
                DELETE FROM lane;
                INSERT INTO lane (backend, account, lane, head, route, dueAt) \(OutboxSchema.lanes);
                \(OutboxSchema.refreshBehind)
                DELETE FROM tally;
                INSERT INTO tally (backend, account, state, route, count, bytes)
                    SELECT backend, account, state, route, count(*), sum(size) FROM entry WHERE settledAt IS NULL GROUP BY 1, 2, 3, 4;
                INSERT INTO tally (backend, account, state, route, count, bytes, latest)
                    SELECT backend, account, outcome, route, sum(supersededBy IS NULL), sum(iif(supersededBy IS NULL, size, 0)),
                        max(settledAt)
                    FROM receipt GROUP BY 1, 2, 3, 4;
                """)
        for (table, last) in assigned {
            try db.execute(
                sql: "INSERT INTO tally (backend, account, state, route, count, bytes) VALUES ('', '', ?, '', ?, 0)",
                arguments: [table, last])
        }
    }

    /// Limits the figures: without a reliable cursor, some events stay uncounted, rather than counted twice. Without figures, all are
    /// counted again.
    private func boundFigures() throws {
        let last = assigned["event"] ?? 0
        try db.execute(sql: "INSERT OR IGNORE INTO figureCursor (id, cursor, outages) VALUES (1, ?, '{}')", arguments: [last])
        try db.execute(sql: "UPDATE figureCursor SET cursor = min(cursor, ?)", arguments: [last])
        try db.execute(sql: "DELETE FROM figureCursor WHERE NOT EXISTS (SELECT 1 FROM dailyFigure)")
    }

    private func countAndTell() throws {
        let open = "SELECT count(*) FROM entry WHERE settledAt IS NULL AND holdReason IS"
        report.saved = try Int.fetchOne(db, sql: "\(open) NOT 'unreadable'") ?? 0
        report.unreadable = try Int.fetchOne(db, sql: "\(open) 'unreadable'") ?? 0
        for entry in held {
            try tell(
                SyncEvent(
                    at: now, .held, backend: entry.backend, account: entry.account.map(AccountID.init), entry: entry.id,
                    detail: ["reason": entry.reason.rawValue]))
        }
        try tell(
            SyncEvent(
                at: now, .salvaged,
                detail: [
                    "reason": report.reason, "saved": String(report.saved), "unreadable": String(report.unreadable),
                    "missing": String(report.missing), "mayMissMore": String(report.mayMissMore),
                ]))
    }
}
