import Foundation
import GRDB
import SyncModel

extension Outbox {
    /// Remembers the base URL to which a backend's accounts belong. Another one replaces it once no entries wait, or at once if it is the
    /// same service (`formerly`). Returns the remembered one if it stays different. Call before anything is captured.
    package func claimOrigin(_ origin: String, of backend: String, formerly: [String]) throws(OutboxError) -> String? {
        try writeAtOnce { db in
            let claimed = CheckedText(origin, of: backend)
            let stored = try Row.fetchOne(db, sql: "SELECT origin AS text, digest FROM origin WHERE backend = ?", arguments: [backend])
                .map(CheckedText.init(row:))
            if stored == claimed { return nil }
            // A damaged origin counts as a different one: Homing never guesses the owner of entries.
            if let stored, !stored.matches(claimed) {
                let waiting = try String.fetchAll(
                    db,
                    sql: "SELECT DISTINCT account FROM tally WHERE backend = ? AND count > 0 AND state NOT IN ('delivered', 'discarded')",
                    arguments: [backend])
                // Entries captured while the two were kept apart have the origin in their account, and must be delivered first.
                let keepsApart = formerly.contains(stored.text) ? waiting.contains { $0.hasSuffix("@" + origin) } : !waiting.isEmpty
                if keepsApart { return stored.text }
            }
            try db.execute(
                sql: """
                    INSERT INTO origin (backend, origin, digest) VALUES (?, ?, ?)
                    ON CONFLICT DO UPDATE SET origin = excluded.origin, digest = excluded.digest
                    """, arguments: [backend, claimed.text, claimed.digest])
            return nil
        }
    }
}
