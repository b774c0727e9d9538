import Foundation
import GRDB
import SyncModel

extension Outbox {
    /// True if an entry of these routes was delivered since `date`, or is held after a send of unknown outcome since then.
    package func hasTouched(_ routes: [String], at destination: Destination, since date: Date) async throws(OutboxError) -> Bool {
        if routes.isEmpty { return false }
        return try await read { db in
            let own: StatementArguments = [date.ms, destination.backend, destination.account]
            let arguments = own + StatementArguments(routes)
            let places = databaseQuestionMarks(count: routes.count)
            return try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM entry INDEXED BY settledOrder WHERE settledAt >= ? AND state = 'delivered'
                        AND backend = ? AND account = ? AND route IN (\(places)))
                    OR EXISTS (SELECT 1 FROM entry INDEXED BY stateOrder WHERE state = 'held' AND holdReason = 'unknownOutcome'
                        AND coalesce(doubtedAt, claimedAt) >= ? AND backend = ? AND account = ? AND route IN (\(places)))
                    """, arguments: arguments + arguments) ?? false
        }
    }

    /// Deletes the rosters of signed-out accounts that were last read before `date`.
    package func forgetKeptRosters(readBefore date: Date, at now: Date) async throws(OutboxError) {
        let isKept = "NOT EXISTS (SELECT 1 FROM session WHERE session.backend = roster.backend AND session.account = roster.account)"
        try await commit { db in
            // The clock was ahead: the time is unknown, but not in the future.
            try db.execute(sql: "UPDATE roster SET readAt = :now WHERE readAt > :now AND \(isKept)", arguments: ["now": now.ms])
            try db.execute(sql: "DELETE FROM roster WHERE readAt < ? AND \(isKept)", arguments: [date.ms])
        }
    }
}
