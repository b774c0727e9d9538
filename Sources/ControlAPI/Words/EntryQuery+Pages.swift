extension EntryQuery {
    /// The entries of this page and all later ones.
    package func allPages(_ fetch: (EntryQuery) async throws(Problem) -> EntryPage) async throws(Problem) -> [EntrySummary] {
        var query = self
        var found: [EntrySummary] = []
        while true {
            let page = try await fetch(query)
            found += page.entries
            guard let next = page.next else { return found }
            query.after = next
        }
    }
}
