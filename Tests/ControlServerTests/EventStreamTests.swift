import AsyncHTTPClient
import ControlAPI
import ControlServer
import Foundation
import NIOCore
import NIOHTTP1
import Testing

@Suite struct EventStreamTests {
    private static func event(_ cursor: Int64) -> Event {
        Event(
            cursor: cursor, at: FakeService.day, kind: "captured", backend: "breathesafe", account: "1", entry: WireSamples.id,
            detail: ["reason": "line one\nline two"])
    }

    @Test func writesEventsAsLinesUntilTheyEnd() async throws {
        let service = FakeService()
        try await Served.with(service) { served in
            service.continuation.yield([1, 2].map(Self.event))
            service.continuation.yield([])
            service.continuation.yield([Self.event(3)])
            service.continuation.finish()
            let response = try await served.send(.GET, "/v1/events?since=0")
            #expect(response.headers.first(name: "content-type") == "application/x-ndjson")
            let text = String(buffer: try await response.body.collect(upTo: 1 << 20))
            let lines = text.split(separator: "\n")
            #expect(text.hasSuffix("\n"))
            #expect(try lines.map { try JSONCoding.decoder.decode(Event.self, from: Data($0.utf8)) } == [1, 2, 3].map(Self.event))
        }
    }

    @Test func continuesAfterPrunedEvents() async throws {
        let service = FakeService(oldest: 41)
        try await Served.with(service) { served in
            await #expect(throws: Problem.self) { try await served.client.events(EventQuery(since: 3)) { _ in true } }
            service.continuation.yield([Self.event(42)])
            service.continuation.finish()
            var seen: [Int64] = []
            try await served.client.keptEvents(after: 3, follow: false) { event in
                seen.append(event.cursor)
                return true
            }
            #expect(seen == [42])
        }
        #expect(service.calls.map { $0.parameters["since"] } == ["3", "3", "41"])
    }

    @Test func deliversEventsOnOpenStream() async throws {
        let service = FakeService()
        try await Served.with(service) { served in
            service.continuation.yield([Self.event(1)])
            var seen: [Int64] = []
            try await served.client.events(EventQuery(follow: true)) { event in
                seen.append(event.cursor)
                service.continuation.yield([Self.event(event.cursor + 1)])
                return seen.count < 50
            }
            #expect(seen == Array(1...50))
        }
    }

    @Test func sendsEmptyLinesWhileQuiet() async throws {
        let service = FakeService()
        try await Served.with(service, heartbeat: .milliseconds(1)) { served in
            let response = try await served.send(.GET, "/v1/events?follow=true")
            var text = ""
            for try await part in response.body {
                text += String(buffer: part)
                if text.count >= 3 { service.continuation.finish() }
            }
            #expect(text.count >= 3)
            #expect(text.allSatisfy { $0 == "\n" })
        }
    }

    @Test func tellsTheListenerOfEmptyLines() async throws {
        let service = FakeService()
        try await Served.with(service, heartbeat: .milliseconds(1)) { served in
            var beats = 0
            try await served.client.events(EventQuery(follow: true)) { _ in
                false
            } beat: {
                beats += 1
                if beats == 2 { service.continuation.yield([Self.event(1)]) }
            }
            #expect(beats > 2)
        }
    }

    @Test func noticesDisconnectedClientWithoutNewEvents() async throws {
        let service = FakeService()
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        service.continuation.onTermination = { _ in end.finish() }
        try await Served.with(service, heartbeat: .milliseconds(1)) { served in
            service.continuation.yield([Self.event(1)])
            try await served.client.events(EventQuery(follow: true)) { _ in false }
            for await _ in ends {}
        }
    }

    @Test func aShutdownEndsAnOpenStream() async throws {
        let service = FakeService()
        try await Served.with(service) { served in
            service.continuation.yield([Self.event(1)])
            var seen = 0
            // The service never ends its stream.
            try await served.client.events(EventQuery(follow: true)) { _ in
                seen += 1
                await served.shutDown()
                return true
            }
            #expect(seen == 1)
        }
    }
}
