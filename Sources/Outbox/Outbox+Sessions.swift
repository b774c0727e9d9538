import Foundation
import GRDB
import SyncModel
import Vault

/// A change of one backend's session. The store writes all of it or nothing.
package struct SessionChange: Sendable {
    package let backend: String
    /// Sealed before it is stored.
    package let record: Data
    package let events: [SyncEvent]
    /// The account's display name.
    package let label: Account?

    package init(backend: String, record: Data, events: [SyncEvent] = [], label: Account? = nil) {
        (self.backend, self.record, self.events, self.label) = (backend, record, events, label)
    }
}

/// A stored session.
package enum StoredSession: Equatable, Sendable {
    case none
    case record(Data)
    /// It does not open with the vault's key.
    case unreadable

    /// What the session of `backend` is sealed as.
    package static func identity(_ backend: String) -> String { "session/\(backend)" }
}

extension Outbox {
    package func session(of backend: String) throws(OutboxError) -> StoredSession {
        let sealed = try readAtOnce { try Data.fetchOne($0, sql: "SELECT sealed FROM session WHERE backend = ?", arguments: [backend]) }
        guard let sealed else { return .none }
        // `try?`: nil means that it does not open.
        return (try? vault.open(sealed, as: StoredSession.identity(backend))).map(StoredSession.record) ?? .unreadable
    }

    /// Durable when it returns. Synchronous, so that nothing happens to a session between the decision and the fsync.
    package func apply(_ change: SessionChange) throws(OutboxError) {
        try writeAtOnce { db in
            let sealed = try vault.seal(change.record, as: StoredSession.identity(change.backend))
            try db.execute(
                sql: "INSERT INTO session (backend, sealed) VALUES (?, ?) ON CONFLICT DO UPDATE SET sealed = excluded.sealed",
                arguments: [change.backend, sealed])
            if let account = change.label { try Self.remember(account, of: change.backend, db) }
            for event in change.events { try Self.insert(event, db) }
        }
        if !change.events.isEmpty { eventsWritten.send() }
    }
}
