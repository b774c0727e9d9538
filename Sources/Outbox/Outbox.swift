import Foundation
import GRDB
import SyncModel
import Vault

/// The durable queue: the one SQLite file of this state directory, and the only SQL in the program.
///
/// One process owns the file (it holds the directory's lock), so nothing polls: whoever waits is told by `arrivals` and `eventsWritten`.
package struct Outbox: Sendable {
    /// Told after a commit that may have made something eligible: an entry accepted, retried, or made due.
    package let arrivals = Signal()
    /// Told after a commit that wrote events.
    package let eventsWritten = Signal()

    let pool: DatabasePool
    let commits: GroupCommit
    let ballast: Ballast
    let shortage = Shortage()
    let vault: Vault
    /// The largest that the file may be, in bytes; what must be written besides new submissions goes past it.
    let maxBytes: Int64
    /// This run of the daemon: what is in flight under another epoch is an orphan, at once and for certain.
    let epoch: Int64

    /// Opens or makes the outbox in `file`, and hands back what an earlier run left in flight.
    ///
    /// - Parameters:
    ///   - crashed: the earlier run ended by a fault of its own, which its orphans are suspected of.
    ///   - maxBytes: the limit of the file, in bytes, from which on nothing more is accepted.
    ///   - lookupAfter: how long (seconds) a backend may still be at work on what an earlier run had in flight.
    package init(
        file: String, vault: Vault, crashed: Bool, maxBytes: Int64 = .max, lookupAfter: TimeInterval = 0, now: Date
    ) throws(OutboxError) {
        let ballast = Ballast(beside: file)
        func open() throws -> (DatabasePool, Int64) {
            let pool = try Self.pool(file)
            return (
                pool, try pool.write { db in try Self.beginRun(db, crashed: crashed, dueAt: now.addingTimeInterval(lookupAfter), now: now) }
            )
        }
        do {
            do {
                (pool, epoch) = try open()
            } catch  where (ballast.free ?? .max) < Ballast.margin && ballast.release() {
                (pool, epoch) = try open()
            }
        } catch {
            throw OutboxError(error)
        }
        self.vault = vault
        self.maxBytes = maxBytes
        self.ballast = ballast
        commits = GroupCommit(pool: pool, ballast: ballast)
    }

    private static func pool(_ file: String) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(5)
        configuration.label = "outbox"
        configuration.maximumReaderCount = 2
        configuration.prepareDatabase { db in
            if db.configuration.readonly { return }
            // Only before the first table is made does this take effect.
            try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            try db.execute(sql: "PRAGMA secure_delete = ON")
            // Each savepoint else keeps the pages it changes in a file of its own in /var/tmp: on another disk, and outside the state.
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        let pool = try DatabasePool(path: file, configuration: configuration)
        // DatabasePool sets NORMAL after prepareDatabase has run, so FULL is set once it is open; there is one writer connection.
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 256")
            try db.execute(sql: "PRAGMA journal_size_limit = 4194304")
        }
        if try pool.read(OutboxSchema.migrator.hasBeenSuperseded) { throw OutboxError.tooNew }
        try OutboxSchema.migrator.migrate(pool)
        return pool
    }

    /// Three crashes hold an entry as poison; until then it goes back, to be looked up before it is sent again.
    private static func beginRun(_ db: Database, crashed: Bool, dueAt: Date, now: Date) throws -> Int64 {
        let epoch = try Int64.fetchOne(db, sql: "UPDATE run SET epoch = epoch + 1 RETURNING epoch") ?? 0
        let orphans = try EntryRow.fetchAll(
            db,
            sql: """
                UPDATE entry SET state = 'pending', epoch = NULL, uncertain = 1, uncertainAt = coalesce(uncertainAt, claimedAt),
                    crashes = crashes + ?, dueAt = ?
                WHERE state = 'inflight' RETURNING *
                """, arguments: [crashed ? 1 : 0, dueAt.ms])
        for orphan in orphans {
            var event = SyncEvent(
                at: now, .recovered, backend: orphan.backend, account: orphan.account, entry: try orphan.mutationID,
                detail: ["crashes": String(orphan.crashes)])
            if orphan.crashes >= 3 {
                try db.execute(
                    sql: "UPDATE entry SET state = 'held', holdReason = 'poison' WHERE sequence = ?", arguments: [orphan.sequence])
                event.kind = .held
                event.detail["reason"] = HoldReason.poison.rawValue
            }
            try insert(event, db)
        }
        return epoch
    }

    /// Closes the file after its last commit; a write that comes later fails.
    package func close() throws(OutboxError) {
        do { try pool.close() } catch { throw OutboxError(error) }
    }

    /// Runs `work` in a transaction that it may share with others, and returns after the fsync.
    ///
    /// - Parameters:
    ///   - size: about how many bytes it writes, where that is much.
    ///   - mustBe: on a full disk it is written from the ballast. Only new submissions are not: they are refused, and nothing is lost.
    func commit<T: Sendable>(
        size: Int64 = 0, mustBe: Bool = true, _ work: @escaping @Sendable (Database) throws -> T
    ) async throws(OutboxError) -> T {
        do {
            let value = try await commits.submit(mustBe: mustBe, work)
            if mustBe { shortage.wroteWhatMustBe(true) }
            return value
        } catch {
            let error = OutboxError(error)
            if error == .full {
                shortage.diskIsFull(for: size)
                if mustBe { shortage.wroteWhatMustBe(false) }
            }
            throw error
        }
    }

    /// Reads a consistent snapshot.
    func read<T: Sendable>(_ work: @escaping @Sendable (Database) throws -> T) async throws(OutboxError) -> T {
        do { return try await pool.read(work) } catch { throw OutboxError(error) }
    }
}

extension Date {
    /// Unix milliseconds, as the tables hold times.
    var ms: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }
    init(ms: Int64) { self.init(timeIntervalSince1970: Double(ms) / 1000) }
}

extension Outbox {
    /// SQLite's `synchronous` on the connection that writes: 2 is FULL.
    package func synchronous() throws -> Int {
        try pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") ?? -1 }
    }
}
