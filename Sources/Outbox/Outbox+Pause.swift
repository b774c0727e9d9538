import Foundation
import GRDB
import SyncModel

extension Outbox {
    /// Corrects a start in the future, set while the clock was ahead.
    package func pauses(at now: Date) throws(OutboxError) -> [Pause] {
        try writeAtOnce { db in
            try Self.pauses(db).compactMap { stored in
                let pause = stored.corrected(at: now)
                if pause.isOver(at: now) {
                    try Self.end(stored, by: "homingd", because: Self.itsEnd, now, db)
                    return nil
                }
                if pause != stored { try Self.write(pause, db) }
                return pause
            }
        }
    }

    package func pauses() async throws(OutboxError) -> [String: Pause] { try await read(Self.pausesByBackend) }

    static func pausesByBackend(_ db: Database) throws -> [String: Pause] {
        Dictionary(uniqueKeysWithValues: try pauses(db).map { ($0.backend, $0) })
    }

    /// Replaces earlier pauses of the same backends. The revision grows with every pause and resume.
    @discardableResult
    package func pause(_ pauses: [Pause], by actor: String, at now: Date) async throws(OutboxError) -> Int64 {
        let revision = try await commit { db in
            for pause in pauses { try Self.begin(pause, by: actor, now, db) }
            return try Self.newestCursor(db)
        }
        eventsWritten.send()
        return revision
    }

    /// Stores corrected times, unless the pause was replaced or ended.
    package func correct(_ pause: Pause) async throws(OutboxError) {
        try await commit { db in
            try db.execute(
                sql: "UPDATE pause SET since = ?1, until = ?2 WHERE backend = ?3 AND since > ?1",
                arguments: [pause.since.ms, pause.until?.ms, pause.backend])
        }
    }

    /// All pauses if `backend` is nil. The revision is as for `pause`.
    package func resume(
        backend: String?, by actor: String, at now: Date
    ) async throws(OutboxError) -> (ended: [Pause], revision: Int64) {
        let outcome = try await commit { db in
            let ended = try Self.pauses(db).filter { backend == nil || $0.backend == backend }
            for pause in ended { try Self.end(pause, by: actor, because: "A person resumed sending.", now, db) }
            return (ended: ended, revision: try Self.newestCursor(db))
        }
        if !outcome.ended.isEmpty { eventsWritten.send() }
        return outcome
    }

    /// Ends the pause unless another one has replaced it.
    package func expire(_ pause: Pause, at now: Date) async throws(OutboxError) {
        let ended = try await commit { db in
            guard let stored = try Self.pauses(db).first(where: { $0.backend == pause.backend }),
                stored.until?.ms == pause.until?.ms || stored.since > now
            else { return false }
            try Self.end(stored, by: "homingd", because: Self.itsEnd, now, db)
            return true
        }
        if ended { eventsWritten.send() }
    }

    static func begin(_ pause: Pause, by actor: String, _ now: Date, _ db: Database) throws {
        try write(pause, db)
        var event = SyncEvent(at: now, .paused, backend: pause.backend, detail: ["by": actor, "reason": pause.reason])
        event.detail["until"] = pause.until?.formatted(.iso8601)
        try insert(event, db)
    }

    private static let itsEnd = "The pause has ended."

    private static func end(_ pause: Pause, by actor: String, because reason: String, _ now: Date, _ db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM pause WHERE backend = ?").execute(arguments: [pause.backend])
        try insert(SyncEvent(at: now, .resumed, backend: pause.backend, detail: ["by": actor, "reason": reason]), db)
    }

    private static func write(_ pause: Pause, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                INSERT INTO pause (backend, reason, since, until, "by") VALUES (?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET reason = excluded.reason, since = excluded.since, until = excluded.until, "by" = excluded."by"
                """
        ).execute(arguments: [pause.backend, pause.reason, pause.since.ms, pause.until?.ms, pause.by])
    }

    private static func pauses(_ db: Database) throws -> [Pause] {
        try Row.fetchAll(db, sql: "SELECT * FROM pause ORDER BY backend").map { row in
            Pause(
                backend: row["backend"], reason: row["reason"], since: Date(ms: row["since"]),
                until: (row["until"] as Int64?).map(Date.init(ms:)), by: row["by"])
        }
    }
}
