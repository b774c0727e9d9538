import ControlAPI
import Foundation
import Synchronization
import Testing

@testable import homing

@Suite struct WatchTests {
    private final class Fake: Sendable {
        private let state = Mutex<(isUp: Bool, looks: Int, shown: [WatchView])>((true, 0, []))
        let told: AsyncStream<Event>
        let tell: AsyncStream<Event>.Continuation
        let pictures: AsyncStream<WatchView>
        private let show: AsyncStream<WatchView>.Continuation
        /// The cursors of the events that the watch has taken.
        let taken: AsyncStream<Int64>
        private let take: AsyncStream<Int64>.Continuation
        /// Each element ends a pause after a picture.
        private let redraws: AsyncStream<Void>
        let redraw: AsyncStream<Void>.Continuation
        /// Each element ends a pause before a connection.
        private let connections: AsyncStream<Void>
        let connect: AsyncStream<Void>.Continuation

        init() {
            (told, tell) = AsyncStream.makeStream()
            (pictures, show) = AsyncStream.makeStream()
            (taken, take) = AsyncStream.makeStream()
            (redraws, redraw) = AsyncStream.makeStream()
            (connections, connect) = AsyncStream.makeStream()
        }

        var looks: Int { state.withLock { $0.looks } }
        func set(up: Bool) { state.withLock { $0.isUp = up } }

        /// A `stopped` event ends the stream, like a restart.
        var watch: Watch {
            Watch(
                look: { () async throws(Problem) in
                    let (isUp, looks) = self.state.withLock { state in
                        state.looks += 1
                        return (state.isUp, state.looks)
                    }
                    guard isUp else { throw Problem(.daemonNotRunning, status: 503, title: "", detail: "Gone.") }
                    return (Sample.status("look \(looks)", cursor: 0), [])
                },
                events: { _, each in
                    for await event in self.told {
                        if event.kind == "stopped" { return }
                        guard try await each(event) else { return }
                        self.take.yield(event.cursor)
                    }
                }, show: { self.show.yield($0) }, pause: { try await self.pause($0) })
        }

        private func pause(_ duration: Duration) async throws {
            // No test needs ticks.
            if duration == Watch.tick { return try await Task.sleep(for: .seconds(86_400)) }
            let ends = duration == Watch.pace ? redraws : connections
            for await _ in ends { return }
            throw CancellationError()
        }

        /// The next picture that is meant; nil, and an issue, if the watch shows no more.
        @discardableResult func picture(where isMeant: (WatchView) -> Bool) async -> WatchView? {
            for await view in pictures where isMeant(view) { return view }
            Issue.record("the watch ended before it showed the picture")
            return nil
        }
    }

    @Test func showsEventsAndReconnectsToDaemon() async {
        let fake = Fake()
        for _ in 1...10 { fake.redraw.yield() }
        let (commands, command) = AsyncStream.makeStream(of: Watch.Command.self)
        async let run: Void = fake.watch.run(commands: commands)
        await fake.picture { $0.status != nil }
        fake.tell.yield(Sample.event(8))
        await fake.picture { $0.delivered.count == 1 }
        fake.set(up: false)
        fake.tell.yield(Sample.event(9, "stopped"))
        fake.connect.yield()
        await fake.picture { $0.problem?.code == .daemonNotRunning }
        fake.set(up: true)
        fake.connect.yield()
        await fake.picture { $0.problem == nil && $0.delivered.count == 1 }
        fake.tell.yield(Sample.event(10))
        let last = await fake.picture { $0.delivered.count == 2 }
        #expect(last?.delivered.map(\.cursor) == [10, 8])
        command.yield(.quit)
        await run
    }

    @Test func batchesStatusReadsForManyEvents() async {
        let fake = Fake()
        let (commands, command) = AsyncStream.makeStream(of: Watch.Command.self)
        async let run: Void = fake.watch.run(commands: commands)
        await fake.picture { $0.status != nil }
        for cursor in 1...5000 { fake.tell.yield(Sample.event(Int64(cursor))) }
        for await cursor in fake.taken where cursor == 5000 { break }
        fake.redraw.yield()
        await fake.picture { $0.delivered.first?.cursor == 5000 }
        #expect(fake.looks == 2)
        command.finish()
        await run
    }
}
