import ControlAPI
import ControlServer
import Foundation
import Outbox
import Sessions
import SyncModel

extension ControlHandler {
    /// Batches of events in order. Ends when the daemon stops or, without `follow`, after the last event.
    func events(_ request: EventQuery, by caller: Caller) async throws -> AsyncStream<[Event]> {
        if let named = request.backend { _ = try keeper(named) }
        // Listens before the first read, so that no event is missed.
        let news = outbox.eventsWritten.listen()
        let (oldest, newest) = (try await outbox.oldestCursor(), try await outbox.newestCursor())
        if let since = request.since { try Self.check(since, oldest: oldest, newest: newest) }
        let reader = EventReader(
            outbox: outbox, news: request.follow ? news : nil, cursor: request.since ?? newest, backend: request.backend,
            names: names(for: ObserverView(caller)))
        return AsyncStream { await reader.next() }
    }

    /// Rejects a cursor of pruned or future events, which would otherwise wait in silence.
    static func check(_ since: Int64, oldest: Int64, newest: Int64) throws(Problem) {
        if since > newest {
            var problem = Problem.invalid(
                "The cursor \(since) is in the future: the newest event has the cursor \(newest).",
                next:
                    "The daemon’s state may have been restored from an older backup. Read the current state, and continue from the cursor \(newest). To see the state, run: homing status"
            )
            problem.newest = newest
            throw problem
        }
        if since < oldest {
            throw Problem(
                .eventsPruned, status: 410, title: "Events are no longer kept",
                detail: "The events up to the cursor \(oldest) are no longer kept, so some of those after \(since) are missing.",
                next: "Read the current state, and continue from the cursor \(oldest). To see the state, run: homing status",
                oldest: oldest)
        }
    }
}

/// Reads a page when the listener asks, so that a slow one holds at most one page in memory.
private actor EventReader {
    private let outbox: Outbox
    /// Yields when there may be more; nil to end at the newest.
    private let news: AsyncStream<Void>?
    private var cursor: Int64
    /// Only events of this backend and of the station; nil for all.
    private let backend: String?
    private let names: Names

    init(outbox: Outbox, news: AsyncStream<Void>?, cursor: Int64, backend: String?, names: Names) {
        self.names = names
        self.outbox = outbox
        self.news = news
        self.cursor = cursor
        self.backend = backend
    }

    func next() async -> [Event]? {
        while !Task.isCancelled {
            // `try?`: retried at the next event; no event is missed.
            if let page = try? await outbox.events(since: cursor, limit: 500), let last = page.last {
                cursor = last.cursor
                let meant = page.filter { backend == nil || $0.backend == nil || $0.backend == backend }
                if meant.isEmpty { continue }
                // `try?`: without names, the events still have the ids.
                let subjects = (try? await subjects(of: meant)) ?? [:]
                return meant.map { event in
                    var shown = Event(names.view.event(event))
                    shown.subject = event.entry.flatMap { subjects[$0] }
                    shown.title = title(of: event)
                    return shown
                }
            }
            guard await news?.first(where: { _ in true }) != nil else { return nil }
        }
        return nil
    }

    private func title(of event: SyncEvent) -> RosterTitle? {
        guard let backend = event.backend.flatMap({ names.keepers[$0]?.backend }) else { return nil }
        return event.detail["route"].map { backend.kind(route: $0) }
    }

    /// By entry.
    private func subjects(of events: [SyncEvent]) async throws(OutboxError) -> [MutationID: SubjectReport] {
        let records = try await outbox.subjects(of: events.compactMap(\.entry))
        let subjects = Dictionary(
            uniqueKeysWithValues: records.map { id, record in
                (id, Subject(record.destination, route: record.route, record.subject, of: id, creates: record.creates))
            })
        let reports = try await names.reports(Array(subjects.values))
        return subjects.compactMapValues { subject in subject.flatMap { reports[$0] } }
    }
}

extension Event {
    init(_ event: SyncEvent) {
        self.init(
            cursor: event.cursor, at: event.at, kind: event.kind.rawValue, backend: event.backend, account: event.account?.rawValue,
            entry: event.entry?.description, detail: event.detail)
    }
}
