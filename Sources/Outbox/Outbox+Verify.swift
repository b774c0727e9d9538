import Foundation
import GRDB
import SyncModel

extension Outbox {
    /// Throws `damaged` if SQLite's check fails, a derived table does not match, or an entry is gone without a receipt. Takes seconds for a
    /// million entries, beside other work.
    package func verify() async throws(OutboxError) {
        // The cached pages are not needed again soon.
        defer { pool.releaseMemoryEventually() }
        await longReads.take(1)
        defer { longReads.release(1) }
        for look in [Self.checkIntegrity, Self.checkDerivedTables, Self.checkSequences] { try await read(look) }
    }

    /// Holds waiting entries that cannot be read, while their source may still exist, and calls `tell` for each. Takes seconds for
    /// each hundred megabytes, beside other work.
    package func verifyContents(at now: Date, tell: (MutationID) -> Void) async throws(OutboxError) {
        defer { pool.releaseMemoryEventually() }
        var last: Int64 = 0
        while !Task.isCancelled {
            let begin = last
            let (unreadable, end) = try await read { db in try Self.unreadable(after: begin, by: decryptor, db) }
            if !unreadable.isEmpty {
                let held = try await commit { db in
                    try unreadable.compactMap { try Self.hold($0, unlessReadBy: decryptor, now: now, db) }
                }
                held.forEach(tell)
                // Entries behind them may be eligible now.
                arrivals.send()
                eventsWritten.send()
            }
            guard let end else { break }
            last = end
        }
    }

    /// The unreadable entries of one batch, and the last sequence it read; nil past the end.
    private static func unreadable(after begin: Int64, by decryptor: PayloadDecryptor, _ db: Database) throws -> (
        found: [Int64], end: Int64?
    ) {
        // An index would make each batch sort all waiting entries.
        let waiting = "SELECT * FROM entry WHERE +state = 'pending' AND sequence > ? ORDER BY sequence LIMIT 200"
        let rows = try Row.fetchCursor(db, sql: waiting, arguments: [begin])
        var (found, end, bytes) = ([Int64](), Int64?.none, 0)
        while bytes < mostRead, let row = try rows.next() {
            let sequence = try row.decode(Int64.self, forColumn: "sequence")
            let sealed = try sealedContent(of: sequence, db)
            // `try?`: nil means unreadable.
            if (try? decryptor.entry(of: row, sealed)) == nil { found.append(sequence) }
            end = sequence
            bytes += sealed?.count ?? 0
        }
        return (found, end)
    }

    /// Bytes of content read in one snapshot.
    private static let mostRead = 16 << 20

    private static func hold(_ sequence: Int64, unlessReadBy decryptor: PayloadDecryptor, now: Date, _ db: Database) throws -> MutationID? {
        let waiting = "SELECT * FROM entry WHERE sequence = ? AND state = 'pending'"
        guard let row = try Row.fetchOne(db, sql: waiting, arguments: [sequence]) else { return nil }
        let sealed = try sealedContent(of: sequence, db)
        // `try?`: as above.
        return (try? decryptor.entry(of: row, sealed)) == nil ? try hold(sequence, .unreadable, at: now, db) : nil
    }

    static func checkIntegrity(_ db: Database) throws {
        let found = try String.fetchAll(db, sql: "PRAGMA integrity_check(1)")
        if found != ["ok"] { throw OutboxError.damaged(found.joined(separator: "; ")) }
    }

    /// Throws `damaged`, as does `checkSequences`.
    package static func checkDerivedTables(_ db: Database) throws {
        if try !derivedTablesMatch(db) { throw OutboxError.damaged("the lane heads or the counts do not match the entries") }
    }

    package static func checkSequences(_ db: Database) throws {
        let last = try Int64.fetchOne(db, sql: "SELECT \(OutboxSchema.lastNumber(of: "entry"))") ?? 0
        if let gap = try gaps(upTo: last, db).first { throw OutboxError.damaged("entries \(gap) are missing and have no receipt") }
        let greatest = try Int64.fetchOne(db, sql: "SELECT max(sequence) FROM entry") ?? 0
        if greatest > last { throw OutboxError.damaged("entry \(greatest) has a sequence that was never assigned") }
        let shared = "SELECT entry.sequence FROM entry JOIN receipt ON receipt.sequence = entry.sequence WHERE receipt.id <> entry.id"
        if let sequence = try Int64.fetchOne(db, sql: shared) {
            throw OutboxError.damaged("entry \(sequence) has the sequence of another entry's receipt")
        }
    }

    /// Sequences without an entry, a receipt or a known gap.
    package static func gaps(upTo last: Int64, _ db: Database) throws -> [ClosedRange<Int64>] {
        var gaps: [ClosedRange<Int64>] = []
        var next: Int64 = 1
        let ranges = try Row.fetchCursor(
            db,
            sql: """
                SELECT sequence AS first, sequence AS last FROM entry UNION ALL SELECT sequence, sequence FROM receipt
                UNION ALL SELECT first, last FROM gap ORDER BY first
                """)
        while let range = try ranges.next() {
            let (first, last): (Int64, Int64) = (range["first"], range["last"])
            if first > next { gaps.append(next...first - 1) }
            next = max(next, last + 1)
        }
        if next <= last { gaps.append(next...last) }
        return gaps
    }
}
