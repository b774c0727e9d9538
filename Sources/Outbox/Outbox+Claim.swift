import Foundation
import GRDB
import SyncModel

package struct ClaimOrder: Sendable, Equatable {
    /// Maximum number of entries, including `probes`.
    package var count: Int
    /// Routes from which only a probe is claimed.
    package var closed: Set<String>
    /// Routes from which to claim one entry, preferably not the one with this sequence.
    package var probes: [String: Int64?]

    package init(_ count: Int, closed: Set<String> = [], probes: [String: Int64?] = [:]) {
        self.count = count
        self.closed = closed
        self.probes = probes
    }
}

extension ClaimOrder: ExpressibleByIntegerLiteral {
    package init(integerLiteral count: Int) { self.init(count) }
}

package struct Claimed: Sendable, Equatable {
    /// The claimed entries, in flight under this run's epoch and with content; at most one per lane.
    package var entries: [Entry]
    /// When each route's next entry is due; in the past if more was due than requested. A route is missing if nothing waits, or until an
    /// entry in flight settles.
    package var nextDue: [Destination: [String: Date]]
    /// Held as `unreadable`.
    package var unreadable: [MutationID] = []
    /// Without the commit.
    package var took: Duration = .zero

    package init(entries: [Entry] = [], nextDue: [Destination: [String: Date]] = [:]) {
        self.entries = entries
        self.nextDue = nextDue
    }
}

extension Outbox {
    /// Puts due entries in flight, earliest due time first.
    package func claim(_ orders: [Destination: ClaimOrder], at now: Date) async throws(OutboxError) -> Claimed {
        try await settle([], thenClaim: orders, at: now)
    }

    /// The `dueAt` of an entry that may be sent at once; independent of the clock (Decisions/DueAtOnce.md).
    package static let atOnce: Int64 = 0

    /// Bytes of payloads in flight at a backend, except a larger single one; each takes four times its size in memory.
    static let mostInFlight = 32 << 20

