/// Aligned columns with a heading, at most `width` columns wide; the last column shrinks to fit, but not below 8.
struct Table {
    struct Column {
        var title: String
        var isNumber = false
        /// Longer cells are cut.
        var limit = Int.max
    }

    static let width = 100
    let columns: [Column]
    let rows: [[String]]
    var width = Self.width

    func lines(style: TextStyle = .plain) -> [String] {
        let widths = self.widths
        let heading = line(columns.map(\.title), widths)
        return [style.bold(heading)] + rows.map { line($0.map(\.printable), widths) }
    }

    private var widths: [Int] {
        var widths = columns.indices.map { index in
            min(columns[index].limit, rows.reduce(columns[index].title.columns) { max($0, $1[index].columns) })
        }
        let taken = widths.dropLast().reduce(0) { $0 + $1 + 2 }
        let last = widths[widths.count - 1]
        widths[widths.count - 1] = min(last, max(8, width - taken))
        return widths
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        let padded = zip(zip(cells, columns), widths).map { pair, width in
            let cell = pair.0.cut(toColumns: width)
            return pair.1.isNumber ? String(repeating: " ", count: width - cell.columns) + cell : cell.padded(toColumns: width)
        }
        return padded.joined(separator: "  ").withoutTrailingSpaces
    }
}
