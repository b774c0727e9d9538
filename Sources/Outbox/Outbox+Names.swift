import GRDB
import SyncModel

/// An entry or receipt that a name fits.
package struct EntryCandidate: Sendable, Equatable {
    package var sequence: Int64
    package var id: MutationID

    package init(sequence: Int64, id: MutationID) {
        self.sequence = sequence
        self.id = id
    }
}

extension Outbox {
    /// The error lists one more if there are more.
    package static let mostCandidates = 5

    /// Finds an id among entries and receipts. Throws `unknownName` or `ambiguousName`. A full id is returned, known or not. A number goes
    /// before a part of an id.
    package func id(named name: EntryName) async throws(OutboxError) -> MutationID {
        if let id = name.id { return id }
        let found = try await read { db in try Self.candidates(name, db) }
        guard let first = found.first else { throw .unknownName(name) }
        guard found.count == 1 else { throw .ambiguousName(name, found) }
        return first.id
    }

    private static func candidates(_ name: EntryName, _ db: Database) throws -> [EntryCandidate] {
        var rows: [Row] = []
        if let number = name.number { rows = try Row.fetchAll(db, sql: searchByNumber, arguments: ["number": number]) }
        if rows.isEmpty, let part = name.part {
            rows = try Row.fetchAll(db, sql: searchByPart, arguments: ["part": part, "limit": mostCandidates + 1])
        }
        return try rows.map { row in
            guard let id = MutationID(row["id"] as String) else {
                throw OutboxError.damaged("entry \(row["sequence"] as Int64) has an id that is not a UUID")
            }
            return EntryCandidate(sequence: row["sequence"], id: id)
        }
    }

    private static let searchByNumber = """
        SELECT sequence, id FROM entry WHERE sequence = :number UNION SELECT sequence, id FROM receipt WHERE sequence = :number
        """

    /// Entries and receipts by a part of their id, newest first. Each search has its own limit, because a short beginning may fit all ids
    /// of some weeks. The ends of receipts' ids have no index, which would cost each delivery a page.
    static let searchByPart: String = {
        let ends = [("entry", "entryEnd", "substr(id, -4) = substr(:part, -4) AND "), ("receipt", "receiptOf", "")]
        let searches = ends.flatMap { table, index, end in
            [
                """
                SELECT sequence, id FROM \(table) INDEXED BY \(index) WHERE \(end)substr(id, -length(:part)) = :part
                ORDER BY +sequence DESC LIMIT :limit
                """,
                // No character of an id sorts after ‘f’.
                "SELECT sequence, id FROM \(table) WHERE id >= :part AND id < :part || 'g' ORDER BY id DESC LIMIT :limit",
            ]
        }
        let all = searches.map { "SELECT * FROM (\($0))" }.joined(separator: " UNION ALL ")
        return "SELECT max(sequence) AS sequence, id FROM (\(all)) GROUP BY id ORDER BY sequence DESC LIMIT :limit"
    }()
}
