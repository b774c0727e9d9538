import Foundation
import GRDB
import Outbox
import SyncModel
import Vault

/// Reads a store's waiting entries, even while a daemon uses it.
package struct WaitingMutations {
    private let reader: StoreReader
    private let decryptor: PayloadDecryptor

    package init(file: String, vault: Vault, isInUse: Bool) {
        reader = StoreReader(file: file, isInUse: isInUse)
        decryptor = PayloadDecryptor(vault: vault)
    }

    /// By backend, the base URL to which its accounts belong.
    package func origins() throws(OutboxError) -> [String: String] {
        do {
            return try reader.read { db in
                var origins: [String: String] = [:]
                for row in try Row.fetchAll(db, sql: "SELECT backend, origin FROM origin") {
                    origins[try row.decode(forColumn: "backend")] = try row.decode(String.self, forColumn: "origin")
                }
                return origins
            }
        } catch {
            throw OutboxError(error)
        }
    }

    /// Visits pending, in-flight and held entries; returns how many are unreadable.
    package func visit(_ work: (Mutation) -> Void) throws(OutboxError) -> Int {
        do {
            return try reader.read { db in
                var unreadable = 0
                let waiting = "SELECT * FROM entry WHERE state IN ('pending', 'inflight', 'held') ORDER BY sequence"
                let rows = try Row.fetchCursor(db, sql: waiting)
                while let row = try rows.next() {
                    // `try?`: nil means unreadable.
                    if let entry = try? decryptor.entry(of: row, Outbox.sealedContent(of: row.decode(forColumn: "sequence"), db)) {
                        work(entry.mutation)
                    } else {
                        unreadable += 1
                    }
                }
                return unreadable
            }
        } catch {
            throw OutboxError(error)
        }
    }
}
