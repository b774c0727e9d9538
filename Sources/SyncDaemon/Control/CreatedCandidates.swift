import Backends
import ControlAPI
import Foundation
import Outbox
import SyncModel
import Synchronization

/// The rows that an entry with unknown outcome may have created, as far as the stored list shows.
enum CreatedCandidates: Equatable {
    /// The highest numbers first, of rows that no known entry created and that Homing did not see before the send.
    case newest([Row])
    /// The list was read before the send, is incomplete, or was never read.
    case tooOld
    /// The ids are not numbers.
    case unordered

    struct Row: Equatable, Sendable {
        let id: RosterID
        let label: String

        var text: String { label == id.rawValue ? label : "\(label) (\(id))" }
    }

    static let most = 5

    static func find(
        of create: Entry, among resource: Resource, in key: RosterKey, _ outbox: Outbox
    ) async throws(OutboxError) -> CreatedCandidates {
        let past = try await Past(of: create, resource, in: key, outbox)
        let numbers = Mutex<(rows: [(number: Int64, row: Row)], areAll: Bool)>(([], true))
        let head = try await outbox.scanRoster(key) { row in
            numbers.withLock { found in
                guard let number = Int64(row.id.rawValue) else {
                    found.areAll = false
                    return false
                }
                if !past.has(row) { found.rows.append((number, Row(id: row.id, label: row.label))) }
                return true
            }
        }
        guard let head, hasAll(head, createdBy: create) else { return .tooOld }
        let (rows, areNumbers) = numbers.withLock { $0 }
        guard areNumbers else { return .unordered }
        var newest: [Row] = []
        for (_, row) in rows.sorted(by: { $0.number > $1.number }) where newest.count < most {
            let create = try await outbox.reference(to: row.id, of: key.resource, at: key.destination)
            if create == nil { newest.append(row) }
        }
        return .newest(newest)
    }

    /// The stored list's evidence about a row that a person names as the created one.
    enum Judgement: Equatable {
        case possible
        /// It was there before the entry was sent.
        case older(Row)
        /// The list was read completely after the send, and lacks the row.
        case absent
        /// The list is older than the send, or incomplete without the row.
        case unread
    }

    static func judge(
        _ id: RosterID, createdBy create: Entry, among resource: Resource, in key: RosterKey, _ outbox: Outbox
    ) async throws(OutboxError) -> Judgement {
        let past = try await Past(of: create, resource, in: key, outbox)
        let found = Mutex<(row: Row, isOlder: Bool)?>(nil)
        let head = try await outbox.scanRoster(key) { row in
            guard row.id == id else { return true }
            found.withLock { $0 = (Row(id: row.id, label: row.label), past.has(row)) }
            return false
        }
        guard let head else { return .unread }
        if let (row, isOlder) = found.withLock({ $0 }) {
            let isFromBefore = past.firstSend.map { head.readAt <= $0 } ?? false
            if isOlder || isFromBefore { return .older(row) }
            return isRead(head, after: create) ? .possible : .unread
        }
        return hasAll(head, createdBy: create) ? .absent : .unread
    }

    /// True if the list is complete and was read after the last send that may have created a row.
    private static func hasAll(_ head: RosterHead, createdBy create: Entry) -> Bool {
        head.incomplete == nil && isRead(head, after: create)
    }

    private static func isRead(_ head: RosterHead, after create: Entry) -> Bool {
        guard let sent = create.doubtedAt ?? create.triedAt ?? create.claimedAt else { return false }
        return head.beganAt >= sent
    }
}

/// The rows that existed before the first send of an entry.
private struct Past {
    let firstSend: Date?
    private let firstListed: [RosterID: Date]
    /// The index of the creation time among a row's values.
    private let created: Int?

    /// Seconds by which the clocks of station and server may differ.
    private static let clockDifference: TimeInterval = 3600

    init(of create: Entry, _ resource: Resource, in key: RosterKey, _ outbox: Outbox) async throws(OutboxError) {
        let known = try await outbox.entry(create.id)
        let sends = known?.attempts.filter { $0.verdict != Verdict.Name.unreachable.rawValue } ?? []
        // A person's decision, or a crash, may have removed the trace of an earlier send.
        let unknown = create.retriedAt == nil ? nil : create.acceptedAt
        firstSend = ([create.uncertainSince, create.claimedAt, unknown] + sends.map(\.startedAt)).compactMap(\.self).min()
        firstListed = try await outbox.firstListed(in: key)
        created = resource.created
    }

    /// True if this station listed the row before, or the server made it before.
    func has(_ row: CachedRow) -> Bool {
        guard let firstSend else { return false }
        if let listed = firstListed[row.id], listed < firstSend { return true }
        guard let created, row.kept.indices.contains(created), let made = row.kept[created].text.flatMap(JSONCoding.date) else {
            return false
        }
        return made < firstSend.addingTimeInterval(-Self.clockDifference)
    }
}
