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
        let (stream, continuation) = AsyncStream.makeStream(of: [Event].self)
        let task = Task {
            var cursor = request.since ?? newest
            cursor = await tell(after: cursor, to: continuation)
            if request.follow { for await _ in news { cursor = await tell(after: cursor, to: continuation) } }
            continuation.finish()
        }
        // Unstructured, and ended with the listener: the stream outlives the call that made it.
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Tells everything after `cursor`, a page at a time, and returns the last cursor told.
    private func tell(after cursor: Int64, to listener: AsyncStream<[Event]>.Continuation) async -> Int64 {
        var cursor = cursor
        while !Task.isCancelled {
            // `try?`: a reader that fails ends this stream's page; the listener goes on from its cursor.
            guard let page = try? await outbox.events(since: cursor, limit: 500), let last = page.last else { return cursor }
            listener.yield(page.map(Event.init))
            cursor = last.cursor
        }
        return cursor
    }
}

extension Event {
    init(_ event: SyncEvent) {
        self.init(
            cursor: event.cursor, at: event.at, kind: event.kind.rawValue, backend: event.backend, account: event.account,
            entry: event.entry?.description, detail: event.detail)
    }
}
