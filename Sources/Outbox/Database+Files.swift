import GRDB
import GRDBSQLite
import Glibc

/// The files of the store as SQLite has opened them (https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html).
extension Database {
    /// The system's last errors on the files of the store, as errno has them. SQLite's own code tells a used-up quota from a failing disk by
    /// nothing else (LAST_ERRNO).
    var systemErrors: [Int32] {
        [SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER].compactMap { which in
            guard let (file, methods) = file(which), let ask = methods.xFileControl else { return nil }
            var number: Int32 = 0
            return ask(file, SQLITE_FCNTL_LAST_ERRNO, &number) == SQLITE_OK ? number : nil
        }
    }

    /// Whether a write failed because of a quota, which SQLite takes for a disk that fails.
    func isOverQuota(_ error: any Error) -> Bool {
        (error as? DatabaseError).map { OutboxError.isOverQuota($0.extendedResultCode, systemErrors) } == true
    }

    /// Has what is in the write-ahead log on the disk: also what a killed process left there, and what was written under less than
    /// `synchronous = FULL`.
    func syncLog() throws {
        guard let (file, methods) = file(SQLITE_FCNTL_JOURNAL_POINTER), let sync = methods.xSync else {
            throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "the log is not open")
        }
        let code = sync(file, SQLITE_SYNC_NORMAL)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code), message: "the log cannot be synced") }
    }

    /// Has the index of the log on the disk as it is now; false where that fails.
    func syncLogIndex() throws -> Bool {
        guard let path = try String.fetchOne(self, sql: "SELECT file FROM pragma_database_list WHERE name = 'main'") else { return false }
        let descriptor = open(path + "-shm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == ENOENT }
        defer { close(descriptor) }
        return fsync(descriptor) == 0
    }

    /// Nil where it is not open.
    private func file(_ which: Int32) -> (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods)? {
        // A connection that is closed has no files.
        guard let sqliteConnection else { return nil }
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(sqliteConnection, "main", which, &file)
        guard let file, let methods = file.pointee.pMethods?.pointee else { return nil }
        return (file, methods)
    }
}
