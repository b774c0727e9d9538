import Foundation
import GRDB
import SyncModel

/// Unknown outcomes that a person settles (Decisions/ResolvedByAPerson).
extension Outbox {
    /// A person's word about an entry whose outcome is unknown.
    package enum Resolution: Sendable, Equatable {
        /// It took effect; the server's id of the row, if known.
        case delivered(remoteID: String?)
        case notDelivered
    }

    /// Settles an unknown outcome. A delivered entry gets a receipt and releases those that wait for it; another is sent again without a
    /// look-up.
    ///
    /// Throws `notUncertain` if the outcome is known, `needsRemoteID` for a create without the id of its row, and `rowTaken` if another
    /// create made that row.
    package func resolve(
        _ id: MutationID, as resolution: Resolution, by actor: String, named name: String?, at now: Date
    ) async throws(OutboxError) {
        try await commit { db in
            let entry = try Self.entry(id, in: [.dead, .held, .pending], db)
            if entry.holdReason == .discarding { throw OutboxError.beingDiscarded(id, at: entry.discardAt ?? now) }
            guard entry.mayHaveTakenEffect else { throw OutboxError.notUncertain(id) }
            var event = SyncEvent(at: now, .resolved, of: entry, detail: ["by": actor])
            switch resolution {
            case .delivered(let remoteID):
                try Self.checkRow(remoteID, of: entry, db)
                event.detail["outcome"] = "delivered"
                event.detail["remoteID"] = remoteID
                try Self.insert(event, db)
                try Self.deliver(entry, as: remoteID, by: name ?? actor, now: now, db)
            case .notDelivered:
                event.detail["outcome"] = "notDelivered"
                try Self.insert(event, db)
                try Self.retry(id, forgetsDoubt: true, by: actor, named: name, now: now, db)
            }
        }
        eventsWritten.send()
        arrivals.send()
    }

    /// Checks the id of a create's row: with a wrong one, entries that refer to it would go to another row. No other create may have it.
    private static func checkRow(_ remoteID: String?, of entry: Entry, _ db: Database) throws {
        guard let resource = entry.mutation.creates else { return }
        guard let remoteID else { throw OutboxError.needsRemoteID(entry.id) }
        let other = try reference(to: RosterID(remoteID), of: resource, at: entry.destination, db)
        if let other { throw OutboxError.rowTaken(by: other) }
    }

    /// The receipt has no status, and names the person instead.
    private static func deliver(_ entry: Entry, as remoteID: String?, by name: String, now: Date, _ db: Database) throws {
        try insertReceipt(
            of: entry.sequence, .delivered, ["remoteID": remoteID, "foundByLookup": false, "resolvedBy": name], now: now, db)
        try db.cachedStatement(
            sql: """
                UPDATE entry SET state = 'delivered', holdReason = NULL, settledAt = ?, remoteID = ?, uncertain = 0, uncertainAt = NULL,
                    doubtedAt = NULL, lastStatus = NULL, lastReason = NULL, lastError = NULL
                WHERE sequence = ?
                """
        ).execute(arguments: [now.ms, remoteID, entry.sequence])
        try reviveDependents(of: entry.id, now: now, db)
    }
}
