import SyncModel

/// Which creates may have made a row: those whose send had begun, and whose outcome was open, when the row was first listed. Recorded with the row,
/// so no clock decides which was first (Decisions/ShownByTheList.md).
struct RowMakers: Sendable {
    /// Stands for the list: its makers were sent before a complete one was stored.
    static let list = RosterID("")

    /// Creates whose outcome is open, by sequence.
    private let open: [Int64]
    /// The makers of each row that was listed before.
    private let earlier: [RosterID: [Int64]]

    /// - Parameter pages: of the stored list; empty if there is none.
    init(pages: [CachedPage], isComplete: Bool, open: [Int64]) {
        self.open = open
        var earlier: [RosterID: [Int64]] = [:]
        if !open.isEmpty {
            if isComplete { earlier[Self.list] = [] }
            for page in pages {
                for row in page.rows { earlier[row.id] = [] }
                earlier.merge(page.makers) { $1 }
            }
            if !isComplete { earlier[Self.list] = nil }
        }
        self.earlier = earlier
    }

    /// For the next read: the makers of these rows that are still open, and in the first page those of the list.
    func makers(of rows: [RosterRow], isFirst: Bool) -> [RosterID: [Int64]] {
        if open.isEmpty { return [:] }
        var makers: [RosterID: [Int64]] = [:]
        for id in rows.map(\.id) + (isFirst ? [Self.list] : []) {
            let sequences = earlier[id]?.filter(open.contains) ?? open
            if !sequences.isEmpty { makers[id] = sequences }
        }
        return makers
    }
}
