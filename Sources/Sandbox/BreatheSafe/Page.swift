struct Page {
    /// From 1; lower page numbers give an empty page.
    let number: Int
    /// At most 100; sizes below 1 give an empty page.
    let size: Int

    private static let largest = 100

    /// - Parameter usual: the page size if the request does not set it.
    init(of visit: BreatheSafeVisit, usually usual: Int) {
        func asked(_ name: String, _ usual: Int) -> Int { visit.parameters[name].map(\.rowID) ?? usual }
        number = min(1_000_000, asked("page", 1))
        size = min(Self.largest, asked("per_page", usual))
    }

    func rows<Row>(of rows: [Row]) -> ArraySlice<Row> {
        guard number > 0, size > 0 else { return [] }
        return rows.dropFirst((number - 1) * size).prefix(size)
    }
}
