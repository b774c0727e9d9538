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

    /// The names of the migrations that the store has seen; nil where they cannot be read, none in a database without any table.
    var migrations: [String]? {
        guard let schema = rows(below: 1) else { return nil }
        if schema.isEmpty { return [] }
        let tables = schema.filter { $0.isWhole && $0.values.count == 5 && text($0.values[0]) == "table" }
        guard let table = tables.first(where: { text($0.values[1]) == "grdb_migrations" }),
            let root = Int.fromDatabaseValue(table.values[3]),
            let rows = rows(below: root)
        else { return nil }
        let names = rows.compactMap { $0.isWhole && $0.values.count == 1 ? text($0.values[0]) : nil }
        return names.isEmpty || names.count != rows.count ? nil : names
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
