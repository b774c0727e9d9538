import CSystemLinux
import Foundation
import GRDB
import SyncModel
import Vault

/// The durable queue: the one SQLite file of this state directory, and the only SQL that stores anything.
///
/// One process owns the file (it holds the directory's lock), so nothing polls: whoever waits is told by `arrivals` and `eventsWritten`.
package struct Outbox: Sendable {
    /// Told after a commit that may have made something eligible: an entry accepted, retried, or made due.
    package let arrivals = Signal()
    /// Told after a commit that wrote events.
    package let eventsWritten = Signal()

    /// What this run has met.
    package let damage: Damage
    /// What became of the store that was there, where opening it meant to put it aside; nil where it was sound.
    package let salvaged: SalvageReport?

    let pool: DatabasePool
    let commits: GroupCommit
    let ballast: Ballast
    let shortage = Shortage()
    /// What is being prepared to be stored, in bytes of documents: each is held four times until it is on the disk.
    let preparing = ByteBudget(32 << 20)
    let vault: Vault
    /// The largest that the file may be, in bytes; what must be written besides new submissions goes past it.
    let maxBytes: Int64
    /// This run of the daemon: what is in flight under another epoch is an orphan, at once and for certain.
    let epoch: Int64

    /// Set once: SQLite takes it as misuse where it is in use already.
    private static let sparesMemoryCount: Void = homing_spare_sqlite_memory_count()

    /// Seconds that a statement waits for a file that somebody else has locked, `sqlite3` say.
    static let busyTimeout = 5

    /// What the log keeps of the disk between two transactions, in bytes.
    static let mostOfLog: Int64 = 4 << 20

    /// Opens or makes the outbox in `file`, and hands back what an earlier run left in flight.
    ///
    /// - Parameters:
    ///   - crashed: the earlier run ended by a fault of its own, which its orphans are suspected of.
    ///   - maxBytes: the limit of the file, in bytes, from which on nothing more is accepted.
    ///   - lookupAfter: how long (seconds) a backend may still be at work on what an earlier run had in flight.
    ///   - progress: called again and again while a damaged store is salvaged, which takes a minute for millions of receipts.
    package init(
        file: String, vault: Vault, crashed: Bool, maxBytes: Int64 = .max, lookupAfter: TimeInterval = 0, now: Date,
        progress: @escaping () -> Void = {}
    ) throws(OutboxError) {
        _ = Self.sparesMemoryCount
        let ballast = Ballast(beside: file)
        self.vault = vault
        self.maxBytes = maxBytes
        self.ballast = ballast
        damage = Damage(file: file)
        do {
            let repair = StoreRepair(file: file, vault: vault, now: now, progress: progress)
            func withRoom<T>(_ work: () throws -> T) throws -> T {
                do { return try work() } catch  where (ballast.free ?? .max) < Ballast.margin && ballast.release() { return try work() }
            }
            var salvaged = try withRoom(repair.prepare)
            func openOnce() throws -> (DatabasePool, epoch: Int64) {
                try Self.open(
                    file, thoroughly: crashed && salvaged == nil,
                    { try Self.beginRun($0, crashed: crashed, dueAt: now.addingTimeInterval(lookupAfter), now: now) })
            }
            do { (pool, epoch) = try withRoom(openOnce) } catch {
                guard case .damaged(let reason) = OutboxError(error), salvaged == nil else { throw error }
                salvaged = try withRoom { try repair.salvage(because: reason) }
                (pool, epoch) = try withRoom(openOnce)
            }
            self.salvaged = salvaged
            StoreUse(of: file).opened()
            commits = GroupCommit(pool: pool, ballast: ballast)
        } catch {
            throw OutboxError(error)
        }
    }

    /// - Parameters:
    ///   - thoroughly: reads all of it and throws `damaged` where anything is wrong, which takes seconds for a million entries.
    private static func open(
        _ file: String, thoroughly: Bool, _ begin: (Database) throws -> Int64
    ) throws -> (DatabasePool, epoch: Int64) {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(TimeInterval(busyTimeout))
        configuration.label = "outbox"
        configuration.maximumReaderCount = 2
        configuration.prepareDatabase { db in
            if db.configuration.readonly { return }
            try db.keepLog()
            try db.execute(sql: "PRAGMA secure_delete = ON")
            // Each savepoint else keeps the pages it changes in a file of its own in /var/tmp: on another disk, and outside the state.
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        let pool = try DatabasePool(path: file, configuration: configuration)
        do {
            // DatabasePool sets NORMAL after prepareDatabase has run, so FULL is set once it is open; there is one writer connection.
            try pool.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA synchronous = FULL")
                try db.execute(sql: "PRAGMA wal_autocheckpoint = 256")
                try db.execute(sql: "PRAGMA journal_size_limit = \(mostOfLog)")
                // From here on each transaction is on the disk before the next one is written, by which damage to the log is told.
                try db.syncLog()
            }
            if thoroughly { try pool.read(checkIntegrity) }
            try migrate(pool)
            do { return (pool, try pool.write(begin)) } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                // What is stored breaks the rules of its own tables.
                throw OutboxError.damaged("\(error)")
            }
        } catch {
            // `try?`: it is put aside, and the error from before says why.
            try? pool.close()
            throw error
        }
    }

    private static func migrate(_ pool: DatabasePool) throws {
        if try pool.read(OutboxSchema.migrator.hasBeenSuperseded) { throw OutboxError.tooNew }
        do { try OutboxSchema.migrator.migrate(pool) } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            // The tables are not those that the store says it has.
            throw OutboxError.damaged("\(error)")
        }
    }

    /// Three crashes hold an entry as poison; until then it goes back, to be looked up before it is sent again.
    private static func beginRun(_ db: Database, crashed: Bool, dueAt: Date, now: Date) throws -> Int64 {
        let epoch = try Int64.fetchOne(db, sql: "UPDATE run SET epoch = epoch + 1 RETURNING epoch") ?? 0
        let orphans = try EntryRow.fetchAll(
            db,
            sql: """
                UPDATE entry SET state = 'pending', epoch = NULL, uncertain = 1, uncertainAt = coalesce(uncertainAt, claimedAt),
                    doubtedAt = ?, doubts = doubts + 1, looks = 0, crashes = crashes + ?, dueAt = ?
                WHERE state = 'inflight' RETURNING *
                """, arguments: [now.ms, crashed ? 1 : 0, dueAt.ms])
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

    /// Closes the store after its last commit, all of it in the one file where nobody else reads it; a write that comes later fails. What is
    /// damaged stays as it is.
    package func close() throws(OutboxError) {
        do {
            // `try?`: what the log holds it goes on holding.
            if !damage.isMet, mayEmptyLog, (try? pool.writeWithoutTransaction(Self.truncateLog)) == true {
                StoreUse(of: pool.path).closed()
            }
            try pool.close()
        } catch {
            throw failure(error)
        }
    }

    /// Runs `work` in a transaction that it may share with others, and returns after the fsync.
    ///
    /// - Parameters:
    ///   - size: of a submission, in bytes.
    ///   - mustBe: on a full disk it is written from the ballast. Only new submissions are not: they are refused, and nothing is lost.
    func commit<T: Sendable>(
        size: Int64 = 0, mustBe: Bool = true, _ work: @escaping @Sendable (Database) throws -> T
    ) async throws(OutboxError) -> T {
        // Nothing more is promised by a store that is damaged: soon another run has what could be saved of it.
        if !mustBe, let reason = damage.reason { throw .damaged(reason) }
        do {
            let value = try await commits.submit(mustBe: mustBe, work)
            if mustBe { shortage.wroteWhatMustBe(true) }
            return value
        } catch {
            let error = failure(error)
            if error == .full {
                shortage.diskIsFull()
                if mustBe { shortage.wroteWhatMustBe(false) } else { shortage.turnedAway(size) }
            }
            throw error
        }
    }

    /// Runs `work` in a transaction of its own, on a full disk from the ballast.
    func writeAtStart<T>(_ work: (Database) throws -> T) throws -> T {
        do { return try pool.write(work) } catch  where OutboxError(error) == .full && makeRoom() { return try pool.write(work) }
    }

    /// Reads a consistent snapshot.
    func read<T: Sendable>(_ work: @escaping @Sendable (Database) throws -> T) async throws(OutboxError) -> T {
        do { return try await pool.read(work) } catch { throw failure(error) }
    }

    /// What went wrong; damage is remembered.
    func failure(_ error: any Error) -> OutboxError {
        let error = OutboxError(error)
        if case .damaged(let words) = error { damage.meet(words) }
        return error
    }
}

extension Outbox {
    /// SQLite's `synchronous` on the connection that writes: 2 is FULL.
    package func synchronous() throws -> Int {
        try pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") ?? -1 }
    }
}
