import Foundation
import GRDB
import GRDBSQLite
import Glibc

/// A backup of a store whose file is gone. Only the connection that writes has it open for certain: a new one would open another file.
extension Outbox {
    /// The path beside which the copy is made: the store's, or one in the folder `spare` if the store's folder is gone.
    func copyPath(or spare: String?) -> String {
        let folder = (pool.path as NSString).deletingLastPathComponent
        guard access(folder, W_OK) != 0, let spare else { return pool.path }
        return spare + "/" + (pool.path as NSString).lastPathComponent
    }

    /// Copies all pages in steps, and lets others use the connection between them. SQLite applies their changes to the copy too
    /// (https://sqlite.org/c3ref/backup_finish.html).
    func copyInSteps(to copy: Database, unless stop: Stop) throws {
        let backup = try pool.writeWithoutTransaction { db in
            // A closed store has no connection.
            guard let store = db.sqliteConnection, let backup = sqlite3_backup_init(copy.sqliteConnection, "main", store, "main") else {
                throw DatabaseError(resultCode: copy.lastErrorCode, message: copy.lastErrorMessage)
            }
            return backup
        }
        var code = SQLITE_OK
        while code == SQLITE_OK, !stop.isSet {
            code = pool.writeWithoutTransaction { _ in sqlite3_backup_step(backup, Self.pagesPerStep) }
        }
        let end = pool.writeWithoutTransaction { _ in sqlite3_backup_finish(backup) }
        if code == SQLITE_OK { throw CancellationError() }
        let result = code == SQLITE_DONE ? end : code
        guard result == SQLITE_OK else {
            throw DatabaseError(resultCode: ResultCode(rawValue: result), message: "the lost store cannot be copied")
        }
    }
}
