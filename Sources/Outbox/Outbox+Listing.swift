import Foundation
import GRDB
import SyncModel

extension Outbox {
    /// Limits the time to count a list of a million entries.
    package static let countedInList = 10_000

    /// Entries after `after`, or the newest ones if it is nil, and the number of all matching ones. In one snapshot.
    package func page(of filter: EntryFilter, after: Int64?, limit: Int) async throws(OutboxError) -> EntrySelection {
        try await read { db in
            let search = try EntrySearch(filter, db)
            let entries = try search.entries(after: after, limit: limit, db)
            let total = try search.count(upTo: Self.countedInList + 1, db)
            return EntrySelection(
                entries: entries, blockers: try Self.blockers(of: entries, db), successors: try Self.successors(of: entries, db),
                total: min(total, Self.countedInList), totalIsLeast: total > Self.countedInList)
        }
    }

    private static func successors(of entries: [Entry], _ db: Database) throws -> [MutationID: MutationID] {
        let statement = try db.cachedStatement(sql: "SELECT supersededBy FROM receipt WHERE sequence = ?")
        var successors: [MutationID: MutationID] = [:]
        for entry in entries where entry.state == .discarded {
            let found = try String.fetchOne(statement, arguments: [entry.sequence])
            if let new = found.flatMap({ MutationID($0) }) { successors[entry.id] = new }
        }
        return successors
    }

    /// The entries that pending ones wait behind: in their lane, for their row, in the lane before, or of the same subject.
    static func blockers(of entries: [Entry], _ db: Database) throws -> [MutationID: MutationID] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT id FROM entry WHERE sequence = coalesce(
                    (SELECT min(head) FROM lane WHERE backend = :backend AND account = :account AND lane = :lane
                        AND head < :sequence),
                    (SELECT sequence FROM entry WHERE id = :create AND state NOT IN ('delivered', 'discarded')),
                    (SELECT sequence FROM entry WHERE sequence = :parent AND state NOT IN ('delivered', 'discarded')),
                    (SELECT min(head) FROM lane WHERE backend = :backend AND account = :account AND lane = :after
                        AND head < :sequence AND (:parent IS NOT 0 OR dueAt IS NOT NULL)),
                    (SELECT \(OutboxSchema.earlierOfSubject("this")) FROM entry AS this WHERE this.sequence = :sequence AND this.afterSubject))
                """)
        var blockers: [MutationID: MutationID] = [:]
        for entry in entries where entry.state == .pending {
            let owner = entry.destination
            let found = try String.fetchOne(
                statement,
                arguments: [
                    "backend": owner.backend, "account": owner.account, "lane": entry.lane.rawValue, "sequence": entry.sequence,
                    "create": entry.mutation.subject?.reference?.description, "parent": entry.parent,
                    "after": entry.mutation.after?.rawValue,
                ])
            if let blocker = found.flatMap({ MutationID($0) }) { blockers[entry.id] = blocker }
        }
        return blockers
    }
}
