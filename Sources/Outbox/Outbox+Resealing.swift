import Foundation
import GRDB
import SyncModel
import Vault

/// One pass over all sealed rows.
package struct Resealing: Sendable, Equatable {
    /// Rows that were sealed with an earlier data key.
    package var rows = 0
    /// Rows that no key opens, by table. They stay as they are.
    package var unreadable: [String: Int] = [:]

    package init(rows: Int = 0, unreadable: [String: Int] = [:]) { (self.rows, self.unreadable) = (rows, unreadable) }
}

extension Outbox {
    /// Seals all rows with the current data key, in small transactions beside other work. A row that changes meanwhile is left to the next
    /// pass. When a pass finds no rows, and the keyring has not changed since its begin, the earlier data keys open nothing any more.
    ///
    /// - Parameter tell: called with the number of rows that the pass has not read yet.
    package func reseal(_ tell: (Int) -> Void = { _ in }) async throws(OutboxError) -> Resealing {
        // The cached pages are not needed again soon.
        defer { pool.releaseMemoryEventually() }
        // Transactions that have sealed rows with an earlier key end before this one.
        try await commit { _ in }
        var pass = Resealing()
        var left = try await read { db in try SealedTable.all.map { try $0.count(db) }.reduce(0, +) }
        for table in SealedTable.all {
            var last: DatabaseValue?
            repeat {
                tell(max(0, left))
                let begin = last
                let rows = try await read { db in try table.rows(after: begin, db) }
                last = rows.last?.key
                left -= rows.count
                var changes: [SealedTable.Change] = []
                for row in rows {
                    do {
                        if let sealed = try vault.resealed(row.sealed, as: row.name) { changes.append(.init(row: row, sealed: sealed)) }
                    } catch { pass.unreadable[table.name, default: 0] += 1 }
                }
                pass.rows += changes.count
                try await write(changes, to: table)
            } while last != nil && !Task.isCancelled
        }
        if Task.isCancelled { throw .storage("the pass was cancelled") }
        return pass
    }

    private func write(_ changes: [SealedTable.Change], to table: SealedTable) async throws(OutboxError) {
        if changes.isEmpty { return }
        do {
            // Not `commit`: a row without room on the disk is no refused submission.
            try await commits.submit(isMandatory: false) { db in for change in changes { try table.apply(change, db) } }
        } catch { throw failure(error) }
    }
}

/// A table with sealed rows.
private struct SealedTable: Sendable {
    let name: String
    /// An expression that orders the rows.
    let key: String
    /// Names a row's parts for `identity`.
    var join = ""
    /// The name under which a row is sealed.
    let identity: @Sendable (Row) throws -> String

    static let all = [
        SealedTable(name: "content", key: "content.sequence") { try $0.decode(String.self, forColumn: "id") },
        SealedTable(name: "session", key: "session.backend") { StoredSession.identity(try $0.decode(forColumn: "backend")) },
        SealedTable(name: "owedSignOut", key: "owedSignOut.backend || char(10) || owedSignOut.account") {
            StoredOwedSignOut.identity(try $0.decode(forColumn: "backend"), try $0.decode(forColumn: "account"))
        },
        SealedTable(name: "notification", key: "notification.number") { StoredNotification.identity(try $0.decode(forColumn: "id")) },
        SealedTable(name: "notified", key: "notified.id") { _ in Outbox.memoryIdentity },
        SealedTable(
            name: "rosterPage", key: "rosterPage.number",
            join: "JOIN (SELECT number AS list, backend, account, resource, revision FROM roster) ON list = rosterPage.roster"
        ) { row in
            let place = Destination(backend: try row.decode(forColumn: "backend"), account: try row.decode(forColumn: "account"))
            return RosterKey(destination: place, resource: try row.decode(forColumn: "resource"))
                .name(revision: try row.decode(forColumn: "revision"), page: try row.decode(forColumn: "page"))
        },
    ]

    struct SealedRow: Sendable {
        let key: DatabaseValue
        let name: String
        let sealed: Data
    }

    struct Change: Sendable {
        let row: SealedRow
        let sealed: Data
    }

    /// Bytes and rows of a transaction, but at least one row.
    private static let mostBytes = 256 << 10
    private static let mostRows = 100

    func count(_ db: Database) throws -> Int { try Int.fetchOne(db, sql: "SELECT count(*) FROM \(name)") ?? 0 }

    /// The next rows, as many as one transaction changes; empty at the end.
    func rows(after last: DatabaseValue?, _ db: Database) throws -> [SealedRow] {
        let condition = last == nil ? "" : "WHERE \(key) > ?"
        let bound: [DatabaseValue] = last.map { [$0] } ?? []
        let cursor = try Row.fetchCursor(
            db, sql: "SELECT \(key) AS place, * FROM \(name) \(join) \(condition) ORDER BY \(key) LIMIT \(Self.mostRows)",
            arguments: StatementArguments(bound))
        var (rows, bytes) = ([SealedRow](), 0)
        while bytes < Self.mostBytes, let row = try cursor.next() {
            let sealed = try row.decode(Data.self, forColumn: "sealed")
            rows.append(SealedRow(key: try row.decode(DatabaseValue.self, forColumn: "place"), name: try identity(row), sealed: sealed))
            bytes += sealed.count
        }
        return rows
    }

    /// Leaves a row that has changed since it was read.
    func apply(_ change: Change, _ db: Database) throws {
        try db.execute(
            sql: "UPDATE \(name) SET sealed = ? WHERE \(key) = ? AND sealed = ?",
            arguments: [change.sealed, change.row.key, change.row.sealed])
    }
}
