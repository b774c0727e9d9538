import Dispatch
import GRDB
import Synchronization

/// Lets concurrent writes share one transaction and one fsync: while one transaction commits, the next gathers.
final class GroupCommit: Sendable {
    private typealias Resumption = @Sendable () -> Void

    private struct Item: Sendable {
        /// May use the reserve.
        let isMandatory: Bool
        /// Returns what resumes the submitter after the commit.
        let apply: @Sendable (Database) throws -> Resumption
        let fail: @Sendable (any Error) -> Void
    }

    private struct State {
        var gathered: [Item] = []
        var isCommitting = false
        /// Free pages of the file still hold deleted content.
        var owesPages = false
    }

    private let pool: DatabasePool
    private let ballast: Ballast
    private let place: StorePlace
    private let state = Mutex(State())
    /// Not an actor, since each commit would change threads twice more.
    private let queue = DispatchQueue(label: "commits")

    init(pool: DatabasePool, ballast: Ballast, place: StorePlace) { (self.pool, self.ballast, self.place) = (pool, ballast, place) }

    /// Runs `work` in a transaction that may be shared, and returns after the commit. An error rolls back only `work`. A mandatory write
    /// uses the reserve on a full disk.
    func submit<T: Sendable>(isMandatory: Bool, _ work: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<T, any Error>) in
            let item = Item(
                isMandatory: isMandatory,
                apply: { db in
                    let value = try work(db)
                    return { continuation.resume(returning: value) }
                }, fail: { error in continuation.resume(throwing: error) })
            let isFirst = state.withLock { state in
                defer { state.isCommitting = true }
                state.gathered.append(item)
                return !state.isCommitting
            }
            // Not in the submitter's task: its cancellation must not roll back the others.
            if isFirst { queue.async { self.commitGathered() } }
        }
    }

    private func commitGathered() { while let batch = takeGathered() { commit(batch) } }

    /// Nil, and the next submission starts anew, if there is none.
    private func takeGathered() -> [Item]? {
        state.withLock { state in
            guard !state.gathered.isEmpty else {
                state.isCommitting = false
                return nil
            }
            defer { state.gathered = [] }
            return state.gathered
        }
    }

    /// Commits a batch, or as much of it as a full disk allows.
    private func commit(_ items: [Item]) {
        var (batch, step) = (items, Step.all)
        while true {
            do {
                let resumptions = try pool.writeWithoutTransaction { db in
                    if step == .fastDelete { try db.execute(sql: "PRAGMA secure_delete = FAST") }
                    // `try?`: if this fails, the next write fails too and reports why.
                    defer { if step == .fastDelete { try? db.execute(sql: "PRAGMA secure_delete = ON") } }
                    return try apply(batch, db)
                }
                for resume in resumptions { resume() }
                if step == .fastDelete { state.withLock { $0.owesPages = true } }
                return shrinkAfterFastDelete()
            } catch {
                let mandatory = batch.filter(\.isMandatory)
                let isFull = pool.writeWithoutTransaction { db in db.isFull(error) }
                let next = step.next(hasSubmissions: mandatory.count < batch.count, hasReserve: ballast.isWhole)
                guard isFull, !mandatory.isEmpty, let next else {
                    for item in batch { item.fail(isFull ? OutboxError.full : error) }
                    return
                }
                for item in batch where !item.isMandatory { item.fail(OutboxError.full) }
                (batch, step) = (mandatory, next)
                if step == .withReserve { _ = ballast.release() }
                // After the checkpoint the WAL can start over. `try?`: the retry shows whether it did.
                _ = try? pool.writeWithoutTransaction { db in try db.checkpoint(.passive) }
            }
        }
    }

    /// Writes a batch in one transaction; returns what resumes each submitter. A savepoint copies each page that it changes, so there are none
    /// unless one of several items fails.
    private func apply(_ batch: [Item], _ db: Database) throws -> [Resumption] {
        do {
            return try inTransaction(db) { try batch.map { item in try item.apply(db) } }
        } catch {
            if Self.isOfDisk(error) { throw error }
            guard batch.count > 1 else { return [{ batch[0].fail(error) }] }
            return try inTransaction(db) { try batch.map { item in try applyAlone(item, db) } }
        }
    }

    /// Rolls back if the file is gone.
    private func inTransaction<T>(_ db: Database, _ work: () throws -> [T]) throws -> [T] {
        var results: [T] = []
        try db.inTransaction(.immediate) {
            try place.checkIfLost()
            results = try work()
            try place.check()
            return .commit
        }
        return results
    }

    /// Writes an item so that its failure rolls back only itself; throws only a disk error.
    private func applyAlone(_ item: Item, _ db: Database) throws -> Resumption {
        do {
            var resumption: Resumption = {}
            try db.inSavepoint {
                resumption = try item.apply(db)
                return .commit
            }
            return resumption
        } catch {
            if Self.isOfDisk(error) { throw error }
            return { item.fail(error) }
        }
    }

    /// True for an error that fails the whole transaction.
    private static func isOfDisk(_ error: any Error) -> Bool {
        (error as? DatabaseError).map { $0.resultCode != .SQLITE_CONSTRAINT } ?? false
    }

    /// Removes free pages with deleted content, while no write waits. `try?`: the daily cleanup or the next start tries again.
    private func shrinkAfterFastDelete() {
        while state.withLock({ $0.owesPages && $0.gathered.isEmpty }) {
            let owesPages = (try? pool.writeWithoutTransaction { db in try db.shrinkFile() }) ?? false
            state.withLock { $0.owesPages = owesPages }
        }
    }
}

extension GroupCommit {
    /// How a batch is written; the later steps are for a full disk (Decisions/Ballast.md).
    enum Step {
        case all, mandatoryOnly, withReserve
        /// Deletes without `secure_delete`, which would take as much room in the WAL.
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
