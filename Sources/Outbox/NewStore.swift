import Files
import GRDB
import Glibc

/// Makes the file of a store.
package enum NewStore {
    /// Makes an empty store. A crash leaves all of it at this path, or nothing.
    static func make(at file: String) throws {
        try write(to: file + ".new") { _ in }
        try DurableFile(path: file + ".new").move(to: file)
    }

    /// Writes one file with the rows of `fill`; durable when it returns. Replaces the rest of an interrupted attempt.
    package static func write(to path: String, _ fill: (Database) throws -> Void) throws {
        for suffix in ["", "-journal"] { unlink(path + suffix) }
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
            try db.execute(sql: "PRAGMA secure_delete = ON")
        }
        try OutboxSchema.migrator.migrate(queue)
        try queue.write(fill)
        try queue.close()
        chmod(path, 0o600)
        try DurableFile(path: path).sync()
    }
}
