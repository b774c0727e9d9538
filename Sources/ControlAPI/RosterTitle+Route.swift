extension RosterTitle {
    /// For a route without words from a profile: `move task entry`.
    package init(route: String) {
        let words = route.replacing("_", with: " ")
        self.init(one: "\(words) entry", many: "\(words) entries", kind: .entry, word: words)
    }

    /// Words that Homing chose, with the word from the profile or the route in them.
    package init(one: String, many: String, kind: Kind, word: String) {
        self.init(one: one, many: many)
        (self.kind, self.word) = (kind.rawValue, word)
    }
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
