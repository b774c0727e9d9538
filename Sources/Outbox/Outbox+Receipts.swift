import Foundation
import GRDB
import SyncModel

/// Stays when the entry's row is removed.
package struct ReceiptRecord: Sendable, Equatable {
    package var sequence: Int64
    package var id: MutationID
    package var destination: Destination
    package var lane: Lane
    package var route: String
    /// The row that the entry refers to; see `Mutation`.
    package var subject: RosterID?
    /// The list in which the entry creates a row; `remoteID` is then the id of the new row.
    package var creates: String?
    package var outcome: Outcome
    /// The capture time in the file or from the caller; otherwise `acceptedAt`.
    package var capturedAt: Date
    package var acceptedAt: Date
    package var settledAt: Date
    /// Display name; nil for delivered entries, and if it was not recorded.
    package var discardedBy: String?
    /// The entry that replaced it; nil for none.
    package var supersededBy: MutationID?
    /// Display name of the person who recorded the delivery; `status` is then nil.
    package var resolvedBy: String?
    package var remoteID: String?
    package var status: Int?
    package var foundByLookup: Bool
    /// JSON pointer to the first difference between the server's echo and the payload.
    package var altered: String?
    /// The session may have belonged to another account.
    package var unverified = false
    /// Counted sends that failed before.
    package var attempts: Int
    /// Bytes of the payload.
    package var size: Int

    package enum Outcome: String, Sendable { case delivered, discarded }
}

extension Outbox {
    /// Receipts after the cursor `after`, by ascending sequence; settled at `since` or later.
    package func receipts(
        after: Int64 = 0, backend: String? = nil, since: Date? = nil, limit: Int
    ) async throws(OutboxError) -> [ReceiptRecord] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT * FROM receipt
                    WHERE sequence > :after AND (:since IS NULL OR settledAt >= :since) AND (:backend IS NULL OR backend = :backend)
                    ORDER BY sequence LIMIT :limit
                    """, arguments: ["after": after, "since": since?.ms, "backend": backend, "limit": limit]
            ).map(Self.receipt)
        }
    }

    /// Marks receipts since `since`, when the session may have belonged to another account. Returns how many are new; idempotent.
    @discardableResult
    package func markUnverified(_ destination: Destination, since: Date, at now: Date) async throws(OutboxError) -> Int {
        let count = try await commit { db in
            try db.execute(
                sql: """
                    UPDATE receipt SET unverified = 1
                    WHERE backend = ? AND account = ? AND outcome = 'delivered' AND settledAt >= ? AND unverified = 0
                    """, arguments: [destination.backend, destination.account, since.ms])
            let count = db.changesCount
            guard count > 0 else { return 0 }
            try Self.insert(
                SyncEvent(
                    at: now, .unverified, backend: destination.backend, account: destination.account,
                    detail: ["receipts": String(count), "since": since.formatted(.iso8601)]), db)
            return count
        }
        if count > 0 { eventsWritten.send() }
        return count
    }

    /// Nil if the entry has none yet.
    package func receipt(_ id: MutationID) async throws(OutboxError) -> ReceiptRecord? {
        try await read { db in try Self.receipt(id, db) }
    }

    static func receipt(_ id: MutationID, _ db: Database) throws -> ReceiptRecord? {
        try Row.fetchOne(db, sql: "SELECT * FROM receipt WHERE id = ?", arguments: [id.description]).map(Self.receipt)
    }

    private static func receipt(_ row: Row) throws -> ReceiptRecord {
        guard let id = MutationID(row["id"] as String), let outcome = ReceiptRecord.Outcome(rawValue: row["outcome"]) else {
            throw OutboxError.damaged("receipt \(row["sequence"] as Int64) is not understood by this version")
        }
        return ReceiptRecord(
            sequence: row["sequence"], id: id, destination: Destination(backend: row["backend"], account: row["account"]),
            lane: Lane(row["lane"] as String), route: row["route"], subject: (row["subject"] as String?).map { RosterID($0) },
            creates: row["creates"], outcome: outcome, capturedAt: Date(ms: row["capturedAt"]),
            acceptedAt: Date(ms: row["acceptedAt"]), settledAt: Date(ms: row["settledAt"]), discardedBy: row["discardedBy"],
            supersededBy: (row["supersededBy"] as String?).flatMap { MutationID($0) }, resolvedBy: row["resolvedBy"],
            remoteID: row["remoteID"], status: row["status"],
            foundByLookup: row["foundByLookup"], altered: row["altered"], unverified: row["unverified"], attempts: row["attempts"],
            size: row["size"])
    }
}
