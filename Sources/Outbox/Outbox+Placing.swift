import GRDB
import SyncModel

/// Lanes of entries that refer to a row, which has two ids once its create was delivered. See Decisions/References.md.
extension Outbox {
    struct Place {
        var lane: Lane
        var after: Lane?
        /// True if `after` is the row's other lane: its entries count as ahead in the same lane.
        var joinsLanes = false
    }

    /// The place of a mutation, in the transaction that stores it, because an empty lane may be occupied by now.
    static func place(of mutation: Mutation, _ db: Database) throws -> Place {
        func newest(in lane: Lane) throws -> Int64? { try Self.newest(in: lane, at: mutation.destination, db) }
        guard let lanes = mutation.subjectLanes, let ids = try ids(ofSubjectOf: mutation, db) else {
            // Only present entries count, and an entry without `after` costs less.
            let after = try mutation.isBehind ? mutation.after.flatMap { try newest(in: $0) == nil ? nil : $0 } : mutation.after
            return Place(lane: mutation.lane, after: after)
        }
        let (old, new) = (lanes.lane(for: ids.reference), lanes.lane(for: ids.row))
        let isOldOccupied = try newest(in: old) != nil
        var place = Place(lane: isOldOccupied ? old : new)
        let joinsLanes = try isOldOccupied && new != old && newest(in: new) != nil
        if let oldAfter = lanes.after(for: ids.reference), let newAfter = lanes.after(for: ids.row), !mutation.isBehind || !joinsLanes {
            let (inOld, inNew) = (try newest(in: oldAfter) ?? 0, try newest(in: newAfter) ?? 0)
            place.after = inOld > inNew ? oldAfter : mutation.isBehind && inNew == 0 ? nil : newAfter
        } else if joinsLanes {
            (place.after, place.joinsLanes) = (new, true)
        }
        return place
    }

    /// Nil for a row that no entry here created, and until its create was delivered.
    private static func ids(ofSubjectOf mutation: Mutation, _ db: Database) throws -> (reference: RosterID, row: RosterID)? {
        guard let subject = mutation.subject, let resource = mutation.reference else { return nil }
        if let create = subject.reference {
            return try row(createdBy: create, at: mutation.destination, db).map { (subject, $0) }
        }
        return try reference(to: subject, of: resource, at: mutation.destination, db).map { (RosterID(createdBy: $0), subject) }
    }

    /// The newest undelivered entry of a lane, by one seek in each index. `condition` is SQL; other entries do not count.
    static func newest(in lane: Lane, at destination: Destination, where condition: String? = nil, _ db: Database) throws -> Int64? {
        try Int64.fetchOne(
            db.cachedStatement(sql: condition.map { newest(where: $0) } ?? newestOfAll),
            arguments: ["backend": destination.backend, "account": destination.account, "lane": lane.rawValue])
    }

    /// The conditions of the indexes that together have the undelivered entries of each lane, in order.
    static let laneIndexes = ["blocks", "aside AND state = 'pending'", "state IN ('dead', 'held')"]

    private static let newestOfAll = newest(where: "TRUE")

    private static func newest(where condition: String) -> String {
        let newest = laneIndexes.map {
            """
            SELECT max(sequence) AS sequence FROM entry
            WHERE \($0) AND backend = :backend AND account = :account AND lane = :lane AND \(condition)
            """
        }
        return "SELECT max(sequence) FROM (\(newest.joined(separator: " UNION ALL ")))"
    }

    /// The newest entry of a lane that stops the lane if it fails.
    static func newestHalting(in lane: Lane, at destination: Destination, _ db: Database) throws -> Int64? {
        try Int64.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT max(sequence) FROM entry
                    WHERE blocks AND onDead = 'halt' AND backend = :backend AND account = :account AND lane = :lane
                    """), arguments: ["backend": destination.backend, "account": destination.account, "lane": lane.rawValue])
    }
}
