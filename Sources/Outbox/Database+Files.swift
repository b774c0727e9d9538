import CSystemLinux
import GRDB
import GRDBSQLite
import Glibc

/// The store's files as SQLite has opened them (https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html).
extension Database {
    /// The last errno of each file, which distinguishes a quota from a failing disk.
    var systemErrors: [Int32] {
        [SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER].compactMap { which in
            guard let (file, methods) = file(which), let ask = methods.xFileControl else { return nil }
            var number: Int32 = 0
            return ask(file, SQLITE_FCNTL_LAST_ERRNO, &number) == SQLITE_OK ? number : nil
        }
    }

    /// True if a write failed on a full disk. SQLite reports a quota as an I/O error.
    func isFull(_ error: any Error) -> Bool {
        let isOverQuota = (error as? DatabaseError).map { OutboxError.isOverQuota($0.extendedResultCode, systemErrors) } == true
        return isOverQuota || OutboxError(error) == .full
    }

    /// Keeps the log when the last connection closes, so that a missing log means a loss.
    func keepLog() throws {
        let code = homing_keep_log(sqliteConnection.map(UnsafeMutableRawPointer.init))
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code), message: "the log cannot be kept") }
    }

    /// Syncs the log, with frames written with less than `synchronous = FULL`.
    func syncLog() throws {
        guard let (file, methods) = file(SQLITE_FCNTL_JOURNAL_POINTER), let sync = methods.xSync else {
            throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "the log is not open")
        }
        let code = sync(file, SQLITE_SYNC_NORMAL)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code), message: "the log cannot be synced") }
    }

    /// Syncs the index through SQLite's mapping: closing another descriptor of the file would release SQLite's locks
    /// (https://sqlite.org/howtocorrupt.html, 2.2). False on failure.
    func syncLogIndex() -> Bool {
        guard let (file, methods) = file(SQLITE_FCNTL_FILE_POINTER), let map = methods.xShmMap else { return true }
        var region: UnsafeMutableRawPointer?
        guard map(file, 0, Self.logIndexBlock, 0, &region) == SQLITE_OK else { return false }
        return region.map { msync($0, Int(getpagesize()), MS_SYNC) == 0 } ?? true
    }

    /// Bytes that SQLite maps at a time.
    private static let logIndexBlock: Int32 = 32 << 10

    private func file(_ which: Int32) -> (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods)? {
        // A closed connection has no files.
        guard let sqliteConnection else { return nil }
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(sqliteConnection, "main", which, &file)
        guard let file, let methods = file.pointee.pMethods?.pointee else { return nil }
        return (file, methods)
    }
}
