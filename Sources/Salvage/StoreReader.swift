import Foundation
import GRDB
import Glibc
import Outbox

/// Reads a store without changing it, even while a daemon uses it.
struct StoreReader {
    let file: String
    /// A daemon is using it.
    let isInUse: Bool

    /// Throws `damaged` if it is not a readable store.
    func read<T>(_ work: (Database) throws -> T) throws -> T {
        guard access(file, R_OK) == 0 || errno == ENOENT else {
            throw OutboxError.storage("\(file) cannot be read: \(String(cString: strerror(errno)))")
        }
        let pages = try StorePages(path: file)
        if !isInUse, let damage = pages.damage { throw OutboxError.damaged(damage) }
        if isInUse || pages.log.count == nil {
            return try read("file:\(Self.escaped(file))?\(isInUse ? "mode=ro" : "immutable=1")", work)
        }
        // SQLite would write beside the log of a killed daemon, so this reads a copy.
        let copy = FileManager.default.temporaryDirectory.path + "/homing-check-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: copy) }  // `try?`: the system cleans up temporary files
        for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: file + suffix, toPath: "\(copy)/store\(suffix)") }
        return try read(copy + "/store", work)
    }

    private func read<T>(_ path: String, _ work: (Database) throws -> T) throws -> T {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        return try DatabaseQueue(path: path, configuration: configuration).read { db in
            if try OutboxSchema.migrator.hasBeenSuperseded(db) { throw OutboxError.tooNew }
            return try work(db)
        }
    }

    private static func escaped(_ path: String) -> String {
        path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
    }
}
