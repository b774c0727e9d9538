import Foundation
import GRDB
import SyncModel

/// Why the store itself puts an entry on hold.
struct Hold {
    var reason: HoldReason
    var cause: Failure.Reason?
    var message: String?
    /// The interrupted send may have taken effect.
    var isUncertain = false

    static let crashes = Hold(reason: .crashes)
    static let unreadable = Hold(reason: .unreadable, cause: .unreadable, message: "The stored data of this entry cannot be read.")
    static let unsettled = Hold(
        reason: .unreadable, cause: .unreadable,
        message: "This entry was sent, but the result could not be stored because the store is damaged.", isUncertain: true)

    static let restored = Hold(reason: .unknownOutcome, cause: .restored, message: Outbox.restoredWords)
    /// For an entry with an earlier send whose outcome is unknown, and which cannot be looked up.
    static let unfindable = Hold(reason: .unknownOutcome)

    static func discarded(_ parent: MutationID) -> Hold {
        Hold(reason: .dependency, message: "It had to be sent after entry \(parent), which was discarded.")
    }

    static func replaced(_ parent: ReceiptRecord, by new: Mutation) -> Hold {
        let other = parent.subject == new.subject ? "" : " for another row"
        return Hold(reason: .dependency, message: "It had to be sent after entry \(parent.id), which entry \(new.id) replaced\(other).")
    }

    /// - Parameter state: of the create; nil if it is unknown.
    static func needing(_ create: MutationID, _ state: Entry.State?) -> Hold {
        let but =
            switch state {
            case .pending, .inflight: "that entry is not delivered"
            case .delivered: "the server gave no id for that row"
            case .dead: "that entry failed"
            case .held: "that entry is on hold"
            case .discarded: "that entry was discarded"
            case nil: "Homing no longer knows that entry"
            }
        return Hold(reason: .dependency, message: "It refers to a row that entry \(create) was to create, but \(but).")
    }

    static func otherRule(_ backend: String) -> Hold {
        Hold(
            reason: .unknownOutcome, cause: .profile,
            message: "When this was sent, the profile of \(backend) had another marker or find.match. Restore that one before you retry it."
        )
    }
}

extension Outbox {
    /// Holds a pending entry, or one in flight under `epoch`, and those that need it; nil if it is neither. Its lane follows `onDead`.
    @discardableResult
    static func hold(_ sequence: Int64, _ hold: Hold, inFlightUnder epoch: Int64? = nil, at now: Date, _ db: Database) throws -> MutationID?
    {
        guard let held = try putOnHold(sequence, hold, inFlightUnder: epoch, at: now, db) else { return nil }
        if held.creates { try holdDependents(of: held.id, .needing(held.id, .held), now: now, db) }
        return held.id
    }

    /// Without the entries that need it.
    static func putOnHold(
        _ sequence: Int64, _ hold: Hold, inFlightUnder epoch: Int64? = nil, at now: Date, _ db: Database
    ) throws -> (id: MutationID, creates: Bool)? {
        let row = try Row.fetchOne(
            db,
            sql: """
                UPDATE entry SET state = 'held', holdReason = :reason, epoch = NULL, lastStatus = NULL, lastReason = :cause,
                    lastError = :message, uncertain = uncertain OR :doubt,
                    uncertainAt = iif(:doubt, coalesce(uncertainAt, claimedAt, :now), uncertainAt),
                    doubtedAt = iif(:doubt, coalesce(claimedAt, :now), doubtedAt)
                WHERE sequence = :sequence AND state = :state AND epoch IS :epoch RETURNING id, backend, account, creates
                """,
            arguments: [
                "reason": hold.reason.rawValue, "cause": hold.cause?.rawValue, "message": hold.message, "doubt": hold.isUncertain,
                "now": now.ms, "sequence": sequence, "state": epoch == nil ? "pending" : "inflight", "epoch": epoch,
            ])
        guard let row else { return nil }
        guard let id = MutationID(try row.decode(String.self, forColumn: "id")) else {
            throw OutboxError.damaged("entry \(sequence) has an id that is not a UUID")
        }
        try insert(
            SyncEvent(
                at: now, .held, backend: try row.decode(forColumn: "backend"), account: try row.decode(forColumn: "account"), entry: id,
                detail: ["reason": hold.reason.rawValue]),
            db)
        return (id, try row.decode(String?.self, forColumn: "creates") != nil)
    }
}