    private static func bytesInFlight(at backend: String, _ db: Database) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(sql: "SELECT sum(size) FROM entry WHERE state = 'inflight' AND backend = ?"), arguments: [backend]) ?? 0
    }

    static func claim(_ orders: [Destination: ClaimOrder], epoch: Int64, by decryptor: PayloadDecryptor, now: Date, _ db: Database) throws
        -> Claimed
    {
        var claimed = Claimed()
        for (destination, order) in orders.sorted(by: { $0.key < $1.key }) {
            try correctDueTimes(destination, now, db)
            var order = order
            var room = try mostInFlight - bytesInFlight(at: destination.backend, db)
            var isCrowded = false
            while !isCrowded, let batch = try candidates(order, destination, now, db) {
                for candidate in batch {
                    isCrowded = candidate.size > room && room < mostInFlight
                    if isCrowded { break }
                    guard var entry = try put(candidate.sequence, epoch: epoch, by: decryptor, now: now, db) else {
                        let held = try hold(candidate.sequence, .unreadable, inFlightUnder: epoch, at: now, db)
                        if let held { claimed.unreadable.append(held) }
                        continue
                    }
                    guard try bind(&entry, epoch: epoch, now: now, db) else { continue }
                    claimed.entries.append(entry)
                    room -= candidate.size
                    order.count -= 1
                    if order.probes.removeValue(forKey: entry.route) != nil { order.closed.insert(entry.route) }
                }
            }
            // The next settlement frees room, and claims again.
            let next = isCrowded ? [:] : try nextDue(destination, db)
            if !next.isEmpty { claimed.nextDue[destination] = next }
        }
        return claimed
    }

    private struct Candidate {
        let sequence: Int64
        let dueAt: Int64
        let lane: String
        let size: Int
    }

    /// At most one per lane; nil if nothing more is due.
    private static func candidates(
        _ order: ClaimOrder, _ destination: Destination, _ now: Date, _ db: Database
    ) throws -> [Candidate]? {
        var probes: [Candidate] = []
        var others: [Candidate] = []
        for route in try routes(destination, db) {
            if let avoided = order.probes[route] {
                let found = try candidates(route, destination, now, db) { $0.count == 2 }
                if let probe = found.first(where: { $0.sequence != avoided }) ?? found.first { probes.append(probe) }
            } else if !order.closed.contains(route), order.count > 0 {
                // Enough lanes even if probes take some of them.
                let most = order.count + order.probes.count
                others += try candidates(route, destination, now, db) { Set($0.map(\.lane)).count == most }
            }
        }
        others.sort { ($0.dueAt, $0.sequence) < ($1.dueAt, $1.sequence) }
        var lanes: Set<String> = []
        let chosen = (probes + others).filter { lanes.insert($0.lane).inserted }.prefix(order.count)
        return chosen.isEmpty ? nil : Array(chosen)
    }

    /// By due time.
    private static func candidates(
        _ route: String, _ destination: Destination, _ now: Date, _ db: Database, until isEnough: ([Candidate]) -> Bool
    ) throws -> [Candidate] {
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT head, dueAt, lane, (SELECT size FROM entry WHERE sequence = head) FROM lane
                    WHERE backend = ? AND account = ? AND route = ? AND dueAt IS NOT NULL AND dueAt <= ? ORDER BY dueAt, head
                    """), arguments: [destination.backend, destination.account, route, now.ms])
        var candidates: [Candidate] = []
        while !isEnough(candidates), let row = try rows.next() {
            candidates.append(Candidate(sequence: row[0], dueAt: row[1], lane: row[2], size: row[3] ?? 0))
        }
        return candidates
    }

    /// Each is found by one index seek.
    private static func routes(_ destination: Destination, _ db: Database) throws -> [String] {
        let statement = try db.cachedStatement(
            sql: "SELECT min(route) FROM lane WHERE backend = ? AND account = ? AND route > ? AND dueAt IS NOT NULL")
        var routes: [String] = []
        while let next = try String.fetchOne(statement, arguments: [destination.backend, destination.account, routes.last ?? ""]) {
            routes.append(next)
        }
        return routes
    }

    private static func nextDue(_ destination: Destination, _ db: Database) throws -> [String: Date] {
        var due: [String: Date] = [:]
        let statement = try db.cachedStatement(
            sql: "SELECT min(dueAt) FROM lane WHERE backend = ? AND account = ? AND route = ? AND dueAt IS NOT NULL")
        for route in try routes(destination, db) {
            let time = try Int64.fetchOne(statement, arguments: [destination.backend, destination.account, route])
            due[route] = time.map(Date.init(ms:))
        }
        return due
    }

    /// A due time beyond the horizon was set while the clock was ahead.
    private static func correctDueTimes(_ destination: Destination, _ now: Date, _ db: Database) throws {
        let latest = now.addingTimeInterval(ServerPause.horizon)
        for route in try routes(destination, db) {
            let isLate = try db.cachedStatement(
                sql: "SELECT 1 FROM lane WHERE backend = ? AND account = ? AND route = ? AND dueAt > ? LIMIT 1")
            let values: StatementArguments = [destination.backend, destination.account, route, latest.ms]
            guard try Int.fetchOne(isLate, arguments: values) != nil else { continue }
            try db.execute(
                sql: """
                    UPDATE entry SET dueAt = \(atOnce) WHERE state = 'pending' AND sequence IN
                        (SELECT head FROM lane WHERE backend = ? AND account = ? AND route = ? AND dueAt > ?)
                    """, arguments: values)
        }
    }

    /// Sets the id of the row that the entry refers to. Without one, holds the entry and returns false.
    private static func bind(_ entry: inout Entry, epoch: Int64, now: Date, _ db: Database) throws -> Bool {
        guard let reference = entry.mutation.subject?.reference else { return true }
        entry.bound = try row(createdBy: reference, at: entry.destination, db)
        if entry.bound != nil { return true }
        try hold(entry.sequence, .needing(reference, create(reference, db)?.state), inFlightUnder: epoch, at: now, db)
        return false
    }

    /// Puts an entry in flight; nil if it cannot be read.
    private static func put(
        _ sequence: Int64, epoch: Int64, by decryptor: PayloadDecryptor, now: Date, _ db: Database
    ) throws -> Entry? {
        let statement = try db.cachedStatement(
            sql: "UPDATE entry SET state = 'inflight', epoch = ?, claimedAt = ? WHERE sequence = ? AND state = 'pending' RETURNING *")
        let rows = try Row.fetchCursor(statement, arguments: [epoch, now.ms, sequence])
        // Avoids the copy of `Row.fetchOne`. A row is valid as long as its cursor.
        return try withExtendedLifetime(rows) {
            guard let row = try rows.next() else { throw OutboxError.damaged("entry \(sequence) of a lane is not pending") }
            let sealed = try sealedContent(of: sequence, db)
            // `try?`: nil means unreadable.
            return try? decryptor.entry(of: row, sealed)
        }
    }
}
