import GRDB
import SyncModel

extension Outbox {
    /// The words of the person who discarded the entry, or is discarding it, as its event has them. Nil for none, and once the event is
    /// pruned.
    package func discardNote(of id: MutationID) async throws(OutboxError) -> String? {
        try await read { db -> String? in
            for row in try Row.fetchAll(db.cachedStatement(sql: Self.discardEvents), arguments: ["entry": id.description]) {
                // An earlier discard, which was undone.
                if row["kind"] as String == SyncEvent.Kind.restored.rawValue { return nil }
                if let note = row["note"] as String? { return note }
                // Only the end of a grace has no words of its own.
                if row["kind"] as String == SyncEvent.Kind.held.rawValue { return nil }
            }
            return nil
        }
    }

    /// The two newest about a discard of the entry. Each part repeats the condition of its index.
    static let discardEvents = """
        SELECT cursor, kind, detail ->> 'note' AS note FROM event WHERE entry = :entry AND \(OutboxSchema.tellsDiscard)
        UNION ALL SELECT cursor, kind, detail ->> 'note' FROM event
            WHERE entry = :entry AND kind = 'held' AND \(OutboxSchema.tellsAnswer) AND detail ->> 'reason' = 'discarding'
        ORDER BY cursor DESC LIMIT 2
        """
}
