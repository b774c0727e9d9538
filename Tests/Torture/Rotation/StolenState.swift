import Foundation
import GRDB
import Outbox
import TestSupport
import Vault

/// A copy of a state directory, as a thief has it. The daemon must be stopped, or its store must be idle.
struct StolenState: Sendable {
    let path: String

    init(copying state: String, to path: String) throws {
        self.path = path
        try FileManager.default.copyItem(atPath: state, toPath: path)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(path)/homing.key")
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }
    func content(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: file(name))) }

    /// All files, also those of SQLite, with their free pages.
    private var files: [(name: String, content: Data)] {
        get throws {
            var files: [(name: String, content: Data)] = []
            for name in try FileManager.default.subpathsOfDirectory(atPath: path).sorted() {
                // `try?`: a folder or a socket.
                guard let bytes = try? content(name), bytes != Data(count: bytes.count) else { continue }
                files.append((name, bytes))
            }
            return files
        }
    }

    // MARK: Rows

    private func read<T>(_ work: (Database) throws -> T) throws -> T {
        let queue = try DatabaseQueue(path: file("outbox.sqlite"))
        defer { try? queue.close() }  // `try?`: it was only read
        return try queue.read(work)
    }

    /// The sealed data of all tables that have a column of this name.
    func sealedRows() throws -> [Data] {
        try read { db in
            let tables = try String.fetchAll(
                db,
                sql: """
                    SELECT t.name FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c ON c.name = 'sealed' WHERE t.type = 'table'
                    """)
            return try tables.flatMap { try Data.fetchAll(db, sql: "SELECT sealed FROM \($0)") }
        }
    }

    func contents() throws -> [(sequence: Int64, sealed: Data)] {
        try read { db in
            try Row.fetchAll(db, sql: "SELECT sequence, sealed FROM content ORDER BY sequence").map { row in
                (sequence: row["sequence"] as Int64, sealed: row["sealed"] as Data)
            }
        }
    }

    /// How many rows the current data key of a vault has sealed, another key of it, and none.
    func rows(openedBy vault: Vault) async throws -> (current: Int, earlier: Int, none: Int) {
        // Another copy, because rows that an earlier key opens are sealed again.
        let copy = try StolenState(copying: path, to: "\(path)-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(atPath: copy.path) }  // `try?`: the station's folder is removed anyway
        let count = try sealedRows().count
        // `try?`: there may be none. The marker is about the store of the station.
        try? FileManager.default.removeItem(atPath: copy.file("outbox.sqlite.use"))
        let outbox = try Outbox(file: copy.file("outbox.sqlite"), vault: vault, crashed: false, now: Date())
        let pass = try await outbox.reseal()
        try outbox.close()
        let none = pass.unreadable.values.reduce(0, +)
        return (count - pass.rows - none, pass.rows, none)
    }

    // MARK: Bytes

    /// The names of the files that hold a part of one of these rows.
    func remains(of rows: [Data]) throws -> [String] {
        // Parts, because a long row is on several pages.
        let parts = rows.flatMap { row in stride(from: 0, to: row.count - 27, by: 997).map { Data(row.dropFirst($0).prefix(28)) } }
        return try files.filter { file in parts.contains { file.content.holds($0) } }.map { $0.name }
    }

    /// The names of the files with a keyring that one of these master keys opens, wherever it is in the file.
    func keyrings(openedBy masters: [VaultKey]) throws -> [String] {
        try files.filter { file in
            Self.wrappings(in: file.content).contains { found in
                let wrapped = WrappedKeyring(parsing: found)
                return masters.contains { wrapped.opened(by: $0) != nil }
            }
        }.map { $0.name }
    }

    /// Everything that may be a wrapping, each in the form of a file of its own: the number, the length, the sealed keyring, and 32 bytes.
    private static func wrappings(in content: Data) -> [Data] {
        let bytes = [UInt8](content)
        guard bytes.count > 10 else { return [] }
        func number(before place: Int) -> [UInt8]? {
            guard place >= 8 else { return nil }
            let number = Array(bytes[place - 8..<place])
            // Far more changes than a campaign makes.
            return number.prefix(6).allSatisfy { $0 == 0 } ? number : nil
        }
        var found: [Data] = []
        for place in 8..<bytes.count - 2 where bytes[place] < 16 {
            let length = Int(bytes[place]) << 8 | Int(bytes[place + 1])
            // The time, at least two keys, and what AES-GCM adds.
            guard length >= 100, (length - 36).isMultiple(of: 32), place + 2 + length <= bytes.count else { continue }
            // The second wrapping comes after a first one of the same length.
            for number in [number(before: place), number(before: place - 2 - length)].compactMap(\.self) {
                found.append(Data(number + bytes[place..<place + 2 + length]) + Data(count: 32))
            }
        }
        return found
    }
}
