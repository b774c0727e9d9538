import GRDB
import GRDBSQLite

extension Database {
    /// The system's last errors on the files of the store, as errno has them. SQLite's own code tells a used-up quota from a failing disk by
    /// nothing else (https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html, LAST_ERRNO).
    var systemErrors: [Int32] {
        // A connection that is closed has no files.
        guard let sqliteConnection else { return [] }
        var store: UnsafeMutablePointer<sqlite3_file>?
        var log: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &store)
        sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log)
        return [store, log].compactMap { file in
            // A file that is not open has no methods.
            guard let file, let ask = file.pointee.pMethods?.pointee.xFileControl else { return nil }
            var number: Int32 = 0
            return ask(file, SQLITE_FCNTL_LAST_ERRNO, &number) == SQLITE_OK ? number : nil
        }
    }
}
