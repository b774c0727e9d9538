import Foundation
import GRDB
import SyncModel
import Vault

/// A row of `roster`.
struct StoredRoster: FetchableRecord, Sendable {
    let number: Int64
    let head: RosterHead
    let rule: Data

    init(row: Row) throws {
        number = try row.decode(forColumn: "number")
        rule = try row.decode(forColumn: "rule")
        let destination = Destination(backend: try row.decode(forColumn: "backend"), account: try row.decode(forColumn: "account"))
        head = RosterHead(
            key: RosterKey(destination: destination, resource: try row.decode(forColumn: "resource")),
            revision: try row.decode(forColumn: "revision"), readAt: Date(ms: try row.decode(forColumn: "readAt")),
            beganAt: Date(ms: try row.decode(forColumn: "beganAt")), count: try row.decode(forColumn: "count"),
            total: try row.decode(forColumn: "total"),
            incomplete: try row.decode(String?.self, forColumn: "incomplete").flatMap { Incompleteness(rawValue: $0) })
    }

    static func fetch(_ key: RosterKey, _ db: Database) throws -> StoredRoster? {
        try fetchOne(
            db.cachedStatement(sql: "SELECT * FROM roster WHERE backend = ? AND account = ? AND resource = ?"),
            arguments: [key.destination.backend, key.destination.account, key.resource])
    }

    /// In order; nil if one of them cannot be read.
    func pages(by vault: Vault, _ db: Database) throws -> [CachedPage]? {
        let sealed = try Data.fetchAll(
            db.cachedStatement(sql: "SELECT sealed FROM rosterPage WHERE roster = ? ORDER BY page"), arguments: [number])
        // `try?`: nil means unreadable.
        return try? sealed.enumerated().map { index, sealed in
            try CachedPage(opening: sealed, by: vault, as: head.key.name(revision: head.revision, page: index + 1))
        }
    }

