import Files
import GRDB
import Glibc

/// Makes the file of a store.
package enum NewStore {
    /// An empty store. A crash leaves either none or all of it at this path.
    static func make(at file: String) throws {
        try write(to: file + ".new") { _ in }
        try DurableFile(path: file + ".new").move(to: file)
    }

    /// A store with the rows of `fill`: one file, on the disk when this returns. Replaces what an interrupted attempt left at this path.
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
