import Foundation
import GRDB
import Outbox
import SyncModel
import Vault

/// Checks a store thoroughly and read-only, even while a daemon uses it.
package struct StoreCheck: Sendable {
    /// One sentence for each fault.
    package private(set) var faults: [String] = []
    package private(set) var entries = 0, receipts = 0
    /// Entries held because they could not be read.
    package private(set) var unreadable = 0

    private static let mostFaults = 20

    /// `vault` opens the content; nil skips that.
    package init(file: String, vault: Vault?, isInUse: Bool) throws(OutboxError) {
        do {
            self = try StoreReader(file: file, isInUse: isInUse).read { db in
                var found = StoreCheck()
                for text in try String.fetchAll(db, sql: "PRAGMA integrity_check(\(Self.mostFaults))") where text != "ok" {
                    found.faults.append("SQLite reports: \(text)")
                }
                for look in [Outbox.checkDerivedTables, Outbox.checkSequences] {
                    do { try look(db) } catch OutboxError.damaged(let words) { found.faults.append("The store is damaged: \(words).") }
                }
                try found.count(db, vault)
                return found
            }
        } catch {
            let error = OutboxError(error)
            guard case .damaged(let words) = error else { throw error }
            faults.append("The store is damaged: \(words).")
        }
    }

    private init() {}

    private mutating func count(_ db: Database, _ vault: Vault?) throws {
        receipts = try Int.fetchOne(db, sql: "SELECT count(*) FROM receipt") ?? 0
        let without = "SELECT count(*) FROM entry WHERE settledAt IS NOT NULL AND id NOT IN (SELECT id FROM receipt)"
        if let count = try Int.fetchOne(db, sql: without), count > 0 { faults.append("\(count) settled entries have no receipt.") }
        let rows = try Row.fetchCursor(db, sql: "SELECT * FROM entry ORDER BY sequence")
        while let row = try rows.next() {
            entries += 1
            let isUnreadable = try row.decode(String?.self, forColumn: "holdReason") == HoldReason.unreadable.rawValue
            if isUnreadable { unreadable += 1 }
            let isSettled = try row.decode(Int64?.self, forColumn: "settledAt") != nil
            guard let vault, !isSettled, !isUnreadable, faults.count < Self.mostFaults else { continue }
            let sealed = try Outbox.sealedContent(of: row.decode(forColumn: "sequence"), db)
            do { _ = try PayloadDecryptor(vault: vault).entry(of: row, sealed) } catch {
                let id = try row.decode(String.self, forColumn: "id")
                faults.append("The stored data of entry \(id) cannot be read.")
            }
        }
    }
}
