import GRDB

extension Outbox {
    /// Reads the whole store and throws `damaged` where SQLite finds anything wrong, where the tables that triggers keep do not say what the
    /// entries say, or where an entry is gone without a receipt. Takes seconds for a million entries, beside all other work.
    package func verify() async throws(OutboxError) {
        // What it leaves in the caches nobody will look at soon.
        defer { pool.releaseMemoryEventually() }
        for look in [Self.checkIntegrity, Self.checkDerivedTables, Self.checkSequences] { try await read(look) }
    }

    static func checkIntegrity(_ db: Database) throws {
        let found = try String.fetchAll(db, sql: "PRAGMA integrity_check(1)")
        if found != ["ok"] { throw OutboxError.damaged(found.joined(separator: "; ")) }
    }

    static func checkDerivedTables(_ db: Database) throws {
        if try !derivedTablesMatch(db) { throw OutboxError.damaged("the heads of lanes, or the counts, are not those of the entries") }
    }

    static func checkSequences(_ db: Database) throws {
        let last = try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'entry'") ?? 0
        if let gap = try gaps(upTo: last, db).first { throw OutboxError.damaged("entries \(gap) are gone without a receipt") }
        let greatest = try Int64.fetchOne(db, sql: "SELECT max(sequence) FROM entry") ?? 0
        if greatest > last { throw OutboxError.damaged("entry \(greatest) has a sequence that was never given") }
        let shared = "SELECT entry.sequence FROM entry JOIN receipt ON receipt.sequence = entry.sequence WHERE receipt.id <> entry.id"
        if let sequence = try Int64.fetchOne(db, sql: shared) {
            throw OutboxError.damaged("entry \(sequence) has the sequence of another one's receipt")
        }
    }
}
