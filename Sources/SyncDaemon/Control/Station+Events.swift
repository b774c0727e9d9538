import ControlAPI
import ControlServer
import Foundation
import Outbox
import SyncModel

extension Station {
    func events(_ request: EventQuery, by peer: Peer) async throws(Problem) -> AsyncStream<[Event]> {
        // Listening begins before the first look, so that nothing falls in between.
        let news = outbox.eventsWritten.listen()
        let newest = try await stored { () throws(OutboxError) in try await outbox.newestCursor() }
        let reader = EventReader(outbox: outbox, news: request.follow ? news : nil, cursor: request.since ?? newest)
        return AsyncStream { await reader.next() }
    }
}

/// Reads on when the listener asks: however slowly it reads, a page of events is all that memory holds for it.
private actor EventReader {
    private let outbox: Outbox
    /// Yields when there may be more; nil to end at the newest.
    private let news: AsyncStream<Void>?
    private var cursor: Int64

    init(outbox: Outbox, news: AsyncStream<Void>?, cursor: Int64) {
        self.outbox = outbox
        self.news = news
        self.cursor = cursor
    }

    /// The next events; nil at the end.
    func next() async -> [Event]? {
        while !Task.isCancelled {
            // `try?`: a read that fails now is tried again with the next news; the listener misses nothing.
            if let page = try? await outbox.events(since: cursor, limit: 500), let last = page.last {
                cursor = last.cursor
                return page.map(Event.init)
            }
            guard await news?.first(where: { _ in true }) != nil else { return nil }
        }
        return nil
    }
}

extension Event {
    init(_ event: SyncEvent) {
        self.init(
            cursor: event.cursor, at: event.at, kind: event.kind.rawValue, backend: event.backend, account: event.account,
            entry: event.entry?.description, detail: event.detail)
    }
}
