import Foundation
import GRDB
import SyncModel
import Vault

/// A row of `entry`.
package struct EntryRow: FetchableRecord, Sendable {
    package var sequence: Int64
    package var id: String
    var backend, lane, route: String
    var account: AccountID
    var onDead, state: String
    package var holdReason: String?
    /// Only if it was read with the row.
    var sealed: Data?
    var size: Int
    var digest: Data
    var dueAt, capturedAt, acceptedAt: Int64
    var attempts, releases, crashes, doubts, looks: Int
    var uncertain, aside: Bool
    package var settledAt: Int64?
    var triedAt, countedAt, uncertainAt, doubtedAt, claimedAt, retriedAt, failedAt, parent: Int64?
    var lastStatus: Int?
    var lastReason, lastError, remoteID, supersedes, retriedBy, after: String?
    var identity: Data?

    package init(row: Row) throws {
        sequence = try row.decode(forColumn: "sequence")
        id = try row.decode(forColumn: "id")
        backend = try row.decode(forColumn: "backend")
        account = try row.decode(forColumn: "account")
        lane = try row.decode(forColumn: "lane")
        route = try row.decode(forColumn: "route")
        onDead = try row.decode(forColumn: "onDead")
        state = try row.decode(forColumn: "state")
        holdReason = try row.decode(forColumn: "holdReason")
        size = try row.decode(forColumn: "size")
        digest = try row.decode(forColumn: "digest")
        dueAt = try row.decode(forColumn: "dueAt")
        capturedAt = try row.decode(forColumn: "capturedAt")
        acceptedAt = try row.decode(forColumn: "acceptedAt")
        failedAt = try row.decode(forColumn: "failedAt")
        after = try row.decode(forColumn: "after")
        parent = try row.decode(forColumn: "parent")
        aside = try row.decode(forColumn: "aside")
        doubts = try row.decode(forColumn: "doubts")
        looks = try row.decode(forColumn: "looks")
        doubtedAt = try row.decode(forColumn: "doubtedAt")
        attempts = try row.decode(forColumn: "attempts")
        releases = try row.decode(forColumn: "releases")
        crashes = try row.decode(forColumn: "crashes")
        uncertain = try row.decode(forColumn: "uncertain")
        triedAt = try row.decode(forColumn: "triedAt")
        countedAt = try row.decode(forColumn: "countedAt")
        settledAt = try row.decode(forColumn: "settledAt")
        uncertainAt = try row.decode(forColumn: "uncertainAt")
        claimedAt = try row.decode(forColumn: "claimedAt")
        retriedAt = try row.decode(forColumn: "retriedAt")
        retriedBy = try row.decode(forColumn: "retriedBy")
        lastStatus = try row.decode(forColumn: "lastStatus")
        lastReason = try row.decode(forColumn: "lastReason")
        lastError = try row.decode(forColumn: "lastError")
        remoteID = try row.decode(forColumn: "remoteID")
        supersedes = try row.decode(forColumn: "supersedes")
        identity = try row.decode(forColumn: "identity")
    }

    /// The row with its content from `content`.
    package func withContent(_ db: Database) throws -> EntryRow {
        var row = self
        row.sealed = try Data.fetchOne(db.cachedStatement(sql: "SELECT sealed FROM content WHERE sequence = ?"), arguments: [sequence])
        return row
    }

    /// 16 bytes of a keyed digest of the immutable columns. It detects a flipped bit in an account or a lane; content has its own digest.
    static func identity(_ mutation: Mutation, digest: Data, by vault: Vault) -> Data {
        let parts = [
            mutation.id.description, mutation.destination.backend, mutation.destination.account.rawValue, mutation.lane.rawValue,
            mutation.route,
            mutation.onDead.rawValue, String(mutation.capturedAt.ms), mutation.supersedes?.description ?? "",
        ]
        return vault.keyedDigest(Data(parts.joined(separator: "\n").utf8), digest).prefix(16)
    }

    var mutationID: MutationID {
        get throws {
            guard let id = MutationID(id) else { throw OutboxError.damaged("entry \(sequence) has an id that is not a UUID") }
            return id
        }
    }

    func entry(_ content: SealedContent = SealedContent()) throws -> Entry {
        guard let state = Entry.State(rawValue: state), let onDead = Mutation.OnDead(rawValue: onDead) else {
            throw OutboxError.damaged("entry \(sequence) is in a state that this version does not know")
        }
        let mutation = Mutation(
            id: try mutationID, destination: Destination(backend: backend, account: account), lane: Lane(lane), route: route,
            fields: content.fields, payload: content.payload, onDead: onDead, capturedAt: Date(ms: capturedAt),
            after: after.map(Lane.init(rawValue:)), supersedes: supersedes.flatMap { MutationID($0) })
        return Entry(
            sequence: sequence, mutation: mutation, state: state, holdReason: holdReason.flatMap(HoldReason.init), dueAt: Date(ms: dueAt),
            attempts: attempts, releases: releases, looks: looks, crashes: crashes, uncertain: uncertain,
            countedAt: countedAt.map(Date.init(ms:)), triedAt: triedAt.map(Date.init(ms:)), failedAt: failedAt.map(Date.init(ms:)),
            acceptedAt: Date(ms: acceptedAt), uncertainSince: uncertainAt.map(Date.init(ms:)),
            doubtedAt: doubtedAt.map(Date.init(ms:)), doubts: doubts, isAside: aside)
    }
}
