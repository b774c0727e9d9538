import Foundation
import StoreSupport
import SyncModel
import TestSupport
import Testing

@testable import Outbox

@Suite struct TrailTests {
    private func kinds(_ store: Store, _ change: (inout TrailFilter) -> Void = { _ in }) async throws -> [SyncEvent.Kind] {
        var filter = TrailFilter(kinds: Set(SyncEvent.Kind.allCases), limit: 100)
        change(&filter)
        return try await store.outbox.trail(filter).events.map(\.kind)
    }

    @Test func listsWhatPeopleDid() async throws {
        let store = try Store()
        try await store.outbox.record([SyncEvent(at: store.clock.now, .signedOut, backend: "breathesafe", account: "1")])
        try await store.enqueue(Samples.mutation(1))
        try await store.settle(try await store.claim()[0], .dead(Samples.failure), .permanent(Samples.failure))
        let later = store.clock.now.addingTimeInterval(600)
        try await store.outbox.discard(Samples.id(1), later: later, reason: nil, by: "uid 7, pid 8", named: nil, at: store.clock.now)
        // The capture and its failure have no person.
        #expect(try await kinds(store) == [.signedOut, .held])
        #expect(try await kinds(store) { $0.kinds = [.signedOut] } == [.signedOut])
        #expect(try await kinds(store) { $0.account = "2" } == [])
        #expect(try await kinds(store) { $0.since = later } == [])
        #expect(try await kinds(store) { $0.limit = 1 } == [.signedOut])
    }

    @Test func saysSinceWhenEventsAreKept() async throws {
        let store = try Store()
        let begin = store.clock.now
        try await store.outbox.record([0.0, 40].map { SyncEvent(at: begin.addingTimeInterval($0 * 86_400), .synced) })
        let filter = TrailFilter(kinds: [.synced], limit: 10)
        #expect(try await store.outbox.trail(filter).keptSince == nil)
        let now = begin.addingTimeInterval(41 * 86_400)
        try await store.outbox.prune(before: now.addingTimeInterval(-30 * 86_400), at: now)
        #expect(try await store.outbox.trail(filter).keptSince?.ms == begin.addingTimeInterval(40 * 86_400).ms)
    }
}
