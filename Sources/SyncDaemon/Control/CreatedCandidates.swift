import Backends
import ControlAPI
import Foundation
import Outbox
import SyncModel
import Synchronization

/// The rows that an entry with unknown outcome may have created, as far as the stored list can tell.
enum CreatedCandidates: Equatable {
    /// Those that no known entry has created, and that were made since the send if the list says when: the highest numbers, highest first. Empty
    /// if the list has none.
    case newest([Row])
    /// The list was read before the send, is incomplete or was never read.
    case tooOld
    /// The ids are not numbers, so the order of the rows is unknown.
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
        let numbers = Mutex<(rows: [(number: Int64, row: Row)], areAll: Bool)>(([], true))
        let head = try await outbox.scanRoster(key) { row in
            numbers.withLock { found in
                guard let number = Int64(row.id.rawValue) else {
                    found.areAll = false
                    return false
                }
                if !row.isOlder(than: create, resource) { found.rows.append((number, Row(id: row.id, label: row.label))) }
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

    /// What the stored list says about a row that a person takes for the one that an entry created.
    enum Judgement: Equatable {
        case possible
        /// It was there before the entry was sent.
        case older(Row)
        /// The list was read completely after the send, and has no such row.
        case absent
        /// The list was not read after the send, or it is incomplete and has no such row.
        case unread
    }

    static func judge(
        _ id: RosterID, createdBy create: Entry, among resource: Resource, in key: RosterKey, _ outbox: Outbox
    ) async throws(OutboxError) -> Judgement {
        let found = Mutex<(row: Row, isOlder: Bool)?>(nil)
        let head = try await outbox.scanRoster(key) { row in
            guard row.id == id else { return true }
            found.withLock { $0 = (Row(id: row.id, label: row.label), row.isOlder(than: create, resource)) }
            return false
        }
        guard let head else { return .unread }
        if let (row, isOlder) = found.withLock({ $0 }) {
            let isFromBefore = create.firstSentAt.map { head.readAt <= $0 } ?? false
            if isOlder || isFromBefore { return .older(row) }
            return isRead(head, after: create) ? .possible : .unread
        }
        return hasAll(head, createdBy: create) ? .absent : .unread
    }

    /// Whether all rows are here, read after the last send that may have created one.
    private static func hasAll(_ head: RosterHead, createdBy create: Entry) -> Bool {
        head.incomplete == nil && isRead(head, after: create)
    }

    private static func isRead(_ head: RosterHead, after create: Entry) -> Bool {
        guard let sent = create.doubtedAt ?? create.triedAt ?? create.claimedAt else { return false }
        return head.beganAt >= sent
    }
}

extension Entry {
    /// Start of the first send that may have taken effect.
    fileprivate var firstSentAt: Date? { uncertainSince ?? claimedAt }
}

extension CachedRow {
    /// In seconds: by how much the clocks of station and server may differ.
    private static let clockDifference: TimeInterval = 3600

    /// Whether it was made before the first send of that entry; false if the list does not say when.
    fileprivate func isOlder(than create: Entry, _ resource: Resource) -> Bool {
        guard let index = resource.created, kept.indices.contains(index), let made = kept[index].text.flatMap(JSONCoding.date),
            let sent = create.firstSentAt
        else { return false }
        return made < sent.addingTimeInterval(-Self.clockDifference)
    }
}
