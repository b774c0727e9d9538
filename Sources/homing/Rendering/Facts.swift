import ControlAPI

/// Labelled facts with aligned labels; long values are wrapped, or below their labels where there is little room.
struct Facts {
    private var rows: [(label: String, value: String)] = []

    /// Adds a fact, unless its value is nil or empty.
    mutating func add(_ label: String, _ value: String?) {
        if let value, !value.isEmpty { rows.append((label, value.printable)) }
    }

    /// The lines, at most `width` columns wide, except for a longer word.
    func lines(indent: Int = 0, width: Int = Table.width) -> [String] {
        let labels = rows.reduce(0) { max($0, $1.label.columns) } + 2
        let margin = String(repeating: " ", count: indent)
        guard width - indent - labels >= Self.leastRoom else {
            return rows.flatMap { row in
                [margin + row.label] + row.value.wrapped(toColumns: width - indent - 2).map { "\(margin)  \($0)" }
            }
        }
        return rows.flatMap { row in
            row.value.wrapped(toColumns: width - indent - labels).enumerated().map { index, part in
                margin + (index == 0 ? row.label : "").padded(toColumns: labels) + part
            }
        }
    }

    /// For a value beside its label.
    private static let leastRoom = 30
}
