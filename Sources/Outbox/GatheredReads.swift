import GRDB
import Synchronization

/// Lets concurrent reads share one transaction: while one batch is read, the next gathers. For short reads that come with each submission.
final class GatheredReads: Sendable {
    private typealias Read = @Sendable (Result<Database, any Error>) -> Void

    private let pool: DatabasePool
    private let place: StorePlace
    /// Nil while nothing is read.
    private let gathered = Mutex<[Read]?>(nil)

    init(pool: DatabasePool, place: StorePlace) { (self.pool, self.place) = (pool, place) }

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

    /// As `Outbox.read`: without the store's file, with the connection that writes.
    private func readGathered() {
        if place.lost != nil {
            pool.asyncWriteWithoutTransaction { db in self.readBatch(.success(db)) }
        } else {
            pool.asyncRead { db in self.readBatch(db) }
        }
    }

    private func readBatch(_ db: Result<Database, any Error>) {
        // Before the first query, which begins the snapshot.
        let batch = gathered.withLock { gathered in
            defer { gathered = [] }
            return gathered ?? []
        }
        for read in batch { read(db) }
        let isDone = gathered.withLock { gathered in
            if gathered?.isEmpty == true { gathered = nil }
            return gathered == nil
        }
        if !isDone { readGathered() }
    }
}

extension GatheredReads {
    /// The number of reads that gather for the next transaction.
    var waiting: Int { gathered.withLock { $0?.count ?? 0 } }
}
