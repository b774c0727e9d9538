import CSystemLinux
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

    /// Has SQLite leave the log as it is where the last connection closes: only we bring it into the file, and only somebody else removes it.
    func keepLog() throws {
        let code = homing_keep_log(sqliteConnection.map(UnsafeMutableRawPointer.init))
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code), message: "the log cannot be kept") }
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

    /// Has the beginning of the log's index on the disk as it is now; false where that fails. Through SQLite's own mapping: closing another
    /// descriptor of that file would give up SQLite's locks on it (https://sqlite.org/howtocorrupt.html, 2.2).
    func syncLogIndex() -> Bool {
        guard let (file, methods) = file(SQLITE_FCNTL_FILE_POINTER), let map = methods.xShmMap else { return true }
        var region: UnsafeMutableRawPointer?
        guard map(file, 0, Self.logIndexBlock, 0, &region) == SQLITE_OK else { return false }
        return region.map { msync($0, Int(getpagesize()), MS_SYNC) == 0 } ?? true
    }

    /// Bytes that SQLite maps of it together.
    private static let logIndexBlock: Int32 = 32 << 10

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
