import ControlAPI

/// Counts by person and kind: `3 measurements of Anna Example (5) and 1 fit test of Eve Lab (7)`.
enum EntryTally {
    /// Names up to ten groups, in the order of their first entries.
    static func text(_ entries: [EntrySummary]) -> String {
        guard !entries.isEmpty else { return "no entries" }
        var groups: [(key: [String], entries: [EntrySummary])] = []
        for entry in entries {
            let key = [entry.kind.one, entry.subject?.text ?? "", entry.newRow?.id ?? ""]
            if let index = groups.firstIndex(where: { $0.key == key }) {
                groups[index].entries.append(entry)
            } else {
                groups.append((key, [entry]))
            }
        }
        var parts = groups.prefix(shown).map { group -> String in
            let first = group.entries[0]
            if first.newRow != nil { return "the \(first.words)" }
            return first.withRow(Words.count(group.entries.count, first.kind.one, first.kind.many))
        }
        let others = groups.dropFirst(shown).reduce(0) { $0 + $1.entries.count }
        if others > 0 { parts.append(Words.count(others, "other entry", "other entries")) }
        return parts.inWords.printable
    }

    private static let shown = 10
}
