import GRDB
import Synchronization

/// Lets concurrent reads share one transaction: while one batch is read, the next gathers. For short reads that come with each submission.
final class GatheredReads: Sendable {
    private typealias Read = @Sendable (Result<Database, any Error>) -> Void

    private let pool: DatabasePool
    /// Nil while nothing is read.
    private let gathered = Mutex<[Read]?>(nil)

    init(pool: DatabasePool) { self.pool = pool }

    /// Sees all that was committed before the call.
    func read<T: Sendable>(_ work: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<T, any Error>) in
            let read: Read = { db in continuation.resume(with: Result { try work(try db.get()) }) }
            let isFirst = gathered.withLock { gathered in
                defer { gathered = (gathered ?? []) + [read] }
                return gathered == nil
            }
            if isFirst { readGathered() }
        }
    }

    private func readGathered() {
        pool.asyncRead { db in
            // Before the first query, which begins the snapshot.
            let batch = self.gathered.withLock { gathered in
                defer { gathered = [] }
                return gathered ?? []
            }
            for read in batch { read(db) }
            let isDone = self.gathered.withLock { gathered in
                if gathered?.isEmpty == true { gathered = nil }
                return gathered == nil
            }
            if !isDone { self.readGathered() }
        }
    }
}

extension GatheredReads {
    /// The number of reads that gather for the next transaction.
    var waiting: Int { gathered.withLock { $0?.count ?? 0 } }
}
