import ControlAPI

extension Context {
    /// Changes an entry. If it is refused because another entry replaced this one, the error names that entry.
    func namingSuccessor(
        of id: String, _ change: () async throws(Problem) -> EntrySummary
    ) async throws(Problem) -> EntrySummary {
        do throws(Problem) {
            return try await change()
        } catch {
            // `try?`: the refusal itself is reported.
            guard error.code == .wrongState, error.supersededBy == nil,
                let entry = try? await client.call(Endpoints.entry, EntryReference(id: id)).entry
            else { throw error }
            throw error.naming(successorOf: entry)
        }
    }
}

extension Problem {
    /// The refusal of a change, with the entry that replaced `entry`; unchanged if none did.
    func naming(successorOf entry: EntrySummary) -> Problem {
        guard let new = entry.supersededBy else { return self }
        var problem = stating(.corrected) { $0.entry = new }
        problem.supersededBy = new
        problem.detail = "Entry \(entry.id) was corrected: entry \(new) replaced it. Nothing was changed."
        problem.next = "To see the state of the new entry and the next step, run: homing why \(new)"
        return problem
    }
}
