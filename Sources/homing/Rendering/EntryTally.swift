import ControlAPI

/// Entries by person and kind, for sentences: `3 measurements of Anna Example (5) and 1 fit test of Eve Lab (7)`, or `the new person Anna Example`.
enum EntryTally {
    /// Names up to ten groups, in the order of their first entries.
    ///
    /// - Parameter link: before the person.
    static func text(_ entries: [EntrySummary], link: String = "of") -> String {
        guard !entries.isEmpty else { return "no entries" }
        var groups: [(key: [String], entries: [EntrySummary])] = []
        for entry in entries {
            let key = [entry.route, entry.subject?.text ?? "", entry.newRow?.id ?? ""]
            if let index = groups.firstIndex(where: { $0.key == key }) {
                groups[index].entries.append(entry)
            } else {
                groups.append((key, [entry]))
            }
        }
        var parts = groups.prefix(shown).map { group -> String in
            if let row = group.entries[0].newRow { return "the new \(row.title ?? "row") \(row.label ?? row.text)" }
            return kind(group.key[0], group.entries.count) + (group.key[1].isEmpty ? "" : " \(link) \(group.key[1])")
        }
        let others = groups.dropFirst(shown).reduce(0) { $0 + $1.entries.count }
        if others > 0 { parts.append(Words.count(others, "other entry", "other entries")) }
        return parts.inWords.printable
    }

    /// `1 fit test`, `2 deletions`, `3 new tasks`, or `2 move task entries` for a route that names another action.
    static func kind(_ route: String, _ count: Int) -> String {
        let words = route.replacing("_", with: " ")
        guard let noun = noun(route) else { return Words.count(count, "\(words) entry", "\(words) entries") }
        return Words.count(count, noun, noun + "s")
    }

    /// `fit test`, `deletion`, `new task`; `entry` for a route that names another action.
    static func kind(_ route: String) -> String { noun(route) ?? "entry" }

    private static func noun(_ route: String) -> String? {
        let words = route.split(separator: "_").map(String.init)
        guard let first = words.first, words.count == 1 || first != "delete" else { return words.isEmpty ? nil : "deletion" }
        guard !route.hasSuffix("s"), !route.hasSuffix("y") else { return nil }
        if first == "create", words.count > 1 { return "new " + words.dropFirst().joined(separator: " ") }
        return verbs.contains(first) ? nil : words.joined(separator: " ")
    }

    private static let shown = 10
    private static let verbs: Set = [
        "add", "cancel", "change", "clear", "complete", "create", "delete", "edit", "move", "post", "process", "put", "register", "remove",
        "rename", "set", "store", "update", "upload",
    ]
}
