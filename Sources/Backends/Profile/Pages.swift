import JSON

/// How a list is split into pages, from page 1.
package struct Pages: Sendable {
    /// Query parameters.
    package let page, perPage: String
    /// The number of rows in the whole list.
    package let total: JSONPointer

    package static let mostPages = 1000
    /// The requested number of rows; a server may send fewer.
    private static let rowsOfAPage = 100

    package enum Step: Hashable, Sendable {
        case more
        case end
        /// An empty page before the end, or an endless list.
        case inconclusive
    }

    /// - Parameter seen: rows on earlier pages.
    package func step(page: Int, rows: Int, seen: Int, total: Int) -> Step {
        if seen + rows >= total { return .end }
        return rows == 0 || page >= Self.mostPages ? .inconclusive : .more
    }

    package func added(to url: String, page number: Int) -> String {
        "\(url)\(url.contains("?") ? "&" : "?")\(page)=\(number)&\(perPage)=\(Self.rowsOfAPage)"
    }

    /// Nil without a usable total.
    func totalRows(in response: InboundResponse) -> Int? {
        response.json?.root.element(at: total)?.whole.flatMap { $0 >= 0 ? Int(exactly: $0) : nil }
    }
}

extension Pages {
    init?(_ table: StrictTable) {
        defer { table.close() }
        func name(_ key: String) -> String? {
            let name = table.text(key)
            if name?.isEmpty == true { table.reject(key, expected: "a name") }
            return name
        }
        let (page, perPage, total) = (name("page"), name("per_page"), table.pointer("total"))
        guard let page, let perPage, let total else { return nil }
        self.init(page: page, perPage: perPage, total: total)
    }
}
