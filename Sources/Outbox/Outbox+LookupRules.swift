import Foundation
import GRDB
import SyncModel

extension Outbox {
    /// Remembers how the lookups of each route recognise an entry. After a change they cannot find earlier effects, so this holds uncertain
    /// entries. Returns their number.
    package func claimLookupRules(_ rules: [String: String], of backend: String, at now: Date) async throws(OutboxError) -> Int {
        let held = try await commit { db in
            try rules.sorted { $0.key < $1.key }.reduce(0) { try $0 + Self.claimLookupRule($1.value, of: backend, $1.key, now, db) }
        }
        if held > 0 { eventsWritten.send() }
        return held
    }

    private static func claimLookupRule(
        _ rule: String, of backend: String, _ route: String, _ now: Date, _ db: Database
    ) throws -> Int {
        let claimed = CheckedText(rule, of: backend, route)
        let stored = try Row.fetchOne(
            db, sql: "SELECT rule AS text, digest FROM lookupRule WHERE backend = ? AND route = ?", arguments: [backend, route]
        ).map(CheckedText.init(row:))
        if stored == claimed { return 0 }
        try db.execute(
            sql: """
                INSERT INTO lookupRule (backend, route, rule, digest) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET rule = excluded.rule, digest = excluded.digest
                """, arguments: [backend, route, claimed.text, claimed.digest])
        guard let stored, !stored.matches(claimed) else { return 0 }
        let uncertain = try Int64.fetchAll(
            db, sql: "SELECT sequence FROM entry WHERE state = 'pending' AND uncertain AND backend = ? AND route = ?",
            arguments: [backend, route])
        for sequence in uncertain { try hold(sequence, .otherRule(backend), at: now, db) }
        // One that is being discarded comes back on hold.
        let unfindable = Hold.otherRule(backend)
        try db.execute(
            sql: """
                UPDATE entry SET restoreTo = ?, lastStatus = NULL, lastReason = ?, lastError = ?
                WHERE state = 'held' AND restoreTo = 'pending' AND uncertain AND backend = ? AND route = ?
                """, arguments: ["held:\(unfindable.reason.rawValue)", unfindable.cause?.rawValue, unfindable.message, backend, route])
        return uncertain.count
    }
}
