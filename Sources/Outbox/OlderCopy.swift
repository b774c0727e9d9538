import Foundation
import GRDB
import SyncModel

/// An older copy of the store that was put in its place. Its waiting entries may have been sent since, as those of a backup.
package struct OlderCopy: Sendable, Equatable {
    /// The time of its newest event. The copy was made then or later.
    package let at: Date
    package let entries: RestoredEntries

    package init(at: Date, entries: RestoredEntries) { (self.at, self.entries) = (at, entries) }

    /// Marks the entries as a restore does. Raises the epoch too, so that the store is no longer older than its marker. Nil if it is not.
    ///
    /// - Parameter traits: of a backend's route; nil if there is none.
    static func mark(
        _ db: Database, use: StoreUse, at now: Date, traits: (_ backend: String, _ route: String) -> RouteTraits?
    ) throws -> OlderCopy? {
        let epoch = try Int64.fetchOne(db, sql: "SELECT epoch FROM run") ?? 0
        let event = try Outbox.lastCursor(db)
        guard let mark = use.mark, mark.isAhead(of: epoch, event: event, inode: use.inode) else { return nil }
        let newest = try Int64.fetchOne(db, sql: newestEvent)
        let at = min(newest.map { Date(ms: $0) } ?? now, now)
        let entries = try RestoredEntries.mark(since: at, at: now, by: "homingd", after: .olderCopy, traits: traits, db)
        try db.execute(sql: "UPDATE run SET epoch = max(epoch, ?)", arguments: [mark.epoch])
        return OlderCopy(at: at, entries: entries)
    }

    /// Without the events of a salvage that has just written the file.
    private static let newestEvent = """
        SELECT at FROM event
            WHERE at < coalesce((SELECT at FROM event WHERE kind = 'salvaged' AND at = (SELECT max(at) FROM event)), \(Int64.max))
            ORDER BY cursor DESC LIMIT 1
        """
}
