import Foundation
import GRDB
import Glibc
import SyncModel
import Vault

/// The marks that distinguish a backup from the store that it copies: an application id, a table with this row, and, after the last page, the
/// SHA-256 of all bytes before (Decisions/Backups.md).
package struct StoreBackup: Sendable, Equatable {
    package let at: Date
    /// The `device-id` of the station.
    package let station: String
    /// The version of Homing that made it.
    package let version: String

    package init(at: Date, station: String, version: String) { (self.at, self.station, self.version) = (at, station, version) }

    /// In the header of the file: `Homg`.
    private static let applicationID = 0x486F_6D67
    /// Bytes of the checksum.
    static let checksumSize = 32

    /// - Parameter header: the first 100 bytes of a file (https://sqlite.org/fileformat.html).
    package static func isBackup(_ header: some Collection<UInt8>) -> Bool {
        header.count >= 100 && header.starts(with: "SQLite format 3\0".utf8) && header.dropFirst(68).prefix(4).elementsEqual("Homg".utf8)
    }

    // MARK: The row

    /// Makes a copy of a store a backup.
    ///
    /// - Parameter vault: of the store; proves the row with a key that never changes, because the data key may change during the copy.
    func write(to copy: Database, by vault: Vault) throws {
        try copy.execute(
            sql: """
                CREATE TABLE backup (
                    id INTEGER PRIMARY KEY CHECK (id = 1),
                    at INTEGER NOT NULL,
                    station TEXT NOT NULL,
                    version TEXT NOT NULL,
                    proof BLOB NOT NULL
                ) STRICT;
                PRAGMA application_id = \(Self.applicationID)
                """)
        try copy.execute(
            sql: "INSERT INTO backup (id, at, station, version, proof) VALUES (1, ?, ?, ?, ?)",
            arguments: [at.ms, station, version, proof(by: vault)])
    }

    /// True if a station with the digest key of `vault` has written the row as it is.
    func isProven(by vault: Vault, in db: Database) throws -> Bool {
        try Data.fetchOne(db, sql: "SELECT proof FROM backup") == proof(by: vault)
    }

    private func proof(by vault: Vault) -> Data { vault.proof(of: "\(at.ms)\n\(version)\n\(station)", for: "backup") }

    /// Makes a backup a store again.
    static func erase(from db: Database) throws { try db.execute(sql: "DROP TABLE backup; PRAGMA application_id = 0") }

    init(of db: Database) throws {
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM backup") else {
            throw BackupError.damaged("its own description is missing")
        }
        self.init(
            at: Date(ms: try row.decode(forColumn: "at")), station: try row.decode(forColumn: "station"),
            version: try row.decode(forColumn: "version"))
    }

    // MARK: Files

    /// A copy that is being made beside a store.
    static func draft(of store: String) -> String { store + ".backup" }

    /// A backup that is being restored beside a store.
    package static func restoredDraft(of store: String) -> String { store + ".restored" }

    /// The id of the station that made the backup, from before its draft becomes the store until the station has taken that id.
    package static func restoredID(of store: String) -> String { store + ".restored-id" }

    /// Removes what an interrupted backup or restore left beside a store.
    static func removeDrafts(of store: String) {
        // First: the id counts once there is no draft.
        if access(restoredDraft(of: store), F_OK) == 0 { unlink(restoredID(of: store)) }
        for draft in [draft(of: store), restoredDraft(of: store)] {
            for suffix in ["", "-journal", "-wal", "-shm"] { unlink(draft + suffix) }
        }
    }

    /// Makes an empty file for its owner alone.
    static func makeDraft(_ path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw OutboxError.storage("\(path) cannot be created: \(String(cString: strerror(errno)))") }
        close(descriptor)
    }
}
