extension ControlClient {
    /// Reads the events like `events`, but starts at the oldest kept event if later ones were pruned.
    public func keptEvents(after cursor: Int64, follow: Bool, backend: String? = nil, _ each: (Event) async throws -> Bool) async throws {
        do {
            try await events(EventQuery(since: cursor, follow: follow, backend: backend), each)
        } catch let problem as Problem {
            guard problem.code == .eventsPruned, let oldest = problem.oldest else { throw problem }
            try await events(EventQuery(since: oldest, follow: follow, backend: backend), each)
        }
    }
}
