import ControlAPI

/// A table of at most `width` columns: columns that do not fit are left out, and the last one shrinks. If that is not enough, the cells of
/// each row are below each other.
struct Table {
    struct Column {
        var title: String
        var isNumber = false
        /// Longer cells are cut.
        var limit = Int.max
        /// The highest is left out first; 0 never.
        var rank = 0
        /// The last column does not shrink further while another one can be left out. A number never shrinks.
        var least = 8
        /// A cut keeps the id behind the name.
        var isSubject = false
    }

    static let width = 100
    /// The width for a file or a program, for which nothing must be cut.
    static let unlimited = Int.max
    let columns: [Column]
    let rows: [[String]]
    var width = Self.width

    func lines(style: TextStyle = .plain) -> [String] {
        let shown = self.shown
        guard shown.reduce(-2, { $0 + $1.width + 2 }) <= width else { return stacked(shown, style) }
        let heading = line(columns.map(\.title), shown)
        return [style.bold(heading)] + rows.map { line($0.map(\.printable), shown) }
    }

    /// The titles of the columns that fit.
    var shownTitles: Set<String> { Set(shown.map { columns[$0.index].title }) }

    private typealias Shown = (index: Int, width: Int)

    private var shown: [Shown] {
        var shown: [Shown] = columns.indices.map { index in
            (index, min(columns[index].limit, rows.reduce(columns[index].title.columns) { max($0, $1[index].columns) }))
        }
        while let last = shown.last {
            let room = width - shown.dropLast().reduce(0) { $0 + $1.width + 2 }
            let column = columns[last.index]
            let least = min(last.width, column.least)
            let doomed = shown.indices.max { columns[shown[$0].index].rank < columns[shown[$1].index].rank }
            if least > room, let doomed, columns[shown[doomed].index].rank > 0 {
                shown.remove(at: doomed)
            } else {
                shown[shown.count - 1].width = min(last.width, max(column.isNumber ? column.least : 8, room))
                break
            }
        }
        return shown
    }

    /// Numbers are broken instead of cut.
    private func stacked(_ shown: [Shown], _ style: TextStyle) -> [String] {
        let heading = shown.map { columns[$0.index].title }.joined(separator: ", ").cut(toColumns: width)
        let stacks = rows.map { row in
            shown.enumerated().flatMap { place, shown -> [String] in
                let (column, cell, indent) = (columns[shown.index], row[shown.index].printable, place == 0 ? "" : "  ")
                let room = width - indent.count
                let lines = column.isNumber ? cell.pieces(ofColumns: room) : [cut(cell, column, room)]
                return lines.filter { !$0.isEmpty }.map { indent + $0 }
            }
        }
        return [style.bold(heading)] + stacks.joined()
    }

    private func cut(_ cell: String, _ column: Column, _ width: Int) -> String {
        column.isSubject ? cell.cutBeforeID(toColumns: width) : cell.cut(toColumns: width)
    }

    private func line(_ cells: [String], _ shown: [Shown]) -> String {
        let padded = shown.map { index, width in
            let cell = cut(cells[index], columns[index], width)
            return columns[index].isNumber
                ? String(repeating: " ", count: width - cell.columns) + cell : cell.padded(toColumns: width)
        }
        return padded.joined(separator: "  ").withoutTrailingSpaces
    }
}
