import Files
import Foundation
import GRDB
import Glibc
import SyncModel
import Vault

/// A backup that is copied beside a store, checked and marked, before it becomes that store (Decisions/Backups.md).
package struct RestoredStore {
    package let backup: StoreBackup
    private let keyring: Keyring
    private let wrapped: WrappedKeyring
    private let store: String
    private var draft: String { StoreBackup.restoredDraft(of: store) }

    /// Copies a backup beside the path of a store, and checks it. Throws `BackupError` for a backup that cannot be used.
    package init(copying source: FileHandle, beside store: String, openedBy master: VaultKey) throws {
        self.store = store
        StoreBackup.removeDrafts(of: store)
        do {
            try Self.copy(source, to: StoreBackup.restoredDraft(of: store))
            (backup, keyring, wrapped) = try Self.change(StoreBackup.restoredDraft(of: store)) { db in
                try Self.check(db, openedBy: master)
            }
        } catch {
            StoreBackup.removeDrafts(of: store)
            if let error = error as? DatabaseError, [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
                throw BackupError.damaged(Self.unreadable)
            }
            throw error
        }
    }

    /// Marks the entries that may have been sent after the backup; see `RestoredEntries`.
    ///
    /// - Parameter traits: of a backend's route; nil if there is none.
    package func mark(
        at now: Date, by actor: String, traits: (_ backend: String, _ route: String) -> RouteTraits?
    ) throws -> RestoredEntries {
        try Self.change(draft) { db in
            try db.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON")
            var entries = RestoredEntries()
            try db.inTransaction {
                entries = try RestoredEntries.mark(since: backup.at, at: now, by: actor, traits: traits, db)
                try StoreBackup.erase(from: db)
                return .commit
            }
            return entries
        }
    }

    /// Seals its keyring for the master key of the station, so that the station needs only that one. If another one opens the backup, there
    /// is a new data key, because that master key and the backup tell the present one.
    ///
    /// - Parameter number: of the keyring that it replaces.
    package func reseal(for master: VaultKey, at now: Date, after number: UInt64 = 0) throws -> WrappedKeyring {
        let isOther = !wrapped.isSealed(onlyFor: master)
        let keyring = isOther ? keyring.rotated(at: now) : keyring
        let next = try WrappedKeyring(keyring, under: [master], number: max(number, wrapped.number) + 1)
        try Self.change(draft) { db in
            try db.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON")
            try db.execute(sql: "UPDATE keyring SET wrapped = ?", arguments: [next.content])
        }
        return next
    }

    /// Puts it in the place of the store, which must be empty or missing. Durable when it returns.
    package func install() throws {
        try DurableFile(path: draft).sync()
        // The log and the marks are those of the empty store.
        StoreUse(of: store).closed()
        for suffix in ["-wal", "-shm"] { unlink(store + suffix) }
        unlink(Damage.mark(of: store).path)
        try DurableFile(path: draft).move(to: store)
    }

    /// True once it has the name of the store.
    package var isInstalled: Bool { !DurableFile(path: draft).exists }

    /// Removes the copy, if it is not installed.
    package func discard() { StoreBackup.removeDrafts(of: store) }

    // MARK: -

    /// Copies all bytes but the checksum at the end, and compares that.
    private static func copy(_ source: FileHandle, to draft: String) throws {
        try StoreBackup.makeDraft(draft)
        guard let target = FileHandle(forWritingAtPath: draft) else { throw OutboxError.storage("\(draft) cannot be opened") }
        defer { try? target.close() }  // `try?`: `install` syncs it
        var digest = RunningDigest()
        // The last bytes, which may be those of the checksum.
        var kept = Data()
        var isFirst = true
        while let part = try source.read(upToCount: 1 << 20), !part.isEmpty {
            if isFirst, !StoreBackup.isBackup(part) { throw BackupError.notABackup }
            isFirst = false
            let known = kept + part
            let page = Data(known.dropLast(StoreBackup.checksumSize))
            digest.update(page)
            do { try target.write(contentsOf: page) } catch {
                let words = ((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError)?.localizedDescription ?? "\(error)"
                throw OutboxError.storage("\(draft) cannot be written: \(words). Is its disk full?")
            }
            kept = Data(known.suffix(StoreBackup.checksumSize))
        }
        if isFirst { throw BackupError.notABackup }
        guard kept == Data(digest.value) else { throw BackupError.damaged("its checksum is wrong, so it is incomplete or has changed") }
    }

    private static let unreadable = "its tables cannot be read"

    private static func check(_ db: Database, openedBy master: VaultKey) throws -> (StoreBackup, Keyring, WrappedKeyring) {
        do {
            let backup = try StoreBackup(of: db)
            guard try tables(db) == DatabaseQueue.ofNewStore().read(tables) else { throw BackupError.otherVersion(backup.version) }
            let wrapped = WrappedKeyring(parsing: try Outbox.copyOfKeyring(db) ?? Data())
            guard let keyring = wrapped.opened(by: master)?.keyring else { throw BackupError.wrongKey }
            guard try backup.isProven(by: Vault(keyring), in: db) else {
                throw BackupError.damaged("its time, its station or its version has changed since it was made")
            }
            for look in [Outbox.checkIntegrity, Outbox.checkDerivedTables, Outbox.checkSequences] { try look(db) }
            return (backup, keyring, wrapped)
        } catch let error as BackupError {
            throw error
        } catch OutboxError.damaged(let words) {
            throw BackupError.damaged(words)
        } catch {
            throw BackupError.damaged(Self.unreadable)
        }
    }

    /// The definitions of all tables, indexes and triggers of a store.
    private static func tables(_ db: Database) throws -> [String] {
        try String.fetchAll(
            db, sql: "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema WHERE name <> 'backup' ORDER BY 1")
    }

    private static func change<T>(_ draft: String, _ work: (Database) throws -> T) throws -> T {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(path: draft, configuration: configuration)
        let result: T
        do { result = try queue.writeWithoutTransaction(work) } catch {
            // `try?`: the earlier error is the cause.
            try? queue.close()
            throw error
        }
        try queue.close()
        return result
    }
}

extension DatabaseQueue {
    /// A store without rows, in memory.
    fileprivate static func ofNewStore() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try OutboxSchema.migrator.migrate(queue)
        return queue
    }
}
