import Foundation
import GRDB
import SyncModel

/// A row of `entry` as it is stored, without its content.
struct EntryRow: FetchableRecord, Sendable {
    var sequence: Int64
    var id, backend, account, lane, route: String
    var onDead, state: String
    var holdReason: String?
    var sealed: Data?
    var size: Int
    var digest: Data
    var dueAt, capturedAt: Int64
    var attempts, releases, crashes: Int
    var uncertain: Bool
    var triedAt, countedAt, settledAt, uncertainAt, claimedAt, retriedAt: Int64?
    var lastStatus: Int?
    var lastReason, lastError, remoteID, supersedes, retriedBy: String?

    init(row: Row) throws {
        sequence = row["sequence"]
        id = row["id"]
        backend = row["backend"]
        account = row["account"]
        lane = row["lane"]
        route = row["route"]
        onDead = row["onDead"]
        state = row["state"]
        holdReason = row["holdReason"]
        sealed = row["sealed"]
        size = row["size"]
        digest = row["digest"]
        dueAt = row["dueAt"]
        capturedAt = row["capturedAt"]
        attempts = row["attempts"]
        releases = row["releases"]
        crashes = row["crashes"]
        uncertain = row["uncertain"]
        triedAt = row["triedAt"]
        countedAt = row["countedAt"]
        settledAt = row["settledAt"]
        uncertainAt = row["uncertainAt"]
        claimedAt = row["claimedAt"]
        retriedAt = row["retriedAt"]
        retriedBy = row["retriedBy"]
        lastStatus = row["lastStatus"]
        lastReason = row["lastReason"]
        lastError = row["lastError"]
        remoteID = row["remoteID"]
        supersedes = row["supersedes"]
    }

    /// The columns that browsing needs: all but the content.
    static let browsed = """
        sequence, id, backend, account, lane, route, onDead, state, holdReason, NULL AS sealed, size, digest, dueAt, capturedAt, attempts,
        releases, crashes, uncertain, triedAt, countedAt, settledAt, uncertainAt, claimedAt, retriedAt, retriedBy,
        lastStatus, lastReason, lastError, remoteID, supersedes
        """

    var mutationID: MutationID {
        get throws {
            guard let id = MutationID(id) else { throw OutboxError.storage("entry \(sequence) has an id that is no UUID") }
            return id
        }
    }

    /// The row as an entry, with the content that `content` holds.
    func entry(_ content: SealedContent = SealedContent()) throws -> Entry {
        guard let state = Entry.State(rawValue: state), let onDead = Mutation.OnDead(rawValue: onDead) else {
            throw OutboxError.storage("entry \(sequence) is in a state that this version does not know")
        }
        let mutation = Mutation(
            id: try mutationID, destination: Destination(backend: backend, account: account), lane: Lane(lane), route: route,
            fields: content.fields, payload: content.payload, onDead: onDead, capturedAt: Date(ms: capturedAt),
            supersedes: supersedes.flatMap { MutationID($0) })
        return Entry(
            sequence: sequence, mutation: mutation, state: state, holdReason: holdReason.flatMap(HoldReason.init), dueAt: Date(ms: dueAt),
            attempts: attempts, releases: releases, crashes: crashes, uncertain: uncertain, countedAt: countedAt.map(Date.init(ms:)),
            triedAt: triedAt.map(Date.init(ms:)), uncertainSince: uncertainAt.map(Date.init(ms:)))
    }
}
