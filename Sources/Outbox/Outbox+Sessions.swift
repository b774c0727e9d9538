import Foundation
import GRDB
import SyncModel
import Vault

/// A change of one backend's session. The store writes all of it or nothing.
package struct SessionChange: Sendable {
    package let backend: String
    /// Sealed before it is stored.
    package let record: Data
    package var event: SyncEvent?
    /// The account's display name.
    package var label: Account?
    package var discards: Discards?

    /// Discards the account's undelivered entries. `actor` is for events, `name` for people.
    package struct Discards: Hashable, Sendable {
        package let account: AccountID
        package let actor: String
        package let name: String?

        package init(account: AccountID, actor: String, name: String?) {
            (self.account, self.actor, self.name) = (account, actor, name)
        }
    }

    package init(backend: String, record: Data, event: SyncEvent? = nil, label: Account? = nil, discards: Discards? = nil) {
        (self.backend, self.record, self.event, self.label, self.discards) = (backend, record, event, label, discards)
    }
}

/// A stored session.
package enum StoredSession: Equatable, Sendable {
    case none
    case record(Data)
    /// It does not open with the vault's key.
    case unreadable
}

extension Outbox {
    package func session(of backend: String) throws(OutboxError) -> StoredSession {
        do {
            let sealed = try pool.read { try Data.fetchOne($0, sql: "SELECT sealed FROM session WHERE backend = ?", arguments: [backend]) }
            guard let sealed else { return .none }
            // `try?`: nil means that it does not open.
            return (try? vault.open(sealed, as: SessionRow.identity(backend))).map(StoredSession.record) ?? .unreadable
        } catch {
            throw failure(error)
        }
    }

    /// Durable when it returns. Synchronous, so that nothing happens to a session between the decision and the fsync. Returns the number of entries
    /// discarded, which the event then has in its detail `discarded`.
    @discardableResult
    package func apply(_ change: SessionChange, at now: Date) throws(OutboxError) -> Int {
        do {
            let discarded = try writeAtOnce { db in
                let sealed = try vault.seal(change.record, as: SessionRow.identity(change.backend))
                try db.execute(
                    sql: "INSERT INTO session (backend, sealed) VALUES (?, ?) ON CONFLICT DO UPDATE SET sealed = excluded.sealed",
                    arguments: [change.backend, sealed])
                if let account = change.label { try Self.remember(account, of: change.backend, db) }
                var discarded: Int?
                if let discards = change.discards { discarded = try Self.discardAll(discards, at: change.backend, now, db) }
                if var event = change.event {
                    event.detail["discarded"] = discarded.map(String.init)
                    try Self.insert(event, db)
                }
                return discarded ?? 0
            }
            if change.event != nil { eventsWritten.send() }
            return discarded
        } catch {
            throw failure(error)
        }
    }
}

package enum SessionRow {
    /// What a session is sealed as.
    package static func identity(_ backend: String) -> String { "session/\(backend)" }
}
