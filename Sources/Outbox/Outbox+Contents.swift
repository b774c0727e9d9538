import GRDB
import SyncModel

extension Outbox {
    /// The results of `body` by entry, without entries whose content is unreadable or destroyed.
    package func contents<Part: Sendable>(
        of ids: [MutationID], _ body: @escaping @Sendable (Mutation) -> Part
    ) async throws(OutboxError) -> [MutationID: Part] {
        if ids.isEmpty { return [:] }
        return try await read { db in
            var parts: [MutationID: Part] = [:]
            for id in ids {
                let statement = try db.cachedStatement(sql: "SELECT * FROM entry WHERE id = ?")
                guard let row = try Row.fetchOne(statement, arguments: [id.description]) else { continue }
                // `try?`: the next claim holds an unreadable entry.
                let entry = try? decryptor.entry(of: row, Self.sealedContent(of: row.decode(forColumn: "sequence"), db))
                parts[id] = entry.map { body($0.mutation) }
            }
            return parts
        }
    }
}
