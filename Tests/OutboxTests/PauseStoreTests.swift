import Foundation
import Outbox
import StoreSupport
import SyncModel
import TestSupport
import Testing

@Suite struct PauseStoreTests {
    private func pause(_ store: Store, for seconds: TimeInterval?, reason: String = "backup") -> Pause {
        let now = store.clock.now
        return Pause(
            backend: "breathesafe", reason: reason, since: now, until: seconds.map { now.addingTimeInterval($0) }, by: "ann")
    }

    private func kinds(_ store: Store) async throws -> [SyncEvent.Kind] {
        try await store.outbox.events(since: 0, limit: 100).map(\.kind)
    }

    @Test func pauseSurvivesRestartAndIsReplacedByNext() async throws {
        var store = try Store()
        try await store.outbox.pause([pause(store, for: nil)], by: "uid 1000", at: store.clock.now)
        try await store.outbox.pause([pause(store, for: 60, reason: "move")], by: "uid 1000", at: store.clock.now)
        try store.restart()
        #expect(try store.outbox.pauses(at: store.clock.now) == [pause(store, for: 60, reason: "move")])
        #expect(try await kinds(store) == [.paused, .paused])
    }

    @Test func pauseEndsOnceAndRecordsEvent() async throws {
        let store = try Store()
        let pause = pause(store, for: nil)
        try await store.outbox.pause([pause], by: "uid 1000", at: store.clock.now)
        #expect(try await store.outbox.resume(backend: nil, by: "uid 2", at: store.clock.now).ended == [pause])
        #expect(try await store.outbox.resume(backend: "breathesafe", by: "uid 2", at: store.clock.now).ended.isEmpty)
        let event = try #require(try await store.outbox.events(since: 0, limit: 10).last)
        #expect(event.kind == .resumed && event.backend == "breathesafe" && event.detail["by"] == "uid 2")
        #expect(try await kinds(store) == [.paused, .resumed])
    }

    @Test func revisionsGrowWithEachPauseAndResume() async throws {
        let store = try Store()
        let first = try await store.outbox.pause([pause(store, for: nil)], by: "uid 1000", at: store.clock.now)
        let end = try await store.outbox.resume(backend: nil, by: "uid 1000", at: store.clock.now).revision
        let second = try await store.outbox.pause([pause(store, for: nil)], by: "uid 1000", at: store.clock.now)
        #expect(first < end && end < second)
    }

    @Test func startEndsExpiredPause() async throws {
        var store = try Store()
        try await store.outbox.pause([pause(store, for: 60)], by: "uid 1000", at: store.clock.now)
        store.clock.advance(by: 61)
        try store.restart()
        #expect(try store.outbox.pauses(at: store.clock.now).isEmpty)
        #expect(try await store.outbox.pauses().isEmpty)
        #expect(try await kinds(store) == [.paused, .resumed])
    }

    @Test func aNewerPauseOutlivesTheEndOfAnEarlierOne() async throws {
        let store = try Store()
        let first = pause(store, for: 60)
        try await store.outbox.pause([first], by: "uid 1000", at: store.clock.now)
        store.clock.advance(by: 60)
        let second = pause(store, for: 600)
        try await store.outbox.pause([second], by: "uid 1000", at: store.clock.now)
        try await store.outbox.expire(first, at: store.clock.now)
        #expect(try await store.outbox.pauses() == ["breathesafe": second])
        try await store.outbox.expire(second, at: store.clock.now)
        #expect(try await store.outbox.pauses().isEmpty)
    }

    /// The pause is corrected once, at the next start, so that restarts cannot extend it.
    @Test func correctsPauseFromTheFutureOnce() async throws {
        let store = try Store()
        let now = store.clock.now
        let ahead = now.addingTimeInterval(86_400 * 3650)
        let pause = Pause(backend: "breathesafe", reason: "", since: ahead, until: ahead.addingTimeInterval(60), by: "ann")
        try await store.outbox.pause([pause], by: "uid 1000", at: ahead)
        #expect(try store.outbox.pauses(at: now).map(\.until) == [now.addingTimeInterval(60)])
        #expect(try store.outbox.pauses(at: now.addingTimeInterval(59)).map(\.until) == [now.addingTimeInterval(60)])
        #expect(try store.outbox.pauses(at: now.addingTimeInterval(60)).isEmpty)
    }

    @Test func unsentEntryKeepsItsLastError() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        try await store.settle(try await store.claim()[0], .retry(at: store.clock.now, Samples.failure), .transient(Samples.failure))
        let entry = try await store.claim()[0]
        try await store.settle(entry, .released(until: store.clock.now, Failure(.paused, "Sending was paused.")))
        let record = try #require(try await store.outbox.entry(Samples.id(1))?.entry)
        #expect(record.state == .pending && record.attempts == 1 && record.lastError == Samples.failure.message)
    }
}
