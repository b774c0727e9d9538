import GRDB

/// Lets concurrent writes share one transaction, hence one fsync: while one transaction commits, the next gathers.
actor GroupCommit {
    private struct Item {
        /// Whether it may use the ballast.
        let mustBe: Bool
        let apply: @Sendable (Database) throws -> Void
        let finish: @Sendable ((any Error)?) -> Void
    }

    private let pool: DatabasePool
    private let ballast: Ballast
    private var gathered: [Item] = []
    private var isCommitting = false
    /// Whether the next transaction overwrites what it destroys, which takes as much room in the log as that had itself.
    private var overwrites = true
    /// Whether pages of the file hold nothing any more, and still what was destroyed.
    private var owesPages = false

    init(pool: DatabasePool, ballast: Ballast) { (self.pool, self.ballast) = (pool, ballast) }

    /// Runs `work` in a savepoint of a shared transaction; returns its value after the commit. What throws rolls back alone.
    ///
    /// - Parameter mustBe: on a full disk it is written all the same, as long as the ballast lasts, and whatever shares its transaction.
    func submit<T: Sendable>(mustBe: Bool, _ work: @escaping @Sendable (Database) throws -> T) async throws -> T {
        let outcome = Outcome<T>()
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            gathered.append(
                Item(
                    mustBe: mustBe, apply: { db in outcome.value = try work(db) },
                    finish: { error in if let error { continuation.resume(throwing: error) } else { continuation.resume() } }))
            guard !isCommitting else { return }
            isCommitting = true
            // Unstructured: a submitter that is cancelled must not roll back what others share with it.
            Task { await commitGathered() }
        }
        guard let value = outcome.value else { throw OutboxError.storage("a committed write left no value") }
        return value
    }

    private func commitGathered() async {
        while !gathered.isEmpty {
            let batch = gathered
            gathered = []
            let overwrites = overwrites
            self.overwrites = true
            do {
                let errors = try await pool.writeWithoutTransaction { db in
                    if !overwrites { try db.execute(sql: "PRAGMA secure_delete = FAST") }
                    // `try?`: a connection on which not even this can be set fails with the next write, which says why.
                    defer { if !overwrites { try? db.execute(sql: "PRAGMA secure_delete = ON") } }
                    return try Self.apply(batch, db)
                }
                for (item, error) in zip(batch, errors) { item.finish(error) }
                if !overwrites { owesPages = true }
                await giveBackWhatWasNotOverwritten()
            } catch {
                // `try?`: a connection that is closed says no more.
                let isFull = (try? await pool.writeWithoutTransaction { db in db.isOverQuota(error) }) == true
                let error = isFull ? OutboxError.full : error
                let again = OutboxError(error) == .full ? await whatMustBe(of: batch, overwrote: overwrites) : []
                for item in batch where again.isEmpty || !item.mustBe { item.finish(error) }
                gathered = again + gathered
            }
        }
        isCommitting = false
    }

    /// Writes a batch in one transaction; for each item why it could not be written, if so.
    private static func apply(_ batch: [Item], _ db: Database) throws -> [(any Error)?] {
        var errors: [(any Error)?] = []
        try db.inTransaction(.immediate) {
            errors = try batch.map { item in
                do {
                    try db.inSavepoint {
                        try item.apply(db)
                        return .commit
                    }
                    return nil
                } catch let error as DatabaseError where error.resultCode != .SQLITE_CONSTRAINT {
                    throw error  // the disk, not this item: the whole transaction is at fault
                } catch {
                    return error
                }
            }
            return .commit
        }
        return errors
    }

    /// What of a batch that the disk had no room for is tried once more: without the rest, which may have been what was too large; then with
    /// the space of the ballast; then without overwriting what it destroys.
    private func whatMustBe(of batch: [Item], overwrote: Bool) async -> [Item] {
        let kept = batch.filter(\.mustBe)
        if kept.isEmpty { return [] }
        let hasRoom = kept.count < batch.count || ballast.release()
        // The room is for what the log holds first: once that is in the file, the log begins anew. `try?`: the next try tells.
        _ = try? await pool.writeWithoutTransaction { db in try db.checkpoint(.passive) }
        overwrites = hasRoom ? overwrote : !overwrote
        return hasRoom || overwrote ? kept : []
    }

    /// Pages that hold nothing any more, and still what was destroyed, leave the file while nobody waits. Where there is no room for that
    /// either, they do with the next day's cleaning, or start.
    private func giveBackWhatWasNotOverwritten() async {
        while owesPages, gathered.isEmpty { owesPages = (try? await pool.writeWithoutTransaction { db in try db.shrinkFile() }) ?? false }
    }

    // SAFETY: written once by the writer's queue inside the transaction, read once after the continuation that the commit resumes.
    private final class Outcome<T: Sendable>: @unchecked Sendable { var value: T? }
}
