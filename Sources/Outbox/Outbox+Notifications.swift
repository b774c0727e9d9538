import Foundation
import GRDB
import SyncModel
import Vault

/// A message that waits for the webhook.
package struct StoredNotification: Equatable, Sendable {
    package let number: Int64
    /// The same for every try.
    package let id: String
    package let dueAt: Date
    /// Counted tries so far.
    package let attempts: Int
    package let payload: Data

    /// What it is sealed as.
    static func identity(_ id: String) -> String { "notification/\(id)" }
}

extension Outbox {
    /// The maximum number of waiting notifications; the oldest give way to new ones.
    package static let mostNotifications = 100

    private static let memoryIdentity = "notified"

    /// Stores messages together with the memory of what they report, even on a full disk.
    ///
    /// - Parameter rule: where the messages may go, and whether they may have names; see `forgetNotifications`.
    package func keep(_ payloads: [Data], memory: Data, rule: String, at now: Date) async throws(OutboxError) {
        let vault = vault
        try await commit { db in
            for payload in payloads {
                let id = UUID().uuidString.lowercased()
                try db.execute(
                    sql: "INSERT INTO notification (id, dueAt, sealed) VALUES (?, ?, ?)",
                    arguments: [id, now.ms, try vault.seal(payload, as: StoredNotification.identity(id))])
            }
            try db.execute(
                sql: "DELETE FROM notification WHERE number NOT IN (SELECT number FROM notification ORDER BY number DESC LIMIT ?)",
                arguments: [Self.mostNotifications])
            try db.execute(
                sql: "INSERT OR REPLACE INTO notified (id, rule, sealed) VALUES (1, ?, ?)",
                arguments: [rule, try vault.seal(memory, as: Self.memoryIdentity)])
        }
        if !payloads.isEmpty { notificationsDue.send() }
    }

    /// As given to `keep` last; nil for none, or if it does not open.
    package func notificationMemory() async throws(OutboxError) -> Data? {
        let sealed = try await read { try Data.fetchOne($0, sql: "SELECT sealed FROM notified") }
        // `try?`: without it, existing problems are reported once more.
        return sealed.flatMap { try? vault.open($0, as: Self.memoryIdentity) }
    }

    /// The oldest that waits; deletes those that do not open.
    package func nextNotification() async throws(OutboxError) -> StoredNotification? {
        while let sealed = try await oldestNotification() {
            // `try?`: nil says so.
            if let payload = try? vault.open(sealed.payload, as: StoredNotification.identity(sealed.id)) {
                return StoredNotification(
                    number: sealed.number, id: sealed.id, dueAt: sealed.dueAt, attempts: sealed.attempts, payload: payload)
            }
            try await removeNotification(sealed.number)
        }
        return nil
    }

    /// With its payload still sealed.
    private func oldestNotification() async throws(OutboxError) -> StoredNotification? {
        try await read { db in
            try Row.fetchOne(db, sql: "SELECT * FROM notification ORDER BY number LIMIT 1").map { row in
                StoredNotification(
                    number: row["number"], id: row["id"], dueAt: Date(ms: row["dueAt"]), attempts: row["attempts"],
                    payload: row["sealed"])
            }
        }
    }

    /// Notes a counted try that has failed.
    package func postponeNotification(_ number: Int64, attempts: Int, until due: Date) async throws(OutboxError) {
        try await commit { db in
            try db.execute(
                sql: "UPDATE notification SET attempts = ?, dueAt = ? WHERE number = ?", arguments: [attempts, due.ms, number])
        }
    }

    /// Removes one that was delivered or given up.
    package func removeNotification(_ number: Int64) async throws(OutboxError) {
        try await commit { db in try db.execute(sql: "DELETE FROM notification WHERE number = ?", arguments: [number]) }
        secretsDeleted.send()
        eventsWritten.send()
    }

    /// Deletes all messages, and the memory of the reported problems, if another rule stored them: they must not go to another address, or contain
    /// names that are no longer allowed.
    ///
    /// - Parameter rule: nil without notifications.
    package func forgetNotifications(except rule: String?) throws(OutboxError) {
        let stored = try readAtOnce { db in try String.fetchOne(db, sql: "SELECT rule FROM notified") }
        if stored == nil || stored == rule { return }
        try writeAtOnce { db in try db.execute(sql: "DELETE FROM notification; DELETE FROM notified") }
        secretsDeleted.send()
        eventsWritten.send()
    }
}
