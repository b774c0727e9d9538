import Foundation
import GRDB
import SyncModel
import Vault

/// A change of a session, stored as a whole or not at all.
package struct SessionChange: Sendable {
    package let backend: String
    /// Sealed before it is stored.
    package let record: Data
    package let events: [SyncEvent]
    /// The account's display name.
    package let label: Account?
    /// The account whose rosters may be stored from now on.
    package let account: AccountID?
    package let rosters: RosterFate
    package let owedSignOut: OwedSignOutChange?

    package init(
        backend: String, record: Data, events: [SyncEvent] = [], label: Account? = nil, account: AccountID? = nil,
        rosters: RosterFate = .follows, owedSignOut: OwedSignOutChange? = nil
    ) {
        (self.backend, self.record, self.events, self.label) = (backend, record, events, label)
        (self.account, self.rosters, self.owedSignOut) = (account, rosters, owedSignOut)
    }
}

/// The effect of a session change on its account's rosters.
package enum RosterFate: Sendable {
    /// They stay as long as the account does.
    case follows
    /// Deleted, though the account stays: some rows may be another account's.
    case dropped
    /// Kept, though the account leaves.
    case kept
}

package enum StoredSession: Equatable, Sendable {
    case none
    case record(Data)
    /// It does not open with the vault's key.
    case unreadable

    /// The name under which the session of `backend` is sealed.
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
        let hasLeft = try writeAtOnce { db in
            let previous = try AccountID.fetchOne(db, sql: "SELECT account FROM session WHERE backend = ?", arguments: [change.backend])
            let sealed = try vault.seal(change.record, as: StoredSession.identity(change.backend))
            if change.rosters == .dropped {
                try db.execute(
                    sql: "DELETE FROM roster WHERE (backend, account) IN (SELECT backend, account FROM session WHERE backend = ?)",
                    arguments: [change.backend])
            }
            // The trigger `rosterEnds` deletes the rosters of an account that leaves.
            try db.execute(
                sql: """
                    INSERT INTO session (backend, sealed, account, keeps) VALUES (?, ?, ?, ?)
                    ON CONFLICT DO UPDATE SET sealed = excluded.sealed, account = excluded.account, keeps = excluded.keeps
                    """, arguments: [change.backend, sealed, change.account, change.rosters == .kept])
            if let account = change.label { try Self.remember(account, of: change.backend, db) }
            for event in change.events { try Self.insert(event, db) }
            switch change.owedSignOut {
            case .begins(let owed)?: try insertOwedSignOut(owed, of: change.backend, db)
            case .ends(let event)?: try Self.endOwedSignOut(event, db)
            case nil: break
            }
            return change.rosters == .dropped || previous.map { $0 != change.account } ?? false
        }
        let endsOwed = if case .ends? = change.owedSignOut { true } else { false }
        if hasLeft { rosterPlaces.forget(change.backend) }
        if hasLeft || endsOwed { secretsDeleted.send() }
        if !change.events.isEmpty || endsOwed { eventsWritten.send() }
    }
}
