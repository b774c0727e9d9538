import ControlAPI
import SyncModel

extension Reading {
    /// The undelivered captures of one person at one backend. The daemon records that each of them was read.
    func faces(backend: String, user: String) async throws(Problem) -> FacesPage {
        let query = EntryQuery(backend: backend, user: user)
        let (found, unread, isLeast) = try await undelivered(query)
        let first = found.first
        // The list of another account has other ids.
        let own = found.filter { $0.account == first?.account && $0.subject?.resource == first?.subject?.resource }
        var captures: [FaceOverlay.Capture] = []
        var faceless: [String: Int] = [:]
        var (read, left) = (0, found.count - own.count)
        for entry in own {
            // Fit tests and the like have payloads too.
            if faceless[entry.route, default: 0] == 3 { continue }
            guard captures.count < FaceOverlay.most, read < 2 * FaceOverlay.most else {
                left += 1
                continue
            }
            read += 1
            if let face = try await face(of: entry) {
                captures.append(.init(entry: entry, face: face))
                faceless[entry.route] = 0
            } else {
                faceless[entry.route, default: 0] += 1
            }
        }
        return FacesPage(
            person: first?.subject.map(desk.words.name) ?? user, back: query, overlay: FaceOverlay(captures: captures),
            left: left, unread: unread, unreadIsLeast: isLeast)
    }

    /// Entries with a payload that can be read, captured last first: at most the newest 100 of each state.
    private func undelivered(
        _ query: EntryQuery
    ) async throws(Problem) -> (entries: [EntrySummary], unread: Int, unreadIsLeast: Bool) {
        var (found, unread, isLeast): ([EntrySummary], Int, Bool) = ([], 0, false)
        for state in [Entry.State.pending, .inflight, .held, .dead] {
            var query = query
            query.state = state.rawValue
            let page = try await client.call(Endpoints.entries, query)
            found += page.entries
            unread += max(0, page.total - page.entries.count)
            isLeast = isLeast || page.totalIsLeast == true
        }
        let readable = found.filter { $0.size > 0 && !$0.isBeingDiscarded && $0.holdReason != HoldReason.unreadable.rawValue }
        return (readable.sorted { ($0.capturedAt, $0.sequence) > ($1.capturedAt, $1.sequence) }, unread, isLeast)
    }

    /// Nil if it has none, or was settled meanwhile.
    private func face(of entry: EntrySummary) async throws(Problem) -> Face? {
        do throws(Problem) {
            return try await client.call(Endpoints.export, EntryReference(id: entry.id)).payload.flatMap(Face.init)
        } catch {
            guard [.notFound, .wrongState].contains(error.code) else { throw error }
            return nil
        }
    }
}
