import Foundation
import GRDB
import SyncModel
import Vault

/// A message that waits for one receiver.
package struct StoredNotification: Equatable, Sendable {
    package enum Receiver: String, CaseIterable, Sendable { case webhook, mail }

    package let number: Int64
    /// The same for every try, and for every receiver of the message.
    package let id: String
    package let dueAt: Date
    /// Counted tries so far.
    package let attempts: Int
    package let payload: Data

    /// The name under which a message is sealed.
    static func identity(_ id: String) -> String { "notification/\(id)" }
}

/// New messages, together with the memory of what they report.
package struct Notifications: Sendable {
    package var payloads: [Data]
    package var memory: Data
    /// Where messages may go, and whether they may have names; see `forgetNotifications`.
    package var rule: String
    /// Each gets every message.
    package var receivers: [StoredNotification.Receiver]

    package init(payloads: [Data], memory: Data, rule: String, receivers: [StoredNotification.Receiver]) {
        (self.payloads, self.memory, self.rule, self.receivers) = (payloads, memory, rule, receivers)
    }
}

extension Outbox {
    /// The maximum number of notifications that wait for a receiver; the oldest give way to new ones.
    package static let mostNotifications = 100

    /// The name under which the memory is sealed.
    static let memoryIdentity = "notified"

    /// Stores them in one transaction, even on a full disk.
    package func keep(_ notifications: Notifications, at now: Date) async throws(OutboxError) {
        let vault = vault
        try await commit { db in
            for payload in notifications.payloads {
                let id = UUID().uuidString.lowercased()
                let sealed = try vault.seal(payload, as: StoredNotification.identity(id))
                for receiver in notifications.receivers {
                    try db.execute(
                        sql: "INSERT INTO notification (id, receiver, dueAt, sealed) VALUES (?, ?, ?, ?)",
                        arguments: [id, receiver.rawValue, now.ms, sealed])
                }
            }
            for receiver in notifications.receivers {
                try db.execute(
                    sql: """
                        DELETE FROM notification WHERE receiver = ? AND number NOT IN
                            (SELECT number FROM notification WHERE receiver = ? ORDER BY number DESC LIMIT ?)
                        """, arguments: [receiver.rawValue, receiver.rawValue, Self.mostNotifications])
            }
            try db.execute(
                sql: "INSERT OR REPLACE INTO notified (id, rule, sealed) VALUES (1, ?, ?)",
                arguments: [notifications.rule, try vault.seal(notifications.memory, as: Self.memoryIdentity)])
        }
        if !notifications.payloads.isEmpty { notificationsDue.send() }
    }

    /// The memory that `keep` stored last; nil for none, or if it does not open.
    package func notificationMemory() async throws(OutboxError) -> Data? {
        let sealed = try await read { try Data.fetchOne($0, sql: "SELECT sealed FROM notified") }
        // `try?`: without it, existing problems are reported once more.
        return sealed.flatMap { try? vault.open($0, as: Self.memoryIdentity) }
    }

    /// The oldest that waits for this receiver; deletes those that do not open.
    package func nextNotification(for receiver: StoredNotification.Receiver) async throws(OutboxError) -> StoredNotification? {
        while let sealed = try await oldestNotification(for: receiver) {
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
    private func oldestNotification(for receiver: StoredNotification.Receiver) async throws(OutboxError) -> StoredNotification? {
        try await read { db in
            let sql = "SELECT * FROM notification WHERE receiver = ? ORDER BY number LIMIT 1"
            return try Row.fetchOne(db, sql: sql, arguments: [receiver.rawValue]).map { row in
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
