import Foundation
import GRDB
import SyncModel

/// Servers' requests for a pause, in the table `quiet`; they survive restarts.
extension Outbox {
    /// Keeps the longest for each backend. Replaces one of another address, or from a clock that was ahead.
    package func keep(_ pause: ServerPause) async throws(OutboxError) {
        try await commit { db in
            try db.cachedStatement(
                sql: """
                    INSERT INTO quiet (backend, address, since, until, status, message) VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT DO UPDATE SET address = excluded.address, since = excluded.since, until = excluded.until,
                        status = excluded.status, message = excluded.message
                    WHERE quiet.address <> excluded.address OR quiet.until NOT BETWEEN excluded.until AND ?
                    """
            ).execute(arguments: [
                pause.backend, pause.address, pause.since.ms, pause.until.ms, pause.failure.status, pause.failure.message,
                pause.since.addingTimeInterval(ServerPause.horizon).ms,
            ])
        }
    }

    /// Those that are not over. One stored while the clock was ahead lasts as long as the server asked.
    package func serverPauses(at now: Date) throws(OutboxError) -> [ServerPause] {
        try readAtOnce { try Self.serverPauses(at: now, $0) }
    }

    /// The pause that the server asked for; nil for another address, and once it is over.
    package func serverPause(of backend: String, at address: String, now: Date) async throws(OutboxError) -> ServerPause? {
        try await read { db in try Self.serverPauses(at: now, db).first { $0.backend == backend && $0.address == address } }
    }

    private static func serverPauses(at now: Date, _ db: Database) throws -> [ServerPause] {
        try Row.fetchAll(db, sql: "SELECT * FROM quiet ORDER BY backend").compactMap { row in
            let (since, until) = (Date(ms: row["since"]), Date(ms: row["until"]))
            let span = min(until.timeIntervalSince(since), ServerPause.horizon)
            let end = since > now ? now.addingTimeInterval(span) : until
            guard end > now, span > 0 else { return nil }
            return ServerPause(
                backend: row["backend"], address: row["address"], since: min(since, now), until: end,
                failure: Failure(.throttled, status: row["status"], row["message"]))
        }
    }
}
