import Foundation
import Outbox
import StoreSupport
import SyncModel
import TestSupport
import Testing

@Suite struct DiscardedTests {
    @Test(arguments: [false, true]) func refusesTheSameIdAfterADiscard(pruned: Bool) async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        let date = store.clock.now
        try await store.outbox.discard(Samples.id(1), by: "uid 1000, pid 7", named: "ann", at: date)
        if pruned { try await store.outbox.prune(before: date.addingTimeInterval(1), at: date) }
        await #expect(throws: OutboxError.discarded(Samples.id(1), by: "ann", at: date)) { try await store.enqueue(Samples.mutation(1)) }
        #expect(try await store.outbox.tallies().map(\.count) == [1])
        await #expect(throws: OutboxError.idConflict(Samples.id(1))) { try await store.enqueue(Samples.mutation(1, payload: "[]")) }
    }

    @Test func acceptsOtherEntriesOfTheBatch() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        try await store.outbox.discard(Samples.id(1), by: "ann", at: store.clock.now)
        let results = try await store.outbox.enqueue(
            [Samples.mutation(1), Samples.mutation(2)], accountLabel: nil, at: store.clock.now)
        #expect(results.map { (try? $0.get()) != nil } == [false, true])  // `try?`: only success matters
    }
}
