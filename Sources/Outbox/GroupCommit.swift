import GRDB

/// Lets concurrent writes share one transaction and one fsync: while one transaction commits, the next gathers.
actor GroupCommit {
    private struct Item {
        /// May use the reserve.
        let isMandatory: Bool
        let apply: @Sendable (Database) throws -> Void
        let finish: @Sendable ((any Error)?) -> Void
    }

    private let pool: DatabasePool
    private let ballast: Ballast
    private var gathered: [Item] = []
    private var isCommitting = false
    /// The next transaction overwrites deleted content (`secure_delete`), which takes as much room in the WAL.
    private var overwrites = true
    /// Free pages of the file still hold deleted content.
    private var owesPages = false

    init(pool: DatabasePool, ballast: Ballast) { (self.pool, self.ballast) = (pool, ballast) }

    /// Runs `work` in a savepoint of a shared transaction; returns its value after the commit. An error rolls back only this savepoint.
    ///
    /// - Parameter isMandatory: mandatory, and written from the reserve on a full disk.
    func submit<T: Sendable>(isMandatory: Bool, _ work: @escaping @Sendable (Database) throws -> T) async throws -> T {
        let outcome = Outcome<T>()
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            gathered.append(
                Item(
                    isMandatory: isMandatory, apply: { db in outcome.value = try work(db) },
                    finish: { error in if let error { continuation.resume(throwing: error) } else { continuation.resume() } }))
            guard !isCommitting else { return }
            isCommitting = true
            // Unstructured: a cancelled submitter must not roll back the others.
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
                    // `try?`: if this fails, the next write fails too and reports why.
                    defer { if !overwrites { try? db.execute(sql: "PRAGMA secure_delete = ON") } }
                    return try Self.apply(batch, db)
                }
                for (item, error) in zip(batch, errors) { item.finish(error) }
                if !overwrites { owesPages = true }
                await shrinkAfterFastDelete()
            } catch {
                // `try?`: a closed connection gives no answer.
                let isFull = (try? await pool.writeWithoutTransaction { db in db.isOverQuota(error) }) == true
                let error = isFull ? OutboxError.full : error
                let again = OutboxError(error) == .full ? await mandatoryWrites(in: batch, overwrote: overwrites) : []
                for item in batch where again.isEmpty || !item.isMandatory { item.finish(error) }
                gathered = again + gathered
            }
        }
        isCommitting = false
    }

    /// Writes a batch in one transaction; returns each item's error.
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
                    throw error  // a disk error fails the whole transaction
                } catch {
                    return error
                }
            }
            return .commit
        }
        return errors
    }

    /// The items to retry after a full disk: without submissions, then with the reserve, then without overwriting. See Decisions/Ballast.md.
    private func mandatoryWrites(in batch: [Item], overwrote: Bool) async -> [Item] {
        let kept = batch.filter(\.isMandatory)
        if kept.isEmpty { return [] }
        let hasRoom = kept.count < batch.count || ballast.release()
        // After the checkpoint the WAL can start over. `try?`: the retry shows whether it did.
        _ = try? await pool.writeWithoutTransaction { db in try db.checkpoint(.passive) }
        overwrites = hasRoom ? overwrote : !overwrote
        return hasRoom || overwrote ? kept : []
    }

    /// Removes free pages that still hold deleted content, while no write waits. `try?`: the daily cleanup or the next start tries again.
    private func shrinkAfterFastDelete() async {
        while owesPages, gathered.isEmpty { owesPages = (try? await pool.writeWithoutTransaction { db in try db.shrinkFile() }) ?? false }
    }

    // SAFETY: written once on the writer's queue, read once after the commit resumes the continuation.
    private final class Outcome<T: Sendable>: @unchecked Sendable { var value: T? }
}
