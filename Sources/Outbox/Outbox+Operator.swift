import Foundation
import GRDB
import SyncModel

/// What only a person decides.
extension Outbox {
    /// Revives a dead or held entry with its full number of attempts, or makes a waiting one due now. Its id and content stay.
    ///
    /// What is held because nobody could find out whether it took effect is sent again: the person has looked. So is what is dead where
    /// `canLookUp` is false. Else what may have taken effect still may have.
    ///
    /// - Parameter name: how people know the actor, for what a person reads; the events tell the actor as given.
    package func retry(_ id: MutationID, canLookUp: Bool, by actor: String, named name: String? = nil, at now: Date)
        async throws(OutboxError)
    {
        let decided = "(holdReason IS 'unknownOutcome' OR (state = 'dead' AND NOT ?))"
        try await move(
            id, from: [.dead, .held, .pending], .retried, by: actor, at: now,
            sql: """
                UPDATE entry SET state = 'pending', holdReason = NULL, attempts = 0, crashes = 0,
                    dueAt = CASE WHEN state = 'pending' AND uncertain THEN dueAt ELSE ? END,
                    uncertain = uncertain AND NOT \(decided), uncertainAt = CASE WHEN \(decided) THEN NULL ELSE uncertainAt END,
                    retriedAt = ?, retriedBy = ? WHERE sequence = ?
                """, arguments: [Self.atOnce, canLookUp, canLookUp, now.ms, name ?? actor])
        arrivals.send()
    }

    /// Destroys an entry's content for ever and keeps a receipt that says so.
    package func discard(_ id: MutationID, by actor: String, named name: String? = nil, at now: Date) async throws(OutboxError) {
        try await move(
            id, from: [.dead, .held, .pending], .discarded, by: actor, named: name, at: now,
            sql: "UPDATE entry SET state = 'discarded', holdReason = NULL, sealed = NULL, settledAt = ? WHERE sequence = ?",
            arguments: [now.ms])
        // What follows in its lane may be eligible now.
        arrivals.send()
    }

    private func move(
        _ id: MutationID, from states: Set<Entry.State>, _ kind: SyncEvent.Kind, by actor: String, named name: String? = nil, at now: Date,
        sql: String, arguments: StatementArguments
    ) async throws(OutboxError) {
        try await commit { db in
            guard
                let row = try EntryRow.fetchOne(
                    db.cachedStatement(sql: "SELECT \(EntryRow.browsed) FROM entry WHERE id = ?"), arguments: [id.description])
            else { throw OutboxError.notFound(id) }
            let state = try row.entry().state
            guard states.contains(state) else { throw OutboxError.wrongState(id, state) }
            if kind == .discarded {
                try db.cachedStatement(
                    sql: """
                        INSERT INTO receipt (id, sequence, backend, account, lane, route, size, digest, outcome, foundByLookup, attempts,
                            capturedAt, settledAt, discardedBy)
                        SELECT id, sequence, backend, account, lane, route, size, digest, 'discarded', 0, attempts, capturedAt, ?, ?
                        FROM entry WHERE sequence = ?
                        """
                ).execute(arguments: [now.ms, name ?? actor, row.sequence])
            }
            try db.cachedStatement(sql: sql).execute(arguments: arguments + [row.sequence])
            try Self.insert(
                SyncEvent(
                    at: now, kind, backend: row.backend, account: row.account, entry: id, detail: ["by": actor, "from": state.rawValue]), db
            )
        }
        eventsWritten.send()
    }

    /// Makes everything that waits for a time due now, but for what its backend may still be at work on, at `backend` or, where nil, at all.
    package func makeDue(backend: String?, at now: Date) async throws(OutboxError) {
        try await commit { db in
            try db.cachedStatement(
                sql: """
                    UPDATE entry SET dueAt = :atOnce WHERE state = 'pending' AND NOT uncertain AND sequence IN
                        (SELECT head FROM lane WHERE dueAt > :now AND (:backend IS NULL OR backend = :backend))
                    """
            ).execute(arguments: ["now": now.ms, "atOnce": Self.atOnce, "backend": backend])
        }
        arrivals.send()
    }
}
