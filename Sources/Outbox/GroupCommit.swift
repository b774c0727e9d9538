import GRDB

/// Lets concurrent writes share one transaction, hence one fsync: while one transaction commits, the next gathers.
actor GroupCommit {
    private typealias Item = (apply: @Sendable (Database) throws -> Void, finish: @Sendable ((any Error)?) -> Void)

    private let pool: DatabasePool
    private var gathered: [Item] = []
    private var isCommitting = false

    init(pool: DatabasePool) { self.pool = pool }

    /// Runs `work` in a savepoint of a shared transaction; returns its value after the commit. What throws rolls back alone.
    func submit<T: Sendable>(_ work: @escaping @Sendable (Database) throws -> T) async throws -> T {
        let outcome = Outcome<T>()
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            gathered.append(
                (
                    apply: { db in outcome.value = try work(db) },
                    finish: { error in if let error { continuation.resume(throwing: error) } else { continuation.resume() } }
                ))
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
            do {
                let errors = try await pool.write { db in
                    try batch.map { item -> (any Error)? in
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
                }
                for (item, error) in zip(batch, errors) { item.finish(error) }
            } catch {
                for item in batch { item.finish(error) }
            }
        }
        isCommitting = false
    }

    // SAFETY: written once by the writer's queue inside the transaction, read once after the continuation that the commit resumes.
    private final class Outcome<T: Sendable>: @unchecked Sendable { var value: T? }
}
