import Foundation
import GRDB
import SyncModel
import Vault

extension Outbox {
    /// Remembers the origin (base URL) to which a backend's accounts belong. Another one replaces it once no entries wait, or at once if it is the
    /// same service (`formerly`).
    ///
    /// Returns the remembered origin if it stays a different one. To be called before anything is captured.
    package func claimOrigin(_ origin: String, of backend: String, formerly: [String]) throws(OutboxError) -> String? {
        do {
            return try writeAtOnce { db in
                let stored = try Self.storedOrigin(of: backend, db)
                let sealed = Self.withDigest(origin, of: backend)
                if stored == Data(sealed.utf8) { return nil }
                let known = stored.flatMap { Self.origin(in: $0, like: sealed) }
                let waiting = try String.fetchAll(
                    db,
                    sql: "SELECT DISTINCT account FROM tally WHERE backend = ? AND count > 0 AND state NOT IN ('delivered', 'discarded')",
                    arguments: [backend])
                // Entries captured while the two were kept apart have the origin in their account, and must be delivered first.
                let keepsApart = formerly.contains(known ?? "") ? waiting.contains { $0.hasSuffix("@" + origin) } : !waiting.isEmpty
                if let known, known != origin, keepsApart { return known }
                try Self.store(sealed, of: backend, db)
                return nil
            }
        } catch {
            throw failure(error)
        }
    }

    /// Remembers how the lookups of each route recognise an entry. After a change they cannot find earlier effects, so this holds uncertain entries
    /// instead of sending them again.
    ///
    /// - Returns: the number of entries it held.
    package func claimMatches(_ matches: [String: String], of backend: String, at now: Date) async throws(OutboxError) -> Int {
        let held = try await commit { db in
            try matches.sorted { $0.key < $1.key }.reduce(0) { try $0 + Self.claimMatch($1.value, of: backend, $1.key, now, db) }
        }
        if held > 0 { eventsWritten.send() }
        return held
    }

    private static func claimMatch(_ match: String, of backend: String, _ route: String, _ now: Date, _ db: Database) throws -> Int {
        // A backend's name contains no space.
        let key = "\(backend) \(route)"
        let sealed = withDigest(Vault.digest(Data(key.utf8), Data(match.utf8)).prefix(8).hex, of: key)
        let stored = try storedOrigin(of: key, db)
        if stored == Data(sealed.utf8) { return 0 }
        try store(sealed, of: key, db)
        guard let stored, origin(in: stored, like: sealed) != nil else { return 0 }
        let uncertain = try Entry.fetchAll(
            db, sql: "SELECT * FROM entry WHERE state = 'pending' AND uncertain AND backend = ? AND route = ?",
            arguments: [backend, route])
        for entry in uncertain {
            try db.execute(
                sql: """
                    UPDATE entry SET state = 'held', holdReason = '\(HoldReason.unknownOutcome.rawValue)', lastStatus = NULL, lastReason = 'profile',
                        lastError = ? WHERE sequence = ?
                    """,
                arguments: [
                    "When this was sent, the profile of \(backend) had another marker or find.match. Restore that one before you retry it.",
                    entry.sequence,
                ])
            try insert(
                SyncEvent(
                    at: now, .held, backend: backend, account: entry.destination.account, entry: entry.id,
                    detail: ["reason": HoldReason.unknownOutcome.rawValue]), db)
        }
        return uncertain.count
    }

    private static func storedOrigin(of key: String, _ db: Database) throws -> Data? {
        try Data.fetchOne(db, sql: "SELECT CAST(origin AS BLOB) FROM origin WHERE backend = ?", arguments: [key])
    }

    private static func store(_ sealed: String, of key: String, _ db: Database) throws {
        try db.execute(
            sql: "INSERT INTO origin (backend, origin) VALUES (?, ?) ON CONFLICT DO UPDATE SET origin = excluded.origin",
            arguments: [key, sealed])
    }

    /// The digest distinguishes a damaged origin from a different one, which would keep entries waiting for ever.
    private static func withDigest(_ origin: String, of backend: String) -> String {
        let digest = Vault.digest(Data(backend.utf8), Data(origin.utf8)).prefix(8)
        return origin + " " + digest.hex
    }

    /// Nil if `stored` is `sealed` with a few changed bytes. Changed further, it counts as a different one: Homing never guesses the owner of
    /// entries.
    private static func origin(in stored: Data, like sealed: String) -> String? {
        let changed = stored.count == sealed.utf8.count ? zip(stored, sealed.utf8).count { $0 != $1 } : .max
        return changed <= mostChanged ? nil : origin(in: stored)
    }

    /// The base URL in a stored value, which also has a digest.
    package static func origin(in stored: Data) -> String { String(String(decoding: stored, as: UTF8.self).prefix { $0 != " " }) }

    /// Bytes, of the sixteen of a digest.
    private static let mostChanged = 4
}
