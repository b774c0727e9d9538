import Foundation
import GRDB
import SyncModel

/// The proof of what became of an entry; it stays when the entry's row is removed.
package struct ReceiptRecord: Sendable, Equatable {
    package var sequence: Int64
    package var id: MutationID
    package var destination: Destination
    package var lane: Lane
    package var route: String
    package var outcome: Outcome
    /// As the file or the caller said; otherwise as `acceptedAt`.
    package var capturedAt: Date
    package var acceptedAt: Date
    package var settledAt: Date
    /// Who discarded it, as people know them; nil for what was delivered, and for what was discarded before this was kept.
    package var discardedBy: String?
    package var remoteID: String?
    package var status: Int?
    package var foundByLookup: Bool
    /// The first place at which what the server has differs from what was sent, as a JSON pointer.
    package var altered: String?
    /// It was delivered while the session may have been another account's at the server.
    package var unverified = false
    /// Counted sends that failed before.
    package var attempts: Int
    /// Bytes of the document.
    package var size: Int

    package enum Outcome: String, Sendable { case delivered, discarded }
}

extension Outbox {
    /// Receipts by ascending sequence: those after the cursor `after`, at most `limit`.
    ///
    /// - Parameter since: only what was settled at that time or later.
    package func receipts(
        after: Int64 = 0, backend: String? = nil, since: Date? = nil, limit: Int
    ) async throws(OutboxError) -> [ReceiptRecord] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT * FROM receipt WHERE sequence IN (
                        SELECT sequence FROM receipt INDEXED BY receiptOrder
                        WHERE sequence > :after AND (:since IS NULL OR settledAt >= :since) AND (:backend IS NULL OR backend = :backend)
                        ORDER BY sequence LIMIT :limit)
                    ORDER BY sequence
                    """, arguments: ["after": after, "since": since?.ms, "backend": backend, "limit": limit]
            ).map(Self.receipt)
        }
    }

    /// Marks what was delivered for an account since then: the session may have been another account's. Returns how many receipts were marked
    /// by this; doing it again marks those that have come meanwhile.
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

    /// The receipt of an entry; nil where it has none yet.
    package func receipt(_ id: MutationID) async throws(OutboxError) -> ReceiptRecord? {
        try await read { db in
            try Row.fetchOne(db, sql: "SELECT * FROM receipt WHERE id = ?", arguments: [id.description]).map(Self.receipt)
        }
    }

    private static func receipt(_ row: Row) throws -> ReceiptRecord {
        guard let id = MutationID(row["id"] as String), let outcome = ReceiptRecord.Outcome(rawValue: row["outcome"]) else {
            throw OutboxError.damaged("receipt \(row["sequence"] as Int64) is not understood by this version")
        }
        return ReceiptRecord(
            sequence: row["sequence"], id: id, destination: Destination(backend: row["backend"], account: row["account"]),
            lane: Lane(row["lane"] as String), route: row["route"], outcome: outcome, capturedAt: Date(ms: row["capturedAt"]),
            acceptedAt: Date(ms: row["acceptedAt"]), settledAt: Date(ms: row["settledAt"]), discardedBy: row["discardedBy"],
            remoteID: row["remoteID"], status: row["status"],
            foundByLookup: row["foundByLookup"], altered: row["altered"], unverified: row["unverified"], attempts: row["attempts"],
            size: row["size"])
    }
}
