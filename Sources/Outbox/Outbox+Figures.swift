import Foundation
import GRDB
import SyncModel

/// The figures of some days.
package struct Figures: Sendable {
    package var byKey: [FigureKey: DailyFigure] = [:]
    /// When each current outage began, by backend.
    package var outages: [String: Date] = [:]
}

/// Daily figures, counted from the events before these are pruned (Decisions/FiguresFromEvents.md).
extension Outbox {
    /// How long figures are kept.
    package static let daysOfFigures: Int64 = 400

    private static let eventsAtOnce = 500

    /// Counts the events that no pass has counted, some at a time, and removes old figures. A crash between two transactions counts nothing twice, and
    /// loses nothing.
    package func countFigures(at now: Date) async throws(OutboxError) {
        var isMore = true
        while isMore, !Task.isCancelled {
            isMore = try await commit { db in
                var fold = try Self.beginFold(db)
                let count = try Self.add(&fold, upTo: now, db)
                if count > 0 { try Self.write(fold, db) }
                return count == Self.eventsAtOnce
            }
        }
        let first = FigureKey.day(ofMs: now.ms) - Self.daysOfFigures
        try await commit { db in try db.execute(sql: "DELETE FROM dailyFigure WHERE day < ?", arguments: [first]) }
    }

    /// The figures of these days, with the events that no pass has counted, and with current outages up to `now`. Writes nothing.
    package func figures(ofDays days: ClosedRange<Int64>, at now: Date) async throws(OutboxError) -> Figures {
        try await read { db in
            var fold = try Self.beginFold(db)
            while try Self.add(&fold, upTo: now, db) == Self.eventsAtOnce {}
            var figures = Figures()
            figures.outages = fold.currentOutages.mapValues { Date(ms: $0.began) }
            fold.countOutages(upTo: now.ms)
            figures.byKey = fold.figures.filter { days.contains($0.key.day) }
            let rows = try Row.fetchAll(
                db, sql: "SELECT * FROM dailyFigure WHERE day BETWEEN ? AND ?", arguments: [days.lowerBound, days.upperBound])
            for row in rows { figures.byKey[Self.key(row), default: DailyFigure()].add(Self.figure(row)) }
            return figures
        }
    }

    private static func beginFold(_ db: Database) throws -> FigureFold {
        guard let row = try Row.fetchOne(db, sql: "SELECT cursor, outages FROM figureCursor WHERE id = 1") else { return FigureFold() }
        return FigureFold(cursor: row["cursor"], outages: outages(row["outages"]))
    }

    /// Adds the next events, at most `eventsAtOnce`; returns how many.
    private static func add(_ fold: inout FigureFold, upTo now: Date, _ db: Database) throws -> Int {
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT event.cursor AS cursor, max(0, min(event.at, :now)) AS at, event.kind AS kind,
                        coalesce(event.backend, '') AS backend, coalesce(event.account, '') AS account,
                        event.detail ->> 'reason' AS reason, event.detail ->> 'gate' AS gate, event.detail ->> 'outcome' AS outcome,
                        max(0, receipt.capturedAt) AS capturedAt, event.detail ->> 'replaces' IS NOT NULL AS isReplacement
                    FROM event LEFT JOIN receipt ON receipt.id = event.entry AND event.kind = 'delivered'
                    WHERE event.cursor > :cursor ORDER BY event.cursor LIMIT \(eventsAtOnce)
                    """), arguments: ["now": now.ms, "cursor": fold.cursor])
        for row in rows {
            fold.add(
                CountedEvent(
                    cursor: row["cursor"], at: row["at"], kind: SyncEvent.Kind(rawValue: row["kind"]), backend: row["backend"],
                    account: row["account"], reason: row["reason"], gate: row["gate"], outcome: row["outcome"],
                    capturedAt: row["capturedAt"], isReplacement: row["isReplacement"]))
        }
        return rows.count
    }

    private static func write(_ fold: FigureFold, _ db: Database) throws {
        for (key, figure) in fold.figures {
            var sum = figure
            let stored = try Row.fetchOne(
                db.cachedStatement(sql: "SELECT * FROM dailyFigure WHERE day = ? AND backend = ? AND account = ?"),
                arguments: [key.day, key.backend, key.account])
            if let stored { sum.add(Self.figure(stored)) }
            let delays = Dictionary(uniqueKeysWithValues: sum.delays.counts.map { (String($0.key), $0.value) })
            try db.cachedStatement(
                sql: """
                    INSERT OR REPLACE INTO dailyFigure (day, backend, account, captured, delivered, retried, discarded, signedIn, signedOut,
                        signInsFailed, outages, outageTime, refused, delays) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """
            ).execute(arguments: [
                key.day, key.backend, key.account, sum.captured, sum.delivered, sum.retried, sum.discarded, sum.signedIn, sum.signedOut,
                sum.signInsFailed, sum.outages, sum.outageTime, try text(sum.refused),
                try text(delays),
            ])
        }
        try db.execute(
            sql: "INSERT OR REPLACE INTO figureCursor (id, cursor, outages) VALUES (1, ?, ?)",
            arguments: [fold.cursor, try text(fold.outages)])
    }

    private static func key(_ row: Row) -> FigureKey { FigureKey(day: row["day"], backend: row["backend"], account: row["account"]) }

    private static func figure(_ row: Row) -> DailyFigure {
        var figure = DailyFigure()
        (figure.captured, figure.delivered) = (row["captured"], row["delivered"])
        (figure.retried, figure.discarded) = (row["retried"], row["discarded"])
        (figure.signedIn, figure.signedOut, figure.signInsFailed) = (row["signedIn"], row["signedOut"], row["signInsFailed"])
        (figure.outages, figure.outageTime) = (row["outages"], row["outageTime"])
        figure.refused = counts(row["refused"])
        let delays: [String: Int] = counts(row["delays"])
        var buckets: [Int: Int] = [:]
        for (bucket, count) in delays { if let number = Int(bucket) { buckets[number] = count } }
        figure.delays = DelayHistogram(counts: buckets)
        return figure
    }

    private static func text(_ counts: [String: some Encodable]) throws -> String {
        String(decoding: try JSONEncoder().encode(counts), as: UTF8.self)
    }

    private static func counts<Number: Decodable & FixedWidthInteger>(_ text: String) -> [String: Number] {
        // `try?`: damage to one day's text must not take the other days.
        let counts: [String: Number] = (try? JSONDecoder().decode([String: Number].self, from: Data(text.utf8))) ?? [:]
        return counts.mapValues { max(0, min($0, Number(clamping: most))) }
    }

    private static func outages(_ text: String) -> [String: BackendOutage] {
        // `try?`: damage to it must not take the figures.
        let outages = (try? JSONDecoder().decode([String: BackendOutage].self, from: Data(text.utf8))) ?? [:]
        return outages.mapValues { outage in
            BackendOutage(
                began: max(0, min(outage.began, most)), counted: max(0, min(outage.counted, most)), isInterrupted: outage.isInterrupted)
        }
    }

    /// So that sums of damaged numbers do not overflow.
    private static let most: Int64 = 1 << 50
}
