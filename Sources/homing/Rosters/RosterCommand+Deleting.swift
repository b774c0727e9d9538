import ControlAPI

extension RosterCommand {
    /// Names the row and counts its undelivered entries, then asks.
    func confirmDeletion(of id: String, by route: String, _ roster: RosterReport, _ context: Context) async throws {
        let confirmation = Confirmation(console: context.console, skipped: yes)
        guard try confirmation.isNeeded else { return }
        let text = DeletionText(roster: roster, id: id, row: try await listed(id, roster, context))
        let others = try await context.entries(EntryQuery(backend: roster.backend, user: id, after: 0, limit: 500))
            // A row of another list may have the same id.
            .filter { $0.isUndelivered && $0.route != route && $0.subject?.resource == roster.resource }
        try confirmation.ask(text.before(others), "Type the word ‘delete’ to continue: ") { $0 == "delete" }
    }

    private func listed(_ id: String, _ roster: RosterReport, _ context: Context) async throws(Problem) -> ControlAPI.RosterRow? {
        var query = RosterQuery(resource: roster.resource, backend: roster.backend, limit: 100)
        query.ids = [id]
        return try await context.client.call(Endpoints.roster, query).rows.first { $0.id == id }
    }
}
