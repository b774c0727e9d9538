import GRDB

/// Lets concurrent writes share one transaction and one fsync: while one transaction commits, the next gathers.
actor GroupCommit {
    private typealias Resumption = @Sendable () -> Void

    private struct Item {
        /// May use the reserve.
        let isMandatory: Bool
        /// Returns what resumes the submitter after the commit.
        let apply: @Sendable (Database) throws -> Resumption
        let fail: @Sendable (any Error) -> Void
    }

    private let pool: DatabasePool
    private let ballast: Ballast
    private var gathered: [Item] = []
    private var isCommitting = false
    /// Free pages of the file still hold deleted content.
    private var owesPages = false

    init(pool: DatabasePool, ballast: Ballast) { (self.pool, self.ballast) = (pool, ballast) }

    /// Runs `work` in a savepoint of a shared transaction; returns its value after the commit. An error rolls back only this savepoint.
    ///
    /// - Parameter isMandatory: mandatory, and written from the reserve on a full disk.
    func submit<T: Sendable>(isMandatory: Bool, _ work: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<T, any Error>) in
            let item = Item(
                isMandatory: isMandatory,
                apply: { db in
                    let value = try work(db)
                    return { continuation.resume(returning: value) }
                }, fail: { error in continuation.resume(throwing: error) })
            gathered.append(item)
            guard !isCommitting else { return }
            isCommitting = true
            // Unstructured: a cancelled submitter must not roll back the others.
            Task { await commitGathered() }
        }
    }

    private func commitGathered() async {
        while !gathered.isEmpty {
            let batch = gathered
            gathered = []
            await commit(batch)
        }
        isCommitting = false
    }

    /// Commits a batch, or as much of it as a full disk allows.
    private func commit(_ items: [Item]) async {
        var (batch, step) = (items, Step.all)
        while true {
            do {
                let resumptions = try await pool.writeWithoutTransaction { [batch, step] db in
                    if step == .fastDelete { try db.execute(sql: "PRAGMA secure_delete = FAST") }
                    // `try?`: if this fails, the next write fails too and reports why.
                    defer { if step == .fastDelete { try? db.execute(sql: "PRAGMA secure_delete = ON") } }
                    return try Self.apply(batch, db)
                }
                for resume in resumptions { resume() }
                if step == .fastDelete { owesPages = true }
                return await shrinkAfterFastDelete()
            } catch {
                let mandatory = batch.filter(\.isMandatory)
                // `try?`: a closed connection gives no answer.
                let isFull = (try? await pool.writeWithoutTransaction { db in db.isFull(error) }) == true
                let next = step.next(hasSubmissions: mandatory.count < batch.count, hasReserve: ballast.isWhole)
                guard isFull, !mandatory.isEmpty, let next else {
                    for item in batch { item.fail(isFull ? OutboxError.full : error) }
                    return
                }
                for item in batch where !item.isMandatory { item.fail(OutboxError.full) }
                (batch, step) = (mandatory, next)
                if step == .withReserve { _ = ballast.release() }
                // After the checkpoint the WAL can start over. `try?`: the retry shows whether it did.
                _ = try? await pool.writeWithoutTransaction { db in try db.checkpoint(.passive) }
            }
        }
    }

    /// Writes a batch in one transaction; returns what resumes each submitter.
    private static func apply(_ batch: [Item], _ db: Database) throws -> [Resumption] {
        var resumptions: [Resumption] = []
        try db.inTransaction(.immediate) {
            resumptions = try batch.map { item -> Resumption in
                do {
                    var resumption: Resumption = {}
                    try db.inSavepoint {
                        resumption = try item.apply(db)
                        return .commit
                    }
                    return resumption
                } catch let error as DatabaseError where error.resultCode != .SQLITE_CONSTRAINT {
                    throw error  // a disk error fails the whole transaction
                } catch {
                    return { item.fail(error) }
                }
            }
            return .commit
        }
        return resumptions
    }

    /// Removes free pages that still hold deleted content, while no write waits. `try?`: the daily cleanup or the next start tries again.
    private func shrinkAfterFastDelete() async {
        while owesPages, gathered.isEmpty { owesPages = (try? await pool.writeWithoutTransaction { db in try db.shrinkFile() }) ?? false }
    }
}

extension GroupCommit {
    /// How a batch is written. The later steps are for a full disk (Decisions/Ballast.md).
    enum Step {
        case all, mandatoryOnly, withReserve
        /// Deleted content is not overwritten (`secure_delete`), which would take as much room in the WAL.
        case fastDelete

        /// Nil after the last step.
        func next(hasSubmissions: Bool, hasReserve: Bool) -> Step? {
            switch self {
            case .all where hasSubmissions: .mandatoryOnly
            case .all, .mandatoryOnly: hasReserve ? .withReserve : .fastDelete
            case .withReserve: .fastDelete
            case .fastDelete: nil
            }
        }
    }
}
