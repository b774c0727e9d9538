import Foundation
import GRDB
import SyncModel

/// Selects events of the audit trail.
package struct TrailFilter: Sendable {
    package var kinds: Set<SyncEvent.Kind>
    package var since: Date?
    package var account: AccountID?
    /// Only events of this backend and of the station; nil for all.
    package var backend: String?
    /// Only events with a greater cursor.
    package var after: Int64
    package var limit: Int

    package init(
        kinds: Set<SyncEvent.Kind>, since: Date? = nil, account: AccountID? = nil, backend: String? = nil, after: Int64 = 0, limit: Int
    ) {
        (self.kinds, self.since, self.account, self.backend) = (kinds, since, account, backend)
        (self.after, self.limit) = (after, limit)
    }
}

extension Outbox {
    /// People's actions and session events, oldest first. `keptSince` is the time of the oldest event; nil if none was pruned.
    package func trail(_ filter: TrailFilter) async throws(OutboxError) -> (events: [SyncEvent], keptSince: Date?) {
        try await read { db in
            let kinds = filter.kinds.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT * FROM event WHERE cursor > :after AND kind IN (\(kinds))
                        AND (entry IS NULL OR detail ->> 'by' IS NOT NULL) AND (kind <> 'held' OR detail ->> 'reason' = 'discarding')
                        AND (:since IS NULL OR at >= :since) AND (:account IS NULL OR account = :account)
                        AND (:backend IS NULL OR backend IS NULL OR backend = :backend)
                    ORDER BY cursor LIMIT :limit
                    """,
                arguments: [
                    "after": filter.after, "since": filter.since?.ms, "account": filter.account, "backend": filter.backend,
                    "limit": filter.limit,
                ])
            let oldest = try Row.fetchOne(db, sql: "SELECT cursor, at FROM event ORDER BY cursor LIMIT 1")
            let isPruned = oldest.map { ($0["cursor"] as Int64) > 1 } ?? false
            return (rows.compactMap(Self.event), isPruned ? oldest.map { Date(ms: $0["at"]) } : nil)
        }
    }
}
