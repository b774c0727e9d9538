import ControlAPI
import Synchronization
import Testing

@testable import homing

@Suite struct SyncWaitTests {
    /// Each event read delivers an entry; a stream has at most `perStream` events.
    private final class Daemon: Sendable {
        private let delivered = Mutex(0)
        private let total: Int
        private let perStream: Int
        let shown = Mutex<[String]>([])
        let looks = Mutex(0)

        init(waiting: Int, perStream: Int = .max) {
            total = waiting
            self.perStream = perStream
        }

        private func status() -> Status {
            let done = delivered.withLock { $0 }
            return Sample.status(backends: [Sample.backend(queue: .init(pending: total - done, delivered: done))], cursor: Int64(done))
        }

        private func deliver() -> Event {
            Sample.event(
                Int64(
                    delivered.withLock { delivered in
                        delivered += 1
                        return delivered
                    }))
        }

        var wait: SyncWait {
            SyncWait(
                status: {
                    self.looks.withLock { $0 += 1 }
                    return self.status()
                },
                events: { since, each in
                    guard try await each(Sample.event(since)) else { return }  // already seen
                    for _ in 0..<self.perStream where try await !each(self.deliver()) { return }
                    throw CutStream()
                },
                pause: {},
                show: { progress in self.shown.withLock { $0.append(SyncText.progress(progress)) } })
        }

        var now: Status { status() }
    }

    private struct CutStream: Error {}

    @Test func showsEachDeliveryUntilQueueIsEmpty() async throws {
        let daemon = Daemon(waiting: 2)
        let progress = try await daemon.wait.run(since: daemon.now, backend: nil)
        #expect(progress.delivered == 2 && progress.isOver)
        #expect(
            daemon.shown.withLock { $0 } == [
                "0 of 2 delivered, 2 waiting…", "1 of 2 delivered, 1 waiting…", "2 of 2 delivered, 0 waiting…",
            ])
    }

    @Test func emptyQueueEndsWaitAtOnce() async throws {
        let daemon = Daemon(waiting: 0)
        #expect(try await daemon.wait.run(since: daemon.now, backend: nil).delivered == 0)
        #expect(daemon.looks.withLock { $0 } == 1)
    }

    @Test func resumesAfterCutStream() async throws {
        let daemon = Daemon(waiting: 5, perStream: 2)
        #expect(try await daemon.wait.run(since: daemon.now, backend: nil).delivered == 5)
    }

    @Test func problemEndsWait() async throws {
        var wait = Daemon(waiting: 1).wait
        wait.events = { _, _ in throw Problem(.notPermitted, status: 403, title: "", detail: "") }
        await #expect(throws: Problem.self) { try await wait.run(since: Sample.status(), backend: nil) }
    }

    @Test func timeLimitEndsWait() async throws {
        var wait = Daemon(waiting: 1).wait
        wait.events = { _, _ in await Self.forever() }
        wait.pause = { try Task.checkCancellation() }
        #expect(try await wait.run(since: Sample.status(), backend: nil) {} == nil)
    }

    @Test func waitEndingBeforeLimitHasOutcome() async throws {
        let daemon = Daemon(waiting: 3)
        let progress = try await daemon.wait.run(since: daemon.now, backend: nil) { await Self.forever() }
        #expect(progress.map(SyncOutcome.init)?.delivered == 3)
    }

    private static func forever() async {
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        for await _ in stream {}
        continuation.finish()
    }
}
