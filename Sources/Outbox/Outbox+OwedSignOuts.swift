import Foundation
import GRDB
import SyncModel
import Vault

/// A sign-out that its server has not heard of.
package struct StoredOwedSignOut: Equatable, Sendable {
    package let account: AccountID
    /// The credentials are destroyed then.
    package let until: Date
    /// Sealed before it is stored.
    package let record: Data

    package init(account: AccountID, until: Date, record: Data) { (self.account, self.until, self.record) = (account, until, record) }

    /// The name under which an owed sign-out is sealed.
    static func identity(_ backend: String, _ account: AccountID) -> String { "owed-sign-out/\(backend)/\(account)" }
}

/// The effect of a session change on an owed sign-out.
package enum OwedSignOutChange: Equatable, Sendable {
    /// The sign-out that the change makes did not reach the server.
    case begins(StoredOwedSignOut)
    /// Destroys the credentials of this event's account.
    case ends(SyncEvent)
}

extension Outbox {
    /// Those that open.
    package func owedSignOuts(of backend: String) throws(OutboxError) -> [StoredOwedSignOut] {
        let rows = try readAtOnce {
            try Row.fetchAll($0, sql: "SELECT * FROM owedSignOut WHERE backend = ? ORDER BY account", arguments: [backend])
        }
        return rows.compactMap { row in
            opened(row).map { StoredOwedSignOut(account: row["account"], until: Date(ms: row["until"]), record: $0) }
        }
    }

    /// Stores refreshed tokens, unless the owed sign-out is gone.
    package func update(_ owed: StoredOwedSignOut, of backend: String) throws(OutboxError) {
        try writeAtOnce { db in
            let sealed = try vault.seal(owed.record, as: StoredOwedSignOut.identity(backend, owed.account))
            try db.execute(
                sql: "UPDATE owedSignOut SET until = ?, sealed = ? WHERE backend = ? AND account = ?",
                arguments: [owed.until.ms, sealed, backend, owed.account])
        }
    }

    /// Destroys the credentials of the event's account. Durable when it returns; Housekeeping then empties the log.
    package func endOwedSignOut(_ event: SyncEvent) throws(OutboxError) {
        try writeAtOnce { try Self.endOwedSignOut(event, $0) }
        secretsDeleted.send()
        eventsWritten.send()
    }

    /// Destroys owed sign-outs that no call can settle: of other backends, and unreadable ones.
    package func forgetOwedSignOuts(except backends: [String], at now: Date) throws(OutboxError) {
        let hasForgotten = try writeAtOnce { db in
            let rows = try Row.fetchAll(db, sql: "SELECT * FROM owedSignOut").filter { row in
                !backends.contains(row["backend"]) || opened(row) == nil
            }
            for row in rows {
                let (backend, account) = (row["backend"] as String, row["account"] as AccountID)
                let cause = backends.contains(backend) ? "unreadable" : "profile"
                try Self.endOwedSignOut(
                    SyncEvent(at: now, .signOutGivenUp, backend: backend, account: account, detail: ["cause": cause]), db)
            }
            return !rows.isEmpty
        }
        guard hasForgotten else { return }
        secretsDeleted.send()
        eventsWritten.send()
    }

    /// Part of the transaction that ends the session.
    func insertOwedSignOut(_ owed: StoredOwedSignOut, of backend: String, _ db: Database) throws {
        let sealed = try vault.seal(owed.record, as: StoredOwedSignOut.identity(backend, owed.account))
        try db.execute(
            sql: "INSERT OR REPLACE INTO owedSignOut (backend, account, until, sealed) VALUES (?, ?, ?, ?)",
            arguments: [backend, owed.account, owed.until.ms, sealed])
    }

    static func endOwedSignOut(_ event: SyncEvent, _ db: Database) throws {
        try db.execute(
            sql: "DELETE FROM owedSignOut WHERE backend = ? AND account = ?", arguments: [event.backend, event.account])
        try insert(event, db)
    }

    /// Nil if it does not open with the vault's key.
    private func opened(_ row: Row) -> Data? {
        // `try?`: nil says so.
        try? vault.open(row["sealed"], as: StoredOwedSignOut.identity(row["backend"], row["account"]))
    }
}
