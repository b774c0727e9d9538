extension YAMLNode {
    /// Sorted dotted paths of different values. Ignores lines, comments and key order.
    func keysDiffering(from other: YAMLNode, under path: String = "") -> [String] {
        guard case .table(let mine) = content, case .table(let theirs) = other.content else { return isEqual(to: other) ? [] : [path] }
        return Set((mine + theirs).map(\.key)).sorted().flatMap { key in
            let path = path.isEmpty ? key : "\(path).\(key)"
            guard let value = member(key), let before = other.member(key) else { return [path] }
            return value.keysDiffering(from: before, under: path)
        }
    }

    private func isEqual(to other: YAMLNode) -> Bool {
        switch (content, other.content) {
        case (.scalar(_, let mine), .scalar(_, let theirs)): mine == theirs
        case (.list(let mine), .list(let theirs)): mine.count == theirs.count && zip(mine, theirs).allSatisfy { $0.isEqual(to: $1) }
        case (.table, .table): keysDiffering(from: other).isEmpty
        default: false
        }
    }
}
