import GRDB

/// The undelivered entries of a store whose file was deleted or replaced.
package struct StoreLoss: Sendable, Equatable {
    /// Of the file that is gone.
    package let path: String
    /// The number of entries that wait to be sent.
    package let waiting: Int
    /// The number of entries that failed or are on hold.
    package let undecided: Int
}

extension Outbox {
    /// Nil while the store is in its place. Reads the file that is still open, also in a cancelled task.
    package func loss() throws(OutboxError) -> StoreLoss? {
        guard let path = place.lost else { return nil }
        return try readAtOnce { db in
            func count(_ condition: String) throws -> Int {
                try Int.fetchOne(db, sql: "SELECT count(*) FROM entry WHERE \(condition)") ?? 0
            }
            return StoreLoss(
                path: path, waiting: try count("state IN ('pending', 'inflight')"),
                undecided: try count("state IN ('dead', 'held') AND holdReason IS NOT 'discarding'"))
        }
    }
}
