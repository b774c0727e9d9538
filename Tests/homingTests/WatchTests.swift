import ControlAPI
import Foundation
import Synchronization
import Testing

@testable import homing

@Suite(.timeLimit(.minutes(60))) struct WatchTests {
    private final class Fake: Sendable {
        private let state = Mutex<(isUp: Bool, looks: Int, shown: [WatchView])>((true, 0, []))
        let told: AsyncStream<Event>
        let tell: AsyncStream<Event>.Continuation
        let pictures: AsyncStream<WatchView>
        private let show: AsyncStream<WatchView>.Continuation

        init() {
            (told, tell) = AsyncStream.makeStream()
            (pictures, show) = AsyncStream.makeStream()
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
                    for await event in self.told { if event.kind == "stopped" { return } else if try await !each(event) { return } }
                },
                show: { self.show.yield($0) },
                // Short, because the test does not depend on time.
                pause: { _ in try await Task.sleep(for: .milliseconds(2)) })
        }

        func picture(where isMeant: (WatchView) -> Bool) async {
            for await view in pictures where isMeant(view) { return }
        }
    }

    @Test func showsEventsAndReconnectsToDaemon() async {
        let fake = Fake()
        let (commands, command) = AsyncStream.makeStream(of: Watch.Command.self)
        async let run: Void = fake.watch.run(commands: commands)
        await fake.picture { $0.status != nil }
        fake.tell.yield(Sample.event(8))
        await fake.picture { $0.delivered.count == 1 }
        fake.set(up: false)
        fake.tell.yield(Sample.event(9, "stopped"))
        await fake.picture { $0.problem?.code == .daemonNotRunning }
        fake.set(up: true)
        await fake.picture { $0.problem == nil && $0.delivered.count == 1 }
        fake.tell.yield(Sample.event(10))
        await fake.picture { $0.delivered.count == 2 }
        command.yield(.quit)
        await run
    }

    @Test func batchesStatusReadsForManyEvents() async {
        let fake = Fake()
        let (commands, command) = AsyncStream.makeStream(of: Watch.Command.self)
        async let run: Void = fake.watch.run(commands: commands)
        await fake.picture { $0.status != nil }
        for cursor in 1...5000 { fake.tell.yield(Sample.event(Int64(cursor))) }
        await fake.picture { $0.delivered.first?.cursor == 5000 }
        #expect(fake.looks < 2500)
        command.finish()
        await run
    }
}
