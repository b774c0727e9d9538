import ControlAPI
import Foundation
import SyncModel

/// Makes pages of the daemon's answers.
struct Reading {
    let client: ControlClient
    let desk: Desk

    /// Nil for an unknown path.
    func page(_ visit: Visit) async throws(Problem) -> Page? {
        let query = visit.query.filter { !$0.value.isEmpty }
        switch visit.path {
        case []: return try await overview().page(desk)
        case ["people"]: return try await people(query).page(desk)
        case ["people", "faces"]:
            guard let backend = query["backend"], let user = query["user"] else { return nil }
            return try await faces(backend: backend, user: user).page(desk)
        case ["queue"]: return try await queue(query, state: visit.query["state"]).page(desk)
        case ["delivered"]: return try await delivered(after: number(query["after"])).page(desk)
        case ["figures"]: return try await figures().page(desk)
        case ["accounts"]: return AccountsPage(status: try await status()).page(desk)
        case ["accounts", "sign-in"]:
            let status = try await status()
            return status.backend(query["backend"]).map { AccountsPage.signIn($0, desk) } ?? AccountsPage(status: status).page(desk)
        case ["accounts", "sign-out"]: return try await backend(query["backend"]).map { AccountsPage.signOut($0, desk) }
        case ["file", "discard"]: return query["name"].map { Questions.discard(file: $0, desk) }
        default: break
        }
        guard visit.path.count >= 2, visit.path[0] == "entry" else { return nil }
        let id = visit.path[1]
        switch visit.path.dropFirst(2) {
        case []: return try await entry(id).page(desk)
        case ["fix"]: return try await fix(id, query)
        case ["resolve"]:
            let entry = try await client.call(Endpoints.entry, EntryReference(id: id)).entry
            let why = try await client.call(Endpoints.why, EntryReference(id: id))
            return why.allows(.resolve) ? Questions.delivered(entry, desk) : nil
        case ["discard"]:
            let entry = try await client.call(Endpoints.entry, EntryReference(id: id)).entry
            return Questions.discard(entry, try await discardChoice(entry), desk)
        case ["face"]:
            let exported = try await client.call(Endpoints.export, EntryReference(id: id))
            return FacePage(entry: exported.entry, face: exported.payload.flatMap(Face.init)).page(desk)
        default: return nil
        }
    }

    private func number(_ text: String?) -> Int64? { text.flatMap { Int64($0) }.map { max(0, $0) } }

    private func status() async throws(Problem) -> Status { try await client.call(Endpoints.status, NoInput()) }

    /// The backend of this name, or the only one.
    func backend(_ name: String?) async throws(Problem) -> BackendReport? {
        try await status().backend(name)
    }

    private func overview() async throws(Problem) -> Overview {
        var overview = Overview(status: try await status())
        for backend in overview.status.backends {
            for (state, count) in [(Entry.State.dead, backend.queue.dead), (.held, backend.queue.held)] where count > 0 {
                let entries = try await entries(
                    state, at: backend.name, count: min(count, Overview.shown), where: { !$0.isBeingDiscarded })
                overview.cases += try await explained(entries)
            }
            overview.cases += try await explained(refusedAlone(by: backend))
            overview.discarded += try await entries(
                .held, at: backend.name, count: min(backend.queue.discarding, 500), where: \.isBeingDiscarded)
        }
        overview.delivered = try await newest(Overview.shown)
        return overview
    }

    /// The first ones that fit, oldest first, of at most 10,000 entries.
    private func entries(
        _ state: Entry.State, at backend: String, count: Int, where fits: (EntrySummary) -> Bool
    ) async throws(Problem) -> [EntrySummary] {
        var query = EntryQuery(state: state.rawValue, backend: backend, after: 0, limit: 500)
        var found: [EntrySummary] = []
        for _ in 0..<20 where found.count < count {
            let page = try await client.call(Endpoints.entries, query)
            found += page.entries.filter(fits)
            guard let next = page.next else { break }
            query.after = next
        }
        return Array(found.prefix(count))
    }

    /// Waiting entries of which each is the only one that its route refuses.
    private func refusedAlone(by backend: BackendReport) async throws(Problem) -> [EntrySummary] {
        var found: [EntrySummary] = []
        for id in (backend.coolingRoutes ?? []).compactMap(\.entry) {
            do throws(Problem) {
                found.append(try await client.call(Endpoints.entry, EntryReference(id: id)).entry)
            } catch {
                if error.code != .notFound { throw error }
            }
        }
        return found
    }

    private func explained(_ entries: [EntrySummary]) async throws(Problem) -> [Overview.Case] {
        var cases: [Overview.Case] = []
        for entry in entries {
            do throws(Problem) {
                cases.append(.init(entry: entry, why: try await client.call(Endpoints.why, EntryReference(id: entry.id))))
            } catch {
                // Settled meanwhile.
                if error.code != .notFound { throw error }
            }
        }
        return cases
    }

