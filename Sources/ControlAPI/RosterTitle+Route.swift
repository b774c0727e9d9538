extension RosterTitle {
    /// From the words of a route's name: `fit test`, `deletion`, `new task`, or `move task entry` for another action.
    package init(route: String) {
        if let noun = Self.noun(route) {
            self.init(one: noun, many: noun + "s")
        } else {
            let words = route.replacing("_", with: " ")
            self.init(one: "\(words) entry", many: "\(words) entries")
        }
    }

    private static func noun(_ route: String) -> String? {
        let words = route.split(separator: "_").map(String.init)
        guard let first = words.first, words.count == 1 || first != "delete" else { return words.isEmpty ? nil : "deletion" }
        guard !route.hasSuffix("s"), !route.hasSuffix("y") else { return nil }
        if first == "create", words.count > 1 { return "new " + words.dropFirst().joined(separator: " ") }
        return verbs.contains(first) ? nil : words.joined(separator: " ")
    }

    private static let verbs: Set = [
        "add", "cancel", "change", "clear", "complete", "create", "delete", "edit", "move", "post", "process", "put", "register", "remove",
        "rename", "reopen", "set", "store", "update", "upload",
    ]
}

/// How sentences name the entry, also for a backend without a profile.
extension EntrySummary {
    package var kind: RosterTitle { title ?? RosterTitle(route: route) }
}

extension ReceiptReport {
    package var kind: RosterTitle { title ?? RosterTitle(route: route) }
}

extension CoolingRoute {
    package var kind: RosterTitle { title ?? RosterTitle(route: route) }
}
