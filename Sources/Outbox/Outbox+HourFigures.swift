import Foundation
import GRDB
import SyncModel

/// Hourly figures, counted when they are read: to keep them would cost a submission one more page (Decisions/FiguresFromEvents.md).
extension Outbox {
    /// The figures of these hours, oldest first. Hours of which the events are pruned lack captures.
    ///
    /// - Parameter backend: nil for all together.
    package func hourFigures(of hours: ClosedRange<Int64>, backend: String? = nil, at now: Date) async throws(OutboxError) -> [HourFigure] {
        try await read { db in
            let reading = HourReading(hours: hours, backend: backend, now: now.ms, db: db)
            let captured = try reading.captured()
            let (delivered, waits) = try reading.delivered()
            let longest = waits.longest(in: hours, at: now.ms)
            return hours.map {
                HourFigure(hour: $0, captured: captured[$0] ?? 0, delivered: delivered[$0] ?? 0, longestWait: longest[$0])
            }
        }
    }
}

private struct HourReading {
    let hours: ClosedRange<Int64>
    let backend: String?
    /// In Unix milliseconds.
    let now: Int64
    let db: Database

    /// By hour. Goes back from the newest event, some events at a time, because events have no index by time. Ends when all of these are older, so
    /// that a few wrong times hide nothing.
    func captured() throws -> [Int64: Int] {
        var captured: [Int64: Int] = [:]
        var before = Int64.max
        while let row = try Row.fetchOne(
            db.cachedStatement(sql: Self.newestEvents), arguments: ["now": now, "backend": backend, "before": before]),
            let first = row["first"] as Int64?, let oldest = row["oldest"] as Int64?, let newest = row["newest"] as Int64?,
            newest >= hours.lowerBound
        {
            if oldest == newest {
                captured[newest, default: 0] += row["captured"] as Int
            } else {
                let rows = try Row.fetchAll(
                    db.cachedStatement(sql: Self.eventsByHour),
                    arguments: ["now": now, "backend": backend, "first": first, "before": before])
                for row in rows { captured[row["hour"] as Int64, default: 0] += row["captured"] as Int }
            }
            before = first
        }
        return captured
    }

    /// Counts by hour, with the waits of these entries and of those that wait still.
    func delivered() throws -> (counts: [Int64: Int], waits: HourWaits) {
        var (counts, waits) = ([Int64: Int](), HourWaits())
        let current = HourFigure.hour(ofMs: now)
        for hour in hours {
            // Later ones were written while the clock was ahead.
            let end = hour == current ? Int64.max : (hour + 1) * HourFigure.msPerHour
            guard let row = try delivered(from: hour * HourFigure.msPerHour, to: end), let first = row["first"] as Int64? else { continue }
            counts[hour] = row["count"] as Int
            waits.ended[hour] = (first, row["longest"] as Int64)
        }
        waits.beyond = try oldestWaiting()
        if hours.upperBound < current {
            if let later = try delivered(from: (hours.upperBound + 1) * HourFigure.msPerHour, to: .max),
                let first = later["first"] as Int64?
            {
                waits.beyond = min(waits.beyond ?? first, first)
            }
        }
        return (counts, waits)
    }

    private func delivered(from begin: Int64, to end: Int64) throws -> Row? {
        try Row.fetchOne(
            db.cachedStatement(sql: Self.deliveries), arguments: ["now": now, "backend": backend, "begin": begin, "end": end])
    }

    /// When the first of the pending entries, and those in flight, began to wait.
    private func oldestWaiting() throws -> Int64? {
        let backends = try String.fetchAll(
            db,
            sql: """
                SELECT DISTINCT backend FROM tally WHERE state IN ('pending', 'inflight') AND count > 0
                    AND (:backend IS NULL OR backend = :backend)
                """, arguments: ["backend": backend])
        var times: [Int64] = []
        for backend in backends {
            for state in ["pending", "inflight"] {
                if let time = try Int64.fetchOne(db.cachedStatement(sql: Self.oldest), arguments: [state, backend]) { times.append(time) }
            }
        }
        return times.min()
    }

    /// An entry that a person tried again waits from then.
    private static let begin = "max(0, coalesce(retriedAt, acceptedAt)) AS begin"

    /// The oldest entries come first, except for those tried again.
    private static let oldest = """
        SELECT min(begin) FROM (SELECT \(begin) FROM entry WHERE state = ? AND backend = ? ORDER BY sequence LIMIT 1000)
        """

    private static let deliveries = """
        SELECT count(*) AS count, min(begin) AS first, max(min(settledAt, :now) - begin) AS longest
        FROM (SELECT settledAt, \(begin) FROM entry INDEXED BY settledOrder WHERE settledAt >= :begin AND settledAt < :end
            AND state = 'delivered' AND (:backend IS NULL OR backend = :backend))
        """

    private static let hour = "min(at, :now) / \(HourFigure.msPerHour)"

    /// A replacement has the capture of the entry that it replaced.
    private static let isCaptured = """
        iif(kind = 'captured', detail ->> 'replaces' IS NULL, 0) AND (:backend IS NULL OR backend = :backend)
        """

    /// Most of these lie in one hour, and then need no sorting.
    private static let newestEvents = """
        SELECT min(cursor) AS first, min(hour) AS oldest, max(hour) AS newest, count(*) FILTER (WHERE isCaptured) AS captured
        FROM (SELECT cursor, \(hour) AS hour, \(isCaptured) AS isCaptured FROM event WHERE cursor < :before ORDER BY cursor DESC LIMIT 500)
        """

    private static let eventsByHour = """
        SELECT \(hour) AS hour, count(*) AS captured FROM event WHERE cursor >= :first AND cursor < :before AND \(isCaptured) GROUP BY 1
        """
}
