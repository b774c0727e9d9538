import GRDB

extension StorePages {
    /// The rows of the tree that begins at page `root`, in order; nil where a page of it cannot be read.
    ///
    /// - Parameter limit: pages, for a tree that is damaged may run in a circle.
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

    /// The names of the migrations that the store has seen; nil where they cannot be read, or where its tables are not those that the
    /// migrations make; none in a database without any table.
    var migrations: [String]? {
        guard let rows = rows(below: 1) else { return nil }
        if rows.isEmpty { return [] }
        let schema = rows.filter { $0.isWhole && $0.values.count == 5 }.map(\.values)
        guard schema.count == rows.count, let table = schema.first(where: { text($0[1]) == "grdb_migrations" }),
            let root = Int.fromDatabaseValue(table[3]), let names = self.rows(below: root)
        else { return nil }
        let migrations = names.compactMap { $0.isWhole && $0.values.count == 1 ? text($0.values[0]) : nil }
        guard !migrations.isEmpty, migrations.count == names.count else { return nil }
        // A newer version's tables are not ours to judge.
        let ours = OutboxSchema.migrator.migrations
        guard Set(migrations).isSubset(of: ours), let last = ours.last(where: migrations.contains) else { return migrations }
        // `try?`: in memory nothing but a mistake of ours can fail, and the store's own opening will tell of that.
        guard let expected = try? Self.statements(upTo: last) else { return migrations }
        return expected == Set(schema.map { "\(text($0[1]) ?? "") \(text($0[4]) ?? "")" }) ? migrations : nil
    }

    /// Every table, index and trigger as a fresh store has it: its name, and the statement that makes it.
    private static func statements(upTo migration: String) throws -> Set<String> {
        let fresh = try DatabaseQueue()
        try OutboxSchema.migrator.migrate(fresh, upTo: migration)
        return try fresh.read { db in
            Set(try String.fetchAll(db, sql: "SELECT name || ' ' || coalesce(sql, '') FROM sqlite_schema"))
        }
    }

    /// The migrations that any page tells of, where the tree cannot be followed.
    var scatteredMigrations: [String] {
        (1...max(1, min(count, 1000))).flatMap { number -> [String] in
            guard let bytes = page(number), let page = TreePage(bytes, number: number, of: self), page.kind == .leafTable else { return [] }
            return page.rows.compactMap { $0.isWhole && $0.values.count == 1 ? text($0.values[0]) : nil }
        }
    }

    private func text(_ value: DatabaseValue) -> String? { String.fromDatabaseValue(value) }
}