    /// Newest first.
    private func newest(_ count: Int) async throws(Problem) -> [EntrySummary] {
        let query = EntryQuery(state: Entry.State.delivered.rawValue, limit: count)
        let entries = try await client.call(Endpoints.entries, query).entries
        return entries.sorted { ($0.settledAt ?? $0.acceptedAt) > ($1.settledAt ?? $1.acceptedAt) }
    }

    private func delivered(after: Int64?) async throws(Problem) -> DeliveredPage {
        guard let after else { return DeliveredPage(newest: try await newest(100)) }
        return DeliveredPage(receipts: try await client.call(Endpoints.receipts, ReceiptQuery(after: after)))
    }

    private func figures() async throws(Problem) -> FiguresPage {
        let begin = desk.moment.now.addingTimeInterval(-Double(FiguresPage.length - 1) * FiguresPage.secondsPerDay)
        return FiguresPage(report: try await client.call(Endpoints.stats, StatsQuery(since: begin)))
    }

    private func people(_ query: [String: String]) async throws(Problem) -> PeoplePage {
        do throws(Problem) {
            let lists = try await client.call(Endpoints.rosters, RosterListQuery()).rosters
            let named = lists.first { $0.resource == query["list"] && $0.backend == query["backend"] }
            let usual = lists.first { $0.references?.isEmpty == false } ?? lists.first
            guard let list = named ?? usual else { return PeoplePage(lists: []) }
            let rows = RosterQuery(resource: list.resource, backend: list.backend, find: query["find"], after: query["after"])
            let chosen = try await client.call(Endpoints.roster, rows)
            let lanes = try await client.call(Endpoints.lanes, LaneQuery(limit: PeoplePage.mostLanes)).lanes
            return PeoplePage(lists: lists, chosen: chosen, find: query["find"] ?? "", lanes: lanes)
        } catch {
            guard error.code == .signInRequired else { throw error }
            return PeoplePage(lists: [], problem: error)
        }
    }

    /// - Parameter state: empty for all.
    private func queue(_ query: [String: String], state: String?) async throws(Problem) -> QueuePage {
        let state = state ?? (query["user"] == nil ? Entry.State.pending.rawValue : "")
        let entries = EntryQuery(
            state: state.isEmpty ? nil : state, backend: query["backend"], user: query["user"], after: number(query["after"]) ?? 0)
        var page = QueuePage(query: entries, entries: try await client.call(Endpoints.entries, entries))
        if entries.user == nil { page.lanes = try await client.call(Endpoints.lanes, LaneQuery()).lanes }
        return page
    }

    private func entry(_ id: String) async throws(Problem) -> StoryPage {
        let reference = EntryReference(id: id)
        let detail = try await client.call(Endpoints.entry, reference)
        let why = try await client.call(Endpoints.why, reference)
        var page = StoryPage(detail: detail, why: why)
        if detail.entry.isUndelivered {
            page.needsSignIn = try await status().needsSignIn(at: detail.entry.backend)
        } else {
            page.receipt = try await client.call(Endpoints.receipt, EntryReference(id: detail.entry.id))
        }
        return page
    }

    private func fix(_ id: String, _ query: [String: String]) async throws(Problem) -> Page? {
        let entry = try await client.call(Endpoints.entry, EntryReference(id: id)).entry
        guard let subject = entry.subject, entry.newRow == nil else { return nil }
        let rows = RosterQuery(resource: subject.resource, backend: entry.backend, find: query["find"], after: query["after"])
        let page = try await client.call(Endpoints.roster, rows)
        // The list of another account has other ids.
        guard page.roster.account == entry.account else { return nil }
        return Questions.fix(entry, page, find: query["find"] ?? "", desk)
    }

    func discardChoice(_ entry: EntrySummary) async throws(Problem) -> DiscardChoice {
        try await DiscardChoice([entry], takesDiscarded: false) { create async throws(Problem) in
            let query = EntryQuery(backend: create.backend, user: "@\(create.id)", after: 0, limit: 500)
            return try await query.allPages { page async throws(Problem) in try await client.call(Endpoints.entries, page) }
        }
    }
}

extension Status {
    /// The backend of this name, or the only one.
    func backend(_ name: String?) -> BackendReport? {
        name == nil && backends.count == 1 ? backends[0] : backends.first { $0.name == name }
    }

    /// True if the first page asks for a sign-in.
    func needsSignIn(at backend: String) -> Bool {
        attention.contains { [.signInRequired, .sessionFailing].contains($0.knownCode) && $0.backend == backend }
    }
}
