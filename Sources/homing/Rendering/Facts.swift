/// Labelled facts, one per line, with aligned labels; long values are wrapped.
struct Facts {
    private var rows: [(label: String, value: String)] = []

    /// Adds a fact, unless its value is nil or empty.
    mutating func add(_ label: String, _ value: String?) {
        if let value, !value.isEmpty { rows.append((label, value.printable)) }
    }

    func lines(indent: Int = 0) -> [String] {
        let width = rows.reduce(0) { max($0, $1.label.columns) } + 2
        let margin = String(repeating: " ", count: indent)
        return rows.flatMap { row in
            row.value.wrapped(toColumns: Table.width - indent - width).enumerated().map { index, part in
                margin + (index == 0 ? row.label : "").padded(toColumns: width) + part
            }
        }
    }
}
