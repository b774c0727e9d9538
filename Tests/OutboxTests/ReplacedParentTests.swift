import Foundation
import Outbox
import StoreSupport
import SyncModel
import TestSupport
import Testing

/// Entries that must be sent after one that is replaced. Entry 2 follows entry 1.
@Suite struct ReplacedParentTests {
    private func store(_ settlement: Settlement? = nil) async throws -> Store {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        try await store.enqueue(follower(2))
        if let settlement {
            try await store.settle(try #require(try await store.claim().first), settlement, .permanent(Samples.failure))
        }
        return store
    }

    private func follower(_ number: Int) -> Mutation {
        var follower = Samples.mutation(number, lane: "fit_tests/5")
        follower.after = Lane("users/5")
        return follower
    }

    private func replace(_ old: Int, with new: Mutation, in store: Store) async throws {
        var new = new
        new.supersedes = Samples.id(old)
        try await store.enqueue(new)
        #expect(try await store.state(old) == .discarded)
        #expect(try await store.outbox.derivedTablesMatch())
    }

    private func held(_ store: Store) async throws -> String? {
        let entry = try #require(try await store.outbox.entry(Samples.id(2))?.entry)
        return entry.holdReason == .dependency ? entry.lastError : nil
    }

    private func deliverNext(_ number: Int, in store: Store) async throws {
        let claimed = try await store.claim(5)
        #expect(claimed.map(\.id) == [Samples.id(number)])
        for entry in claimed { try await store.deliver(entry) }
        #expect(try await store.outbox.derivedTablesMatch())
    }

    @Test(arguments: [nil, .dead(Samples.failure), .held(.forbidden, Samples.failure)] as [Settlement?])
    func followerWaitsForTheReplacement(settlement: Settlement?) async throws {
        let store = try await store(settlement)
        try await replace(1, with: Samples.mutation(3), in: store)
        #expect(try await store.state(2) == .pending)
        try await deliverNext(3, in: store)
        try await deliverNext(2, in: store)
    }

    @Test func followerWaitsForTheLastOfSeveralReplacements() async throws {
        let store = try await store(.dead(Samples.failure))
        try await replace(1, with: Samples.mutation(3), in: store)
        try await store.settle(try #require(try await store.claim().first), .dead(Samples.failure), .permanent(Samples.failure))
        #expect(try await store.claim(5).isEmpty)
        try await replace(3, with: Samples.mutation(4), in: store)
        let blocker = try await store.outbox.context(of: Samples.id(2))?.blocker?.id
        #expect(blocker == Samples.id(4))
        try await deliverNext(4, in: store)
        try await deliverNext(2, in: store)
    }

    @Test func restoredFollowerWaitsForTheReplacement() async throws {
        let store = try await store()
        try await store.outbox.discard(
            Samples.id(2), later: .distantFuture, reason: nil, by: "ann", named: nil, at: store.clock.now)
        try await replace(1, with: Samples.mutation(3), in: store)
        try await store.outbox.restore(Samples.id(2), by: "ann", at: store.clock.now)
        #expect(try await store.state(2) == .pending)
        try await deliverNext(3, in: store)
        try await deliverNext(2, in: store)
    }

    @Test func followerIsHeldIfTheReplacementIsDiscarded() async throws {
        let store = try await store()
        try await replace(1, with: Samples.mutation(3), in: store)
        try await store.outbox.discard(Samples.id(3), by: "ann", at: store.clock.now)
        #expect(try await held(store) == "It had to be sent after entry \(Samples.id(3)), which was discarded.")
        #expect(try await store.outbox.derivedTablesMatch())
    }

    /// Such as a correction of the person.
    @Test func followerIsHeldIfTheReplacementIsForAnotherRow() async throws {
        let store = try await store()
        var other = Samples.mutation(3, lane: "users/7")
        other.subject = "7"
        try await replace(1, with: other, in: store)
        let reason = "It had to be sent after entry \(Samples.id(1)), which entry \(Samples.id(3)) replaced for another row."
        #expect(try await held(store) == reason)
        try await store.outbox.retry(Samples.id(2), forgetsDoubt: false, by: "ann", at: store.clock.now)
        #expect(Set(try await store.claim(5).map(\.id)) == [Samples.id(2), Samples.id(3)])
    }

    /// Otherwise two entries could wait for each other.
    @Test func followerIsHeldIfTheLaneOfTheReplacementFollowsAnother() async throws {
        let store = try await store()
        var other = Samples.mutation(3)
        other.after = Lane("fit_tests/5")
        try await replace(1, with: other, in: store)
        let reason = "It had to be sent after entry \(Samples.id(1)), which entry \(Samples.id(3)) replaced."
        #expect(try await held(store) == reason)
    }
}
