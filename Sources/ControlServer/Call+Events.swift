import AsyncAlgorithms
import ControlAPI
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

extension Call {
    /// Sends batches of events as lines. The stream ends when the daemon stops or, without `follow`, after the last event.
    package static func events(_ work: @escaping @Sendable (EventQuery, Caller) async throws -> AsyncStream<[Event]>) -> Call {
        Call(
            Endpoints.events,
            respond: { request, context, doorkeeper in
                let events = try await doorkeeper.admit(Endpoints.events, request, context) { query, caller in
                    try await work(query, caller).cancelOnGracefulShutdown()
                }
                // Both sequences are pulled, so nothing queues for a listener that does not read.
                let ticks = AsyncTimerSequence(interval: doorkeeper.limits.heartbeat, clock: .continuous).map { _ in [Event]?.some([]) }
                let batches = chain(events.map { [Event]?.some($0) }, [[Event]?.none].async)
                return Response(
                    status: .ok, headers: [.contentType: "application/x-ndjson"],
                    body: ResponseBody { writer in
                        for await batch in merge(batches, ticks) {
                            guard let batch else { break }
                            try await writer.write(Self.lines(batch))
                        }
                        try await writer.finish(nil)
                    })
            })
    }

    /// One line per event, or one empty line.
    private static func lines(_ events: [Event]) -> ByteBuffer {
        var lines = ByteBuffer()
        for event in events {
            lines.writeBytes(JSONCoding.encoded(event))
            lines.writeString("\n")
        }
        if events.isEmpty { lines.writeString("\n") }
        return lines
    }
}
