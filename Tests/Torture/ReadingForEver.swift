import GRDB

/// Another program with an endless read transaction on the store.
struct ReadingForEver {
    private let queue: DatabaseQueue

    init(_ file: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.allowsUnsafeTransactions = true
        queue = try DatabaseQueue(path: file, configuration: configuration)
        try queue.inDatabase { db in
            try db.execute(sql: "BEGIN")
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM entry")
        }
    }

    func close() throws {
        try queue.inDatabase { try $0.execute(sql: "COMMIT") }
        try queue.close()
    }
}
