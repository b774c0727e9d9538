import GRDB

/// The undelivered entries of a store whose file was deleted, moved or replaced.
package struct StoreLoss: Sendable, Equatable {
    /// Where the file belongs.
    package let path: String
    package let fate: Fate
    /// The number of entries that wait to be sent.
    package let waiting: Int
    package let failedOrOnHold: Int

    package enum Fate: Sendable, Equatable {
        /// The entries end with the daemon.
        case deleted
        /// The file was deleted, and another one is at its path, such as a copy with some or all of the entries.
        case replaced
        /// The file that was at the path has the entries. Nil if its name is unknown.
        case moved(to: String?)
        /// Only the log was deleted. The store, which is in its place, has the entries that SQLite can still copy to it.
        case withoutLog
    }
}

extension Outbox {
    /// Nil while the store is in its place, and if it has no undelivered entries. Reads the file that is still open, also in a cancelled
    /// task.
    package func loss() throws(OutboxError) -> StoreLoss? {
        guard let path = place.lost else { return nil }
        let (waiting, failedOrOnHold) = try readAtOnce { db in
            func count(_ condition: String) throws -> Int {
                try Int.fetchOne(db, sql: "SELECT count(*) FROM entry WHERE \(condition)") ?? 0
            }
            let waiting = try count("state IN ('pending', 'inflight')")
            return (waiting, try count("state IN ('dead', 'held') AND holdReason IS NOT 'discarding'"))
        }
        guard waiting + failedOrOnHold > 0 else { return nil }
        return StoreLoss(path: path, fate: place.fate(of: path), waiting: waiting, failedOrOnHold: failedOrOnHold)
    }
}