    /// A page; nil if it is missing or unreadable.
    func page(_ page: Int, by vault: Vault, _ db: Database) throws -> CachedPage? {
        // The pages were inserted in order, in one transaction. No index has their numbers.
        let sealed = try Data.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT sealed FROM rosterPage WHERE roster = :roster AND page = :page
                        AND number = (SELECT min(number) FROM rosterPage WHERE roster = :roster) + :page - 1
                    """), arguments: ["roster": number, "page": page])
        // `try?`: nil means unreadable.
        return sealed.flatMap { try? CachedPage(opening: $0, by: vault, as: head.key.name(revision: head.revision, page: page)) }
    }

    /// When this station first listed each row of these pages.
    func firstListed(in pages: [CachedPage]) -> [RosterID: Date] {
        pages.reduce(into: [:]) { $0.merge($1.firstListed(orElse: head.readAt), uniquingKeysWith: min) }
    }

    /// False if it has gone since it was read.
    func delete(_ db: Database) throws -> Bool {
        try db.execute(sql: "DELETE FROM roster WHERE number = ? AND revision = ?", arguments: [number, head.revision])
        return db.changesCount > 0
    }
}

/// A read, ready to be stored.
struct NextRoster: Sendable {
    let difference: RosterDifference
    private let read: RosterRead
    private let before: StoredRoster?
    /// Only the times have changed.
    private let isSame: Bool
    private let sealed: [Data]
    private let vault: Vault
    private let generation: Int

    init(_ read: RosterRead, by vault: Vault, _ db: Database) throws {
        let before = try StoredRoster.fetch(read.key, db)
        let old = try before?.pages(by: vault, db) ?? []
        let times = try Self.firstListed(read, before, old, db)
        let pages = try read.pages.enumerated().map { index, page -> CachedPage in
            if let page { return CachedPage(etag: page.etag, rows: page.rows, firstListed: times[index]) }
            guard before?.rule == read.rule, index < old.count else {
                throw OutboxError.storage("the server calls a page unchanged that is not stored")
            }
            return old[index]
        }
        (self.read, self.before, self.vault) = (read, before, vault)
        generation = vault.generation
        difference = before.flatMap { pages == old ? RosterDifference(rows: $0.head.count) : nil } ?? RosterDifference(from: old, to: pages)
        isSame =
            before.map { before in
                before.rule == read.rule && before.head.incomplete == read.incomplete && pages == old
                    && before.head.total == max(read.total, before.head.count)
            } ?? false
        let revision = (before?.head.revision ?? 0) + 1
        sealed =
            try isSame
            ? []
            : pages.enumerated().map { index, page in
                try vault.seal(page.plain, as: read.key.name(revision: revision, page: index + 1))
            }
    }

    /// The times of first listing, by page. Rows keep their times while the same rule reads the list.
    private static func firstListed(
        _ read: RosterRead, _ before: StoredRoster?, _ old: [CachedPage], _ db: Database
    ) throws -> [[RosterID: Date]] {
        let ids = read.pages.map { $0?.rows.map(\.id) ?? [] }
        if read.pages.allSatisfy({ $0 == nil }) { return ids.map { _ in [:] } }
        let known = before.map { $0.rule == read.rule ? $0.firstListed(in: old) : [:] } ?? [:]
        let now = try newestTime(of: read, db)
        var times: [[RosterID: Date]] = ids.map { ids in Dictionary(ids.map { ($0, known[$0] ?? now) }, uniquingKeysWith: min) }
        // A row that is missing in an incomplete read may be listed again by the next one.
        if read.incomplete != nil, !times.isEmpty {
            let listed = Set(ids.joined())
            let absent = known.filter { !listed.contains($0.key) }.sorted { $0.key < $1.key }.prefix(mostAbsent)
            times[times.count - 1].merge(absent.map { ($0.key, $0.value) }, uniquingKeysWith: min)
        }
        return times
    }

    private static let mostAbsent = 10_000

    /// The end of the read, but not before the last send of a create of this list, even if the clock was set back: that may have made a row
    /// that is new here.
    private static func newestTime(of read: RosterRead, _ db: Database) throws -> Date {
        let to = read.key.destination
        let claimed = try Int64.fetchOne(
            db.cachedStatement(
                sql: "SELECT max(claimedAt) FROM entry WHERE creates = ? AND backend = ? AND account = ? AND \(Outbox.isOpen)"),
            arguments: [read.key.resource, to.backend, to.account])
        return max(read.readAt, claimed.map { Date(ms: $0) } ?? .distantPast)
    }

    var size: Int64 { sealed.reduce(0) { $0 + Int64($1.count) } }

    /// Stores the roster; false if the earlier one has gone. The trigger `rosterOwned` refuses an account that has left.
    func write(upTo maxBytes: Int64, at now: Date, _ db: Database) throws -> Bool {
        if isSame { return try writeTimes(db) }
        if let before, try !before.delete(db) { return false }
        if try Outbox.usedBytes(db) + size > maxBytes { throw OutboxError.overLimit(maxBytes) }
        let to = read.key.destination
        try db.execute(
            sql: """
                INSERT INTO roster (readAt, beganAt, revision, count, total, incomplete, backend, account, resource, rule)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                read.readAt.ms, read.beganAt.ms, (before?.head.revision ?? 0) + 1, difference.rows, max(read.total, difference.rows),
                read.incomplete?.rawValue, to.backend, to.account, read.key.resource, read.rule,
            ])
        let number = db.lastInsertedRowID
        for (index, sealed) in sealed.enumerated() {
            let name = read.key.name(revision: (before?.head.revision ?? 0) + 1, page: index + 1)
            let page = try vault.refreshed(sealed, of: generation, as: name)
            try db.execute(
                sql: "INSERT INTO rosterPage (roster, page, sealed) VALUES (?, ?, ?)", arguments: [number, index + 1, page])
        }
        if difference.isNone { return true }
        let detail = [
            "resource": read.key.resource, "rows": "\(difference.rows)", "added": "\(difference.added)",
            "removed": "\(difference.removed)", "changed": "\(difference.changed)",
        ]
        try Outbox.insert(SyncEvent(at: now, .rosterChanged, backend: to.backend, account: to.account, detail: detail), db)
        return true
    }

    private func writeTimes(_ db: Database) throws -> Bool {
        try db.execute(
            sql: """
                UPDATE roster SET readAt = ?, beganAt = ? WHERE number = ? AND revision = ?
                    AND EXISTS (SELECT 1 FROM session WHERE session.backend = roster.backend AND session.account = roster.account)
                """, arguments: [read.readAt.ms, read.beganAt.ms, before?.number, before?.head.revision])
        return db.changesCount > 0
    }
}
