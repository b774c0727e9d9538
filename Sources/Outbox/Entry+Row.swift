import Foundation
import GRDB
import SyncModel
import Vault

extension Entry: FetchableRecord {
    /// From a row of `entry`, without its content.
    package init(row: Row) throws {
        func time(_ column: String) throws -> Date? { try row.decode(Int64?.self, forColumn: column).map(Date.init(ms:)) }
        let sequence: Int64 = try row.decode(forColumn: "sequence")
        guard let id = MutationID(try row.decode(String.self, forColumn: "id")) else {
            throw OutboxError.damaged("entry \(sequence) has an id that is not a UUID")
        }
        guard let state = State(rawValue: try row.decode(String.self, forColumn: "state")),
            let onDead = Mutation.OnDead(rawValue: try row.decode(String.self, forColumn: "onDead"))
        else { throw OutboxError.damaged("entry \(sequence) is in a state that this version does not know") }
        let mutation = Mutation(
            id: id, destination: Destination(backend: try row.decode(forColumn: "backend"), account: try row.decode(forColumn: "account")),
            lane: Lane(try row.decode(String.self, forColumn: "lane")), route: try row.decode(forColumn: "route"), onDead: onDead,
            capturedAt: Date(ms: try row.decode(forColumn: "capturedAt")),
            after: try row.decode(String?.self, forColumn: "after").map { Lane($0) },
            supersedes: try row.decode(String?.self, forColumn: "supersedes").flatMap { MutationID($0) },
            subject: try row.decode(String?.self, forColumn: "subject").map { RosterID($0) },
            reference: try row.decode(forColumn: "reference"), creates: try row.decode(String?.self, forColumn: "creates"),
            afterSubject: try row.decode(forColumn: "afterSubject"))
        self.init(sequence: sequence, mutation: mutation, state: state, acceptedAt: Date(ms: try row.decode(forColumn: "acceptedAt")))
        holdReason = try row.decode(String?.self, forColumn: "holdReason").flatMap(HoldReason.init)
        let due: Int64 = try row.decode(forColumn: "dueAt")
        dueAt = due == Outbox.atOnce ? nil : Date(ms: due)
        settledAt = try time("settledAt")
        size = try row.decode(forColumn: "size")
        parent = try row.decode(forColumn: "parent")
        attempts = try row.decode(forColumn: "attempts")
        releases = try row.decode(forColumn: "releases")
        looks = try row.decode(forColumn: "looks")
        crashes = try row.decode(forColumn: "crashes")
        uncertain = try row.decode(forColumn: "uncertain")
        uncertainSince = try time("uncertainAt")
        doubtedAt = try time("doubtedAt")
        doubts = try row.decode(forColumn: "doubts")
        isAside = try row.decode(forColumn: "aside")
        countedAt = try time("countedAt")
        triedAt = try time("triedAt")
        failedAt = try time("failedAt")
        claimedAt = try time("claimedAt")
        lastStatus = try row.decode(forColumn: "lastStatus")
        lastReason = try row.decode(String?.self, forColumn: "lastReason").flatMap(Failure.Reason.init)
        lastError = try row.decode(forColumn: "lastError")
        remoteID = try row.decode(forColumn: "remoteID")
        retriedAt = try time("retriedAt")
        retriedBy = try row.decode(forColumn: "retriedBy")
        discardAt = try time("discardAt")
        discardBy = try row.decode(forColumn: "discardBy")
    }

    /// The receipt of an entry whose row was pruned.
    init(_ receipt: ReceiptRecord) {
        let mutation = Mutation(
            id: receipt.id, destination: receipt.destination, lane: receipt.lane, route: receipt.route, onDead: .skip,
            capturedAt: receipt.capturedAt, subject: receipt.subject, creates: receipt.creates)
        let state: State = receipt.outcome == .delivered ? .delivered : .discarded
        self.init(sequence: receipt.sequence, mutation: mutation, state: state, acceptedAt: receipt.acceptedAt)
        settledAt = receipt.settledAt
        size = receipt.size
        attempts = receipt.attempts
        lastStatus = receipt.status
        remoteID = receipt.remoteID
    }
}

extension Mutation {
    /// 16 bytes of a keyed digest of the immutable columns, which detects a flipped bit in them.
    func identity(digest: Data, by vault: Vault) -> Data {
        let parts = [
            id.description, destination.backend, destination.account.rawValue, lane.rawValue, route, onDead.rawValue,
            String(capturedAt.ms), supersedes?.description ?? "", subject?.rawValue ?? "", reference ?? "", creates ?? "",
            afterSubject && subject != nil ? "after subject" : "",
        ]
        return vault.keyedDigest(Data(parts.joined(separator: "\n").utf8), digest).prefix(16)
    }
}
