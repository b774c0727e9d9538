import Foundation
import Outbox
import Synchronization
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct StatusLineTests {
    private final class Situation: Sendable {
        let looks = Mutex(0)
        let sentence = Mutex<String?>("Ready.")
    }

    @Test func sendsSentenceOnlyWhenItChanges() async throws {
        let directory = try TemporaryDirectory()
        let receiver = try DatagramReceiver(at: directory("notify"))
        let notifier = try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": directory("notify")]))
        let (situation, news) = (Situation(), Signal())
        let (looks, look) = AsyncStream.makeStream(of: Void.self)
        let line = StatusLine(
            notifier: notifier, news: [Signal(), news],
            sentence: {
                defer { look.yield() }
                situation.looks.withLock { $0 += 1 }
                return situation.sentence.withLock(\.self)
            }, shortestPause: .milliseconds(5))
        let running = Task { try await line.run() }
        var looked = looks.makeAsyncIterator()
        _ = await looked.next()
        for sentence in ["Ready.", nil, "Busy.", "Busy.", "Ready."] {
            situation.sentence.withLock { $0 = sentence }
            news.send()
            _ = await looked.next()
        }
        #expect(try await receiver.line(count: 2) { $0 == "STATUS=Ready." } != nil)
        #expect(receiver.lines == ["STATUS=Ready.", "STATUS=Busy.", "STATUS=Ready."])

        // Without news it sleeps.
        try await Task.sleep(for: .milliseconds(100))
        #expect(situation.looks.withLock(\.self) == 6)
        running.cancel()
        _ = await running.result
    }

    @Test func readsStatusOncePerPauseDespiteManySignals() async throws {
        let directory = try TemporaryDirectory()
        let receiver = try DatagramReceiver(at: directory("notify"))
        let notifier = try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": directory("notify")]))
        let (situation, news) = (Situation(), Signal())
        let line = StatusLine(
            notifier: notifier, news: [news],
            sentence: {
                situation.looks.withLock {
                    $0 += 1
                    return "Look \($0)."
                }
            }, shortestPause: .seconds(3600))
        let running = Task { try await line.run() }
        try await receiver.line { $0 == "STATUS=Look 1." }
        for _ in 0..<50 {
            news.send()
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(receiver.lines == ["STATUS=Look 1."])
        running.cancel()
        _ = await running.result
    }
}
