/// A page of a list, as a client asks for it.
struct Page {
    /// From 1; a page before the first is empty.
    let number: Int
    /// At most 100; a page of no rows, or of fewer, is empty.
    let size: Int

    private static let largest = 100

    /// - Parameter usual: how many rows a page has where the client does not say.
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
