import GRDB
import Outbox
import SyncModel

extension Salvage {
    /// Holds pending entries that need one on hold. A claim holds those whose create is gone.
    func holdDependents() throws {
        while true {
            let rows = try Row.fetchAll(
                db,
                sql: """
                    UPDATE entry SET state = 'held', holdReason = 'dependency', lastStatus = NULL, lastReason = NULL,
                        lastError = 'It refers to a row that entry ' || needs || ' was to create, but that entry is on hold.'
                    WHERE needs IN (SELECT id FROM entry WHERE state IN ('dead', 'held')) AND state = 'pending'
                        AND state NOT IN ('delivered', 'discarded')
                    RETURNING id, backend, account
                    """)
            // Entries that need these are next.
            if rows.isEmpty { return }
            for row in rows {
                held.append((MutationID(row["id"] as String), row["backend"] as String?, row["account"] as String?, .dependency))
            }
        }
    }
}
