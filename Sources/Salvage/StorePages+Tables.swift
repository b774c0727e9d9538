import GRDB
import Outbox

extension StorePages {
    /// The rows of a table in order; nil if a page cannot be read. `limit` is in pages: a damaged tree may have a cycle.
    func rows(below root: Int, limit: Int = 1000) -> [TreePage.Row]? {
        var rows: [TreePage.Row] = []
        var left = [root]
        var seen = 0
        while let number = left.popLast() {
            seen += 1
            guard seen <= limit, number > 0, let bytes = page(number), let page = TreePage(bytes, number: number, of: self) else {
                return nil
            }
            rows += page.rows
            left += page.children.reversed()
        }
        return rows
    }

    /// The applied migrations; empty for a database without tables; nil if unreadable, or if the tables do not match.
    var migrations: [String]? {
        guard let rows = rows(below: 1) else { return nil }
        if rows.isEmpty { return [] }
        let schema = rows.filter { $0.isWhole && $0.values.count == 5 }.map(\.values)
        guard schema.count == rows.count, let table = schema.first(where: { text($0[1]) == "grdb_migrations" }),
            let root = Int.fromDatabaseValue(table[3]), let names = self.rows(below: root)
        else { return nil }
        let migrations = names.compactMap { $0.isWhole && $0.values.count == 1 ? text($0.values[0]) : nil }
        guard !migrations.isEmpty, migrations.count == names.count else { return nil }
        // The tables of a newer version cannot be judged.
        let ours = OutboxSchema.migrator.migrations
        guard Set(migrations).isSubset(of: ours), let last = ours.last(where: migrations.contains) else { return migrations }
        // `try?`: in memory only a bug can fail here, and opening the store reports it.
        guard let expected = last == ours.last ? Self.newest : (try? Self.statements(upTo: last)) else { return migrations }
        return expected == Set(schema.map { "\(text($0[1]) ?? "") \(text($0[4]) ?? "")" }) ? migrations : nil
    }

    /// Made once, because most stores have all migrations.
    private static let newest = OutboxSchema.migrator.migrations.last.flatMap { try? statements(upTo: $0) }

    private static func statements(upTo migration: String) throws -> Set<String> {
        let fresh = try DatabaseQueue()
        try OutboxSchema.migrator.migrate(fresh, upTo: migration)
        return try fresh.read { db in
            Set(try String.fetchAll(db, sql: "SELECT name || ' ' || coalesce(sql, '') FROM sqlite_schema"))
        }
    }

    /// Tables named on any page, if the tree cannot be followed.
    var scatteredMigrations: [String] {
        (1...max(1, min(count, 1000))).flatMap { number -> [String] in
            guard let bytes = page(number), let page = TreePage(bytes, number: number, of: self), page.kind == .leafTable else { return [] }
            return page.rows.compactMap { $0.isWhole && $0.values.count == 1 ? text($0.values[0]) : nil }
        }
    }

    private func text(_ value: DatabaseValue) -> String? { String.fromDatabaseValue(value) }
}
