import ControlAPI

extension ControlClient {
    /// Waits for the `count`-th matching event; nil if the daemon ends the stream before.
    @discardableResult
    package func event(
        _ kind: String, since cursor: Int64 = 0, count: Int = 1, where isMeant: (Event) -> Bool = { _ in true }
    ) async throws -> Event? {
        var seen = 0
        var last: Event?
        try await events(EventQuery(since: cursor, follow: true)) { event in
            guard event.kind == kind, isMeant(event) else { return true }
            seen += 1
            if seen == count { last = event }
            return seen < count
        }
        return last
    }
}
