import Foundation
import GRDB
import SyncModel
import Vault

/// Cached lists of the signed-in account. Losing them does no harm: the server has the rows.
extension Outbox {
    /// Updates only the times if all else is the same. Not mandatory, so `full` and `overLimit` mean that nothing was stored.
    package func store(_ read: RosterRead, at now: Date) async throws(OutboxError) -> RosterStored {
        // The next run salvages a damaged store, and does not save its rosters.
        if let reason = damage.reason { throw .damaged(reason) }
        // Before the transaction, because sealing thousands of rows takes long.
        let next = try await self.read { db in try NextRoster(read, by: vault, db) }
        guard try await diskHasRoom(for: next.size) else { throw .full }
        do {
            // Not `commit`: a roster without room is no refused submission.
            let isStored = try await commits.submit(isMandatory: false) { db in try next.write(upTo: maxBytes, at: now, db) }
            guard isStored else { return .notSignedIn }
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_TRIGGER {
            return .notSignedIn
        } catch {
            throw failure(error)
        }
        if next.difference.isNone { return .same }
        eventsWritten.send()
        return .changed(next.difference)
    }

    /// In order of their names.
    package func rosterHeads(of destination: Destination) async throws(OutboxError) -> [RosterHead] {
        try await read { db in
            try StoredRoster.fetchAll(
                db, sql: "SELECT * FROM roster WHERE backend = ? AND account = ? ORDER BY resource",
                arguments: [destination.backend, destination.account]
            ).filter(rosterRules.include).map(\.head)
        }
    }

    /// Reads the rows in the server's order, until `body` returns false. Nil without a stored roster.
    package func scanRoster(
        _ key: RosterKey, _ body: @escaping @Sendable (CachedRow) -> Bool
    ) async throws(OutboxError) -> RosterHead? {
        try await read { db in
            guard let stored = try StoredRoster.fetch(key, db), rosterRules.include(stored) else { return nil }
            guard let pages = try stored.pages(by: vault, db) else { throw OutboxError.storage("a cached list cannot be read") }
            var isWanted = true
            for page in pages where isWanted {
                page.forEachRow { row in
                    isWanted = body(row)
                    return isWanted
                }
            }
            return stored.head
        }
    }

    /// When this station first listed each row; empty without a stored roster.
    package func firstListed(in key: RosterKey) async throws(OutboxError) -> [RosterID: Date] {
        try await read { db in
            guard let stored = try StoredRoster.fetch(key, db), rosterRules.include(stored), let pages = try stored.pages(by: vault, db)
            else { return [:] }
            return stored.firstListed(in: pages)
        }
    }

    /// The labels of rows by id; nil without a readable roster.
    package func rosterLabels(
        of ids: Set<RosterID>, in key: RosterKey
    ) async throws(OutboxError) -> (head: RosterHead, labels: [RosterID: String])? {
        try await read { db in try labels(of: ids, in: key, db) }
    }

    private func labels(of ids: Set<RosterID>, in key: RosterKey, _ db: Database) throws -> (head: RosterHead, labels: [RosterID: String])?
    {
        guard let stored = try StoredRoster.fetch(key, db), let pages = try stored.pages(by: vault, db) else { return nil }
        var labels: [RosterID: String] = [:]
        for page in pages { page.addLabels(of: ids, to: &labels) }
        return (stored.head, labels)
    }

    /// The ETags by page, counted from 1; empty unless the stored roster is complete and of this rule (the resource's source), because only
    /// then an unchanged page can be kept.
    package func etags(of key: RosterKey, rule: Data) async throws(OutboxError) -> [Int: String] {
        try await read { db in
            guard let stored = try StoredRoster.fetch(key, db), stored.rule == Vault.digest(rule), stored.head.incomplete == nil,
                let pages = try stored.pages(by: vault, db)
            else { return [:] }
            let etags = pages.enumerated().compactMap { index, page in page.etag.map { (index + 1, $0) } }
            return Dictionary(uniqueKeysWithValues: etags)
        }
    }

    /// Deletes the rosters of resources that are gone or changed. If it throws, they are ignored.
    package func forgetRosters(except rules: [RosterRule]) throws(OutboxError) {
        rosterRules.know(rules)
        let all = try readAtOnce { db in try StoredRoster.fetchAll(db, sql: "SELECT * FROM roster") }
        let forgotten = all.filter { !rosterRules.include($0) }
        if forgotten.isEmpty { return }
        try writeAtOnce { db in for roster in forgotten { _ = try roster.delete(db) } }
        eventsWritten.send()
    }

    /// Deletes rosters that cannot be read; returns them.
    package func verifyRosters() async throws(OutboxError) -> [RosterKey] {
        let unreadable = try await read { db in
            try StoredRoster.fetchAll(db, sql: "SELECT * FROM roster").filter { try $0.pages(by: vault, db) == nil }
        }
        if unreadable.isEmpty { return [] }
        let deleted = try await commit { db in try unreadable.filter { try $0.delete(db) }.map(\.head.key) }
        eventsWritten.send()
        return deleted
    }
}
