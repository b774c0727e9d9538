import Foundation
import Outbox
import StoreSupport
import SyncModel
import TestSupport
import Testing
import Vault

@Suite struct RecoveryTests {
    @Test func entryInFlightBecomesUncertainAfterRestart() async throws {
        var store = try Store()
        try await store.enqueue(Samples.mutation(1))
        _ = try await store.claim()
        try store.restart()
        let again = try #require(try await store.claim().first)
        #expect(again.uncertain)
        #expect(again.crashes == 0)
        #expect(again.attempts == 0)
    }

    @Test func threeCrashesHoldAnEntry() async throws {
        var store = try Store()
        try await store.enqueue(Samples.mutation(1))
        for crash in 1...3 {
            #expect(try await store.claim().count == 1, "crash \(crash)")
            try store.restart(crashed: true)
        }
        #expect(try await store.claim().isEmpty)
        #expect(try await store.outbox.entry(Samples.id(1))?.entry.holdReason == .crashes)
        let events = try await store.outbox.events(since: 0, limit: 10)
        #expect(events.map(\.kind) == [.captured, .recovered, .recovered, .recovered, .held])
        #expect(events.last?.detail == ["reason": "crashes"])
    }

    /// The answer to the interrupted send is unknown, so that of an earlier one must not stand for it.
    @Test func interruptedSendHasNoAnswer() async throws {
        var store = try Store()
        try await store.enqueue(Samples.mutation(1))
        let failure = Failure(.serverError, status: 500, "down", outcomeUnknown: true)
        try await store.settle(try await store.claim()[0], .aside(until: store.clock.now, failure), .unknown(failure))
        #expect(try await store.claim().first?.lastStatus == 500)
        try store.restart(crashed: false)
        let entry = try #require(try await store.outbox.entry(Samples.id(1))).entry
        #expect(entry.uncertain && entry.lastStatus == nil && entry.lastReason == nil && entry.lastError == nil)
    }

    @Test func killsAndPowerCutsNeverHoldAnEntry() async throws {
        var store = try Store()
        try await store.enqueue(Samples.mutation(1))
        for _ in 1...10 {
            #expect(try await store.claim().count == 1)
            try store.restart(crashed: false)
        }
        #expect(try await store.state(1) == .pending)
    }

    @Test func claimsEntriesDueTooFarInTheFuture() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        let years = store.clock.now.addingTimeInterval(10 * 365 * 86_400)
        try await store.settle(try await store.claim()[0], .retry(at: years, Samples.failure), .transient(Samples.failure))
        let looked = try await store.outbox.claim([Samples.destination: 1], at: store.clock.now)
        #expect(looked.entries.count == 1)
    }

    @Test func anotherKeyReadsNothingAndDestroysNothing() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        let other = try Outbox(file: store.directory("outbox.sqlite"), vault: Vault(key: VaultKey()), crashed: false, now: store.clock.now)
        #expect(try await other.claim([Samples.destination: 1], at: store.clock.now).entries.isEmpty)
        let right = try Outbox(file: store.directory("outbox.sqlite"), vault: Vault(key: store.key), crashed: false, now: store.clock.now)
        try await right.retry(Samples.id(1), forgetsDoubt: false, by: "test", at: store.clock.now)
        #expect(try await right.claim([Samples.destination: 1], at: store.clock.now).entries.first?.mutation == Samples.mutation(1))
    }
}
