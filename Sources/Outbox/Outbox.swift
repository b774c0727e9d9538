import CSystemLinux
import Foundation
import GRDB
import SyncModel
import Vault

/// The durable queue: one SQLite file, owned by one process (by the directory's lock), so nothing polls.
package struct Outbox: Sendable {
    /// Sent after a commit that may have made an entry eligible.
    package let arrivals = Signal()
    /// Sent after a commit that wrote events.
    package let eventsWritten = Signal()
    /// Sent after a commit that deleted secrets which the WAL still holds.
    package let secretsDeleted = Signal()
    /// Sent after a commit that set the time of a discard.
    package let discardsPlanned = Signal()

    /// Sent when notifications were stored, or a new try may succeed.
    package let notificationsDue = Signal()

    package let damage: Damage
    package let place: StorePlace

    let pool: DatabasePool
    let commits: GroupCommit
    let ballast: Ballast
    let marker: RunMark
    let shortage = DiskPressure()
    let rosterRules = RosterRules()
    let rosterPlaces = RosterPlaces()
    /// One long read at a time, a backup or the daily check, so that a reader stays free for others.
    let longReads = ByteBudget(1)
    /// Bytes of payloads being prepared; each takes four times its size in memory (Decisions/LargeDocuments.md).
    let preparing = ByteBudget(32 << 20)
    let vault: Vault
    let decryptor: PayloadDecryptor
    /// In bytes, for new submissions only.
    let maxBytes: Int64
    /// Identifies this run: an entry in flight under another epoch is an orphan.
    let epoch: Int64
    /// Nil unless this run found an older copy in the place of the store.
    package let olderCopy: OlderCopy?

    /// Set once: SQLite rejects it as misuse when already in use.
    private static let sparesMemoryCount: Void = homing_spare_sqlite_memory_count()

    /// Seconds to wait for another process's lock, such as `sqlite3`.
    static let busyTimeout = 5

    /// Bytes that the WAL keeps between transactions.
    static let mostOfLog: Int64 = 4 << 20

    /// Opens or creates the outbox, and requeues entries that an earlier run left in flight. Throws `damaged` on damage that SQLite meets
    /// here; `StoreDoctor` examines the files first.
    ///
    /// - Parameters:
    ///   - crashed: the earlier run crashed, perhaps because of its orphans.
    ///   - isSalvaged: a salvage has just written the file, so it needs no check.
    ///   - maxBytes: the limit of the file for new submissions.
    ///   - lookupAfter: seconds for which a backend may still be processing an orphan.
    ///   - traits: of a backend's route, for the entries of an older copy; nil if there is none.
    package init(
        file: String, vault: Vault, crashed: Bool, isSalvaged: Bool = false, maxBytes: Int64 = .max, lookupAfter: TimeInterval = 0,
        now: Date, traits: (_ backend: String, _ route: String) -> RouteTraits? = { _, _ in nil }
    ) throws(OutboxError) {
        _ = Self.sparesMemoryCount
        let ballast = Ballast(beside: file)
        self.vault = vault
        decryptor = PayloadDecryptor(vault: vault)
        self.maxBytes = maxBytes
        self.ballast = ballast
        damage = Damage(file: file)
        StoreBackup.removeDrafts(of: file)
        do {
            let use = StoreUse(of: file)
            let (pool, run) = try ballast.withReserve { () throws -> (DatabasePool, Run) in
                if !use.isThere { try NewStore.make(at: file) }
                return try Self.open(file, thoroughly: crashed && !isSalvaged, bytesToCheckpoint: ballast.margin) { db in
                    // In the transaction of the new epoch: after a kill before its end, the next start finds the copy again.
                    let copy = try OlderCopy.mark(db, use: use, at: now, traits: traits)
                    let epoch = try Self.beginRun(db, crashed: crashed, dueAt: now.addingTimeInterval(lookupAfter), now: now)
                    return (epoch, copy)
                }
            }
            (self.pool, epoch, olderCopy) = (pool, run.epoch, run.olderCopy)
            place = StorePlace(of: file)
            marker = RunMark(use, epoch: run.epoch, inode: place.inode)
            marker.write()
            commits = GroupCommit(pool: pool, ballast: ballast, place: place)
        } catch {
            throw OutboxError(error)
        }
    }

    private typealias Run = (epoch: Int64, olderCopy: OlderCopy?)

    /// Opens the file. `thoroughly` checks all of it, in seconds for a million entries, and throws `damaged` on any fault. For
    /// `bytesToCheckpoint` see `Ballast.margin`.
    private static func open(
        _ file: String, thoroughly: Bool, bytesToCheckpoint: Int64, _ begin: (Database) throws -> Run
    ) throws -> (DatabasePool, Run) {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(TimeInterval(busyTimeout))
        configuration.label = "outbox"
        configuration.maximumReaderCount = 2
        configuration.prepareDatabase { db in
            if db.configuration.readonly { return }
            try db.keepLog()
            try db.execute(sql: "PRAGMA secure_delete = ON")
            // By default a savepoint keeps changed pages in /var/tmp, outside the state directory.
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        let pool = try DatabasePool(path: file, configuration: configuration)
        do {
            // DatabasePool sets NORMAL after prepareDatabase. There is one writer connection.
            try pool.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA synchronous = FULL")
                try db.execute(sql: "PRAGMA wal_autocheckpoint = \(bytesToCheckpoint / 4096)")
                try db.execute(sql: "PRAGMA journal_size_limit = \(mostOfLog)")
                // From here on each transaction is durable before the next one is written, so damage to the WAL can be detected.
                try db.syncLog()
            }
            if thoroughly { try pool.read(checkIntegrity) }
            try migrate(pool)
            do { return (pool, try pool.write(begin)) } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                throw OutboxError.damaged("\(error)")
            }
        } catch {
            // `try?`: the earlier error is the cause.
            try? pool.close()
            throw error
        }
    }

    private static func migrate(_ pool: DatabasePool) throws {
        if try pool.read(OutboxSchema.migrator.hasBeenSuperseded) { throw OutboxError.tooNew }
        do { try OutboxSchema.migrator.migrate(pool) } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            // The tables are not those of the recorded migrations.
            throw OutboxError.damaged("\(error)")
        }
    }

    /// The third crash holds an entry; until then it is looked up before it is sent again.
    private static func beginRun(_ db: Database, crashed: Bool, dueAt: Date, now: Date) throws -> Int64 {
        let epoch = try Int64.fetchOne(db, sql: "UPDATE run SET epoch = epoch + 1 RETURNING epoch") ?? 0
        guard try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM entry WHERE state = 'inflight')") == true else { return epoch }
        let orphans = try Entry.fetchAll(
            db,
            sql: """
                UPDATE entry SET state = 'pending', epoch = NULL, uncertain = 1, uncertainAt = coalesce(uncertainAt, claimedAt),
                    doubtedAt = ?, doubts = doubts + 1, looks = 0, crashes = crashes + ?, dueAt = ?,
                    lastStatus = NULL, lastReason = NULL, lastError = NULL
                WHERE state = 'inflight' RETURNING *
                """, arguments: [now.ms, crashed ? 1 : 0, dueAt.ms])
        for orphan in orphans {
            try insert(SyncEvent(at: now, .recovered, of: orphan, detail: ["crashes": String(orphan.crashes)]), db)
            if orphan.crashes >= 3 { try hold(orphan.sequence, .crashes, at: now, db) }
        }
        return epoch
    }

    /// Closes the store after its last commit; later writes fail. Truncates the WAL, except on damage, on a full disk, or while another
    /// process reads it.
    package func close() throws(OutboxError) {
        try withOutboxErrors {
            // `try?`: on failure the WAL keeps its content.
            let isEmpty = !damage.isMet && mayEmptyLog && (try? pool.writeWithoutTransaction(Self.truncateLog)) == true
            marker.end()
            if place.lost != nil {
                // The marker may be gone with the store. A file that is put in its place, but is not this one, is older.
                StoreUse(of: pool.path).opened(in: epoch, inode: place.inode)
                // `try?`: if the store cannot be read, the marker of the run stays.
            } else if !damage.isMet, let newest = try? pool.writeWithoutTransaction(Self.lastCursor) {
                StoreUse(of: pool.path).stopped(in: epoch, at: newest, hasLog: !isEmpty)
            }
            try pool.close()
        }
    }

    /// Runs `work` in a transaction that may be shared; returns after the fsync. Only new submissions, of `size` bytes, are not mandatory;
    /// the others may use the reserve.
    func commit<T: Sendable>(
        size: Int64 = 0, isMandatory: Bool = true, _ work: @escaping @Sendable (Database) throws -> T
    ) async throws(OutboxError) -> T {
        // The next run salvages the store, so this one accepts nothing more.
        if !isMandatory, let reason = damage.reason { throw .damaged(reason) }
        do {
            let value = try await commits.submit(isMandatory: isMandatory, work)
            if isMandatory { shortage.note { $0.isSpent = false } }
            return value
        } catch {
            let error = failure(error)
            if error == .full {
                shortage.note { state in
                    state.wasFull = true
                    if isMandatory { state.isSpent = true } else { state.lastNoSpace = size }
                }
            }
            throw error
        }
    }

    /// Writes in a transaction of its own; on a full disk, from the reserve. Without the store's file, throws `gone` at once: the thread
    /// must not wait for the connection, which a backup uses then.
    func writeAtOnce<T>(_ work: (Database) throws -> T) throws(OutboxError) -> T {
        try withOutboxErrors {
            try place.check()
            func isFull(_ error: any Error) -> Bool { pool.writeWithoutTransaction { db in db.isFull(error) } }
            do {
                return try ballast.withReserve(
                    {
                        try pool.write { db in
                            let value = try work(db)
                            try place.check()
                            return value
                        }
                    }, ifFull: isFull)
            } catch {
                throw isFull(error) ? OutboxError.full : error
            }
        }
    }

    /// Reads with the connection that writes: readers may be held by tasks that wait for this very thread.
    func readAtOnce<T>(_ work: (Database) throws -> T) throws(OutboxError) -> T {
        try withOutboxErrors { try pool.writeWithoutTransaction(work) }
    }

    /// Without the store's file, with the connection that writes: a new one would open another file.
    func read<T: Sendable>(_ work: @escaping @Sendable (Database) throws -> T) async throws(OutboxError) -> T {
        do {
            if place.lost != nil { return try await pool.writeWithoutTransaction(work) }
            return try await pool.read(work)
        } catch { throw failure(error) }
    }

    /// Throws the errors of `work` as `OutboxError`.
    func withOutboxErrors<T>(_ work: () throws -> T) throws(OutboxError) -> T {
        do { return try work() } catch { throw failure(error) }
    }

    /// Remembers damage.
    func failure(_ error: any Error) -> OutboxError {
        let error = OutboxError(error)
        if case .damaged(let words) = error { damage.meet(words) }
        return error
    }
}
