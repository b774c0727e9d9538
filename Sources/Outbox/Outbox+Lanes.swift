import Foundation
import GRDB
import SyncModel

package struct LaneRecord: Sendable, Equatable {
    package var destination: Destination
    package var lane: Lane
    package var head: MutationID
    /// The head's.
    package var route: String
    package var subject: RosterID?
    package var creates: String?
    package var sequence: Int64
    package var state: Entry.State
    package var capturedAt: Date
    /// Not to be sent earlier; nil for at once, and in any state but `pending`.
    package var dueAt: Date?
    /// Entries in the lane, counted up to `Outbox.countedInLane`.
    package var waiting: Int
}

extension Outbox {
    /// Limits the time to show a lane of a million entries.
    package static let countedInLane = 1000

    /// Ordered by the acceptance of their heads.
    package func lanes(limit: Int) async throws(OutboxError) -> [LaneRecord] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT entry.sequence, entry.id, entry.backend, entry.account, entry.lane, entry.route, entry.subject, entry.creates,
                        entry.state, entry.capturedAt, entry.dueAt,
                        (SELECT count(*) FROM (
                            SELECT 1 FROM entry AS other WHERE other.blocks AND other.backend = lane.backend
                                AND other.account = lane.account AND other.lane = lane.lane
                            UNION ALL
                            SELECT 1 FROM entry AS other WHERE other.aside AND other.state = 'pending' AND NOT other.blocks
                                AND other.backend = lane.backend AND other.account = lane.account AND other.lane = lane.lane
                            LIMIT \(Self.countedInLane))) AS waiting
                    FROM (SELECT backend, account, lane, min(head) AS head FROM lane GROUP BY backend, account, lane ORDER BY head LIMIT ?) AS lane
                        JOIN entry ON entry.sequence = lane.head
                    ORDER BY entry.sequence
                    """, arguments: [limit]
            ).map { row in
                guard let id = MutationID(row["id"] as String), let state = Entry.State(rawValue: row["state"]) else {
                    throw OutboxError.damaged("the head of a lane is not understood by this version")
                }
                let due: Int64 = row["dueAt"]
                return LaneRecord(
                    destination: Destination(backend: row["backend"], account: row["account"]), lane: Lane(row["lane"] as String), head: id,
                    route: row["route"], subject: (row["subject"] as String?).map { RosterID($0) }, creates: row["creates"],
                    sequence: row["sequence"], state: state, capturedAt: Date(ms: row["capturedAt"]),
                    dueAt: state == .pending && due != Self.atOnce ? Date(ms: due) : nil, waiting: row["waiting"])
            }
        }
    }
}
