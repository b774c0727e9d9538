import Foundation
import GRDB
import Outbox
import SyncModel

/// An entry is deleted only after its receipt is written, so a sequence with neither is missing.
extension Salvage {
    /// Advances an unreadable counter, so that no number is assigned twice.
    private static let leap: Int64 = 1_000_000
    /// The same if the log may hold a later counter: far more than the missing part can have assigned.
    private static let margin: Int64 = 100_000

    /// Sets aside entries, and drops receipts, with sequences that were never assigned.
    func setAsideImpossible() throws {
        guard let counter = counters["entry"] else { return }
        let limit = counter + Self.leap
        let rows = try Row.fetchAll(db, sql: "SELECT * FROM entry WHERE sequence > ?", arguments: [limit])
        for row in rows { displaced.append(stored(row)) }
        for table in ["entry", "receipt"] { try db.execute(sql: "DELETE FROM \(table) WHERE sequence > ?", arguments: [limit]) }
    }

    /// Continues cursors after all assigned ones. Keeps only the events after the last gap.
    func continueEvents() throws {
        let last = after(try greatest("SELECT max(cursor) FROM event"), counters["event"]).next
        assigned["event"] = last
        try db.execute(
            sql: """
                DELETE FROM event WHERE cursor <= (SELECT max(cursor) FROM
                    (SELECT cursor, lead(cursor, 1, ?) OVER (ORDER BY cursor) AS following FROM event) WHERE following > cursor + 1)
                """, arguments: [last + 1])
    }

    private func greatest(_ sql: String) throws -> Int64 { try Int64.fetchOne(db, sql: sql) ?? 0 }

    /// The last assigned number, and the one after which to continue.
    private func after(_ greatest: Int64, _ counter: Int64?) -> (given: Int64, next: Int64) {
        // A counter below the greatest number, or far above it, is damaged itself.
        let known = counter.flatMap { $0 >= greatest && $0 - greatest <= Self.leap ? $0 : nil }
        let given = known ?? greatest
        return (given, known == nil ? given + Self.leap : pages.log.mayHoldMore ? given + Self.margin : given)
    }

    private func note(first: Int64, last: Int64) throws {
        try db.execute(sql: "INSERT OR IGNORE INTO gap (first, last, at) VALUES (?, ?, ?)", arguments: [first, last, now.ms])
    }

    /// Searches indices and events for missing entries: holds those with a known id, and counts the others.
    func fillGaps() throws {
        let seen = try greatest(
            """
            SELECT max(last) FROM (SELECT max(sequence) AS last FROM entry UNION ALL SELECT max(sequence) FROM receipt
                UNION ALL SELECT max(last) FROM gap)
            """)
        let counter = after(seen, counters["entry"])
        assigned["entry"] = counter.next
        if counter.next > counter.given {
            report.mayMissMore = true
            try note(first: counter.given + 1, last: counter.next)
        }
        var missing = try Outbox.gaps(upTo: counter.given, db)
        guard !missing.isEmpty else { return }
        var traces = Traces()
        for trust in StorePages.Trust.allCases {
            try forEachRow(trust) { row in
                switch row {
                case .identity(let sequence, let id) where missing.hold(sequence): traces.ids[sequence] = id
                case .place(let sequence, let destination, let lane) where missing.hold(sequence):
                    traces.places[sequence] = (destination, lane)
                case .settled(let sequence) where missing.hold(sequence): traces.settled.insert(sequence)
                default: break
                }
            }
        }
        for (sequence, id) in traces.ids.sorted(by: { $0.key < $1.key }) {
            if try wasSettled(id) { traces.settled.insert(sequence) }
            if traces.settled.contains(sequence) { continue }
            if let place = displaced.firstIndex(where: { $0["id"]?.text == id.description }) {
                var row = displaced.remove(at: place)
                row["sequence"] = sequence.databaseValue
                try holdUnreadable(row)
                continue
            }
            try holdUnreadable(try traces.row(sequence, id, route: capturedEvent(of: id)))
        }
        missing = try Outbox.gaps(upTo: counter.given, db)
        for range in missing {
            let lost = traces.settled.count { range.contains($0) }
            report.lostReceipts += lost
            let left = range.count - lost
            // Skipped by an earlier salvage whose note is gone: not missing.
            let passed = left - left % Int(Self.margin)
            report.missing += left - passed
            if passed > 0 { report.mayMissMore = true }
            try note(first: range.lowerBound, last: range.upperBound)
        }
    }

    private func wasSettled(_ id: MutationID) throws -> Bool {
        try Row.fetchOne(
            db,
            sql: """
                SELECT 1 FROM event WHERE entry = ? AND (kind IN ('delivered', 'discarded', 'superseded')
                    OR kind = 'resolved' AND detail ->> 'outcome' = 'delivered')
                """, arguments: [id.description]) != nil
    }

    private func capturedEvent(of id: MutationID) throws -> Row? {
        try Row.fetchOne(
            db,
            sql: """
                SELECT backend, account, detail ->> 'lane' AS lane, detail ->> 'route' AS route FROM event
                WHERE entry = ? AND kind = 'captured' ORDER BY cursor LIMIT 1
                """, arguments: [id.description])
    }

    private struct Traces {
        var ids: [Int64: MutationID] = [:]
        var places: [Int64: (Destination, lane: String)] = [:]
        var settled: Set<Int64> = []

        /// Only the id is certain.
        func row(_ sequence: Int64, _ id: MutationID, route event: Row?) throws -> [String: DatabaseValue] {
            var row = ["sequence": sequence.databaseValue, "id": id.description.databaseValue]
            for name in ["backend", "account", "lane", "route"] { row[name] = event?[name] ?? .null }
            if let (destination, lane) = places[sequence] {
                row["backend"] = destination.backend.databaseValue
                row["account"] = destination.account.databaseValue
                row["lane"] = lane.databaseValue
            }
            if row["route"]?.isNull ?? true { row["route"] = "unknown".databaseValue }
            return row
        }
    }
}

extension [ClosedRange<Int64>] {
    fileprivate func hold(_ sequence: Int64) -> Bool { contains { $0.contains(sequence) } }
}
