import GRDB
import SyncModel

extension Outbox {
    /// Whose accounts a backend's entries belong to. The first origin that is told is remembered; another one takes its place as soon as
    /// nothing of the first waits any more, or at once where it is the same service (`formerly`).
    ///
    /// Returns the remembered origin where it stays another one's; nil where `origin` is it. To be asked before anything is captured.
    package func claimOrigin(_ origin: String, of backend: String, formerly: [String]) throws(OutboxError) -> String? {
        do {
            return try writeAtStart { db in
                let known = try String.fetchOne(db, sql: "SELECT origin FROM origin WHERE backend = ?", arguments: [backend])
                if known == origin { return nil }
                let waiting = try String.fetchAll(
                    db,
                    sql: "SELECT DISTINCT account FROM tally WHERE backend = ? AND count > 0 AND state NOT IN ('delivered', 'discarded')",
                    arguments: [backend])
                // What was captured while both were kept apart bears the origin in its account, and goes first.
                let keepsApart = formerly.contains(known ?? "") ? waiting.contains { $0.hasSuffix("@" + origin) } : !waiting.isEmpty
                if let known, keepsApart { return known }
                try db.execute(
                    sql: "INSERT INTO origin (backend, origin) VALUES (?, ?) ON CONFLICT DO UPDATE SET origin = excluded.origin",
                    arguments: [backend, origin])
                return nil
            }
        } catch {
            throw failure(error)
        }
    }
}
