import Foundation
import GRDB
import StoreSupport
import SyncModel
import Synchronization
import TestSupport
import Testing

@testable import Outbox

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
            [Samples.mutation(1), Samples.mutation(2)], accountLabel: nil, at: store.clock.now
        ).results
        #expect(results.map { (try? $0.get()) != nil } == [false, true])  // `try?`: only success matters
    }

    /// Each part begins after the one before, so that it does not read another account's backlog again.
    @Test func discardsAnAccountInPartsAndReadsEachEntryOnce() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1, account: "2"))
        _ = try await store.outbox.enqueue((2...202).map { Samples.mutation($0) }, accountLabel: nil, at: store.clock.now)
        let reads = Mutex<[String]>([])
        try await store.outbox.pool.writeWithoutTransaction { db in
            db.trace { event in
                guard case .statement(let statement) = event, statement.sql.hasPrefix("SELECT * FROM entry WHERE backend") else { return }
                reads.withLock { $0.append(statement.expandedSQL) }
            }
        }
        let count = try await store.outbox.discardAll(of: Samples.destination, by: "ann", named: nil, at: store.clock.now)
        #expect(count == 201)
        #expect(try await store.outbox.tallies().undelivered(Samples.destination) == 0)
        #expect(try await store.state(1) == .pending)
        #expect(reads.withLock { $0.map { $0.contains("sequence > 0") } } == [true, false])
        #expect(reads.withLock { $0.last?.contains("sequence > 201") } == true)
    }
}
