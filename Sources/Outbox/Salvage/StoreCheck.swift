import Foundation
import GRDB
import Glibc
import SyncModel
import Vault

/// A thorough look at a store that changes nothing, also while a daemon works with it.
package struct StoreCheck: Sendable {
    /// What is wrong, each a sentence; none where all is well.
    package private(set) var faults: [String] = []
    /// Entries and receipts that were looked at.
    package private(set) var entries = 0, receipts = 0
    /// Of the entries those that are held, because they could not be read back.
    package private(set) var quarantined = 0

    private static let mostFaults = 20

    /// Whether there is a store, or was one: damage may have left its log alone, or only the word that there was one.
    package static func isThere(_ file: String) -> Bool {
        ["", "-wal"].contains { access(file + $0, F_OK) == 0 } || StoreUse(of: file).isKnown
    }

    /// - Parameters:
    ///   - vault: opens the content; nil where there is no key, and content is not looked at.
    ///   - isInUse: a daemon runs on it.
    package init(file: String, vault: Vault?, isInUse: Bool) throws(OutboxError) {
        do {
            guard access(file, R_OK) == 0 || errno == ENOENT else {
                throw OutboxError.storage("\(file) cannot be read: \(String(cString: strerror(errno)))")
            }
            let pages = try StorePages(path: file)
            if !isInUse, let damage = pages.damage {
                faults.append("The store is damaged: \(damage).")
                return
            }
            if isInUse || pages.log.count == nil {
                try look(in: "file:\(Self.escaped(file))?\(isInUse ? "mode=ro" : "immutable=1")", vault)
                return
            }
            // What a daemon that was killed has left in the log can only be read together with it, and SQLite would write beside both.
            let copy = FileManager.default.temporaryDirectory.path + "/homing-check-" + UUID().uuidString
            try FileManager.default.createDirectory(
                atPath: copy, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            defer { try? FileManager.default.removeItem(atPath: copy) }  // `try?`: what cannot be removed is the system's to sweep
            for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: file + suffix, toPath: "\(copy)/store\(suffix)") }
            try look(in: copy + "/store", vault)
        } catch {
            let error = OutboxError(error)
            guard case .damaged(let words) = error else { throw error }
            faults.append("The store is damaged: \(words).")
        }
    }

    private static func escaped(_ path: String) -> String {
        path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
    }

    private mutating func look(in path: String, _ vault: Vault?) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        var found = StoreCheck()
        try queue.read { db in
            if try OutboxSchema.migrator.hasBeenSuperseded(db) { throw OutboxError.tooNew }
            for text in try String.fetchAll(db, sql: "PRAGMA integrity_check(\(Self.mostFaults))") where text != "ok" {
                found.faults.append("SQLite says: \(text)")
            }
            for look in [Outbox.checkDerivedTables, Outbox.checkSequences] {
                do { try look(db) } catch OutboxError.damaged(let words) { found.faults.append("The store is damaged: \(words).") }
            }
            try found.count(db, vault)
        }
        self = found
    }

    private init() {}

    private mutating func count(_ db: Database, _ vault: Vault?) throws {
        receipts = try Int.fetchOne(db, sql: "SELECT count(*) FROM receipt") ?? 0
        let without = "SELECT count(*) FROM entry WHERE settledAt IS NOT NULL AND id NOT IN (SELECT id FROM receipt)"
        if let count = try Int.fetchOne(db, sql: without), count > 0 { faults.append("\(count) settled entries have no receipt.") }
        let rows = try EntryRow.fetchCursor(db, sql: "SELECT * FROM entry ORDER BY sequence")
        while let row = try rows.next() {
            entries += 1
            if row.holdReason == HoldReason.quarantine.rawValue { quarantined += 1 }
            guard let vault, row.settledAt == nil, row.holdReason != HoldReason.quarantine.rawValue, faults.count < Self.mostFaults else {
                continue
            }
            let whole = try row.withContent(db)
            do { _ = try Opening(vault: vault).content(of: whole) } catch {
                faults.append("The content of entry \(row.id) cannot be read back.")
            }
        }
    }
}
