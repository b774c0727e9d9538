import Foundation
import GRDB
import Vault

extension Outbox {
    /// Keeps a copy of the keyring in the store, so that the master key and the store are enough to open it. Durable when it returns.
    package func keep(_ keyring: WrappedKeyring) throws(OutboxError) {
        let content = keyring.content
        let stored = try storedKeyring()
        if stored == content { return }
        try writeAtOnce { try $0.execute(sql: "INSERT OR REPLACE INTO keyring (id, wrapped) VALUES (1, ?)", arguments: [content]) }
        if stored == nil { return }
        // The earlier one may hold a key that is being replaced.
        secretsDeleted.send()
        eventsWritten.send()
    }

    /// The copy, as in `WrappedKeyring`; nil before the first one is kept.
    package func storedKeyring() throws(OutboxError) -> Data? { try readAtOnce { try Self.copyOfKeyring($0) } }

    /// The same, without holding the thread while the store is in use.
    package func keptKeyring() async throws(OutboxError) -> Data? { try await read { try Self.copyOfKeyring($0) } }

    package static func copyOfKeyring(_ db: Database) throws -> Data? { try Data.fetchOne(db, sql: "SELECT wrapped FROM keyring") }
}
