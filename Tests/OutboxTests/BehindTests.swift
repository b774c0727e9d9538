import Foundation
import StoreSupport
import SyncModel
import TestSupport
import Testing

@testable import Outbox

/// Measurements wait for earlier fit tests while these can be sent, since the server gives a fit test the newest measurement.
@Suite struct BehindTests {
    private static let failure = Failure(.refused, status: 422, "no")

    private static func measurement(_ number: Int, supersedes old: MutationID? = nil) -> Mutation {
        var mutation = Samples.mutation(number, lane: "users/5", onDead: .skipFailed)
        (mutation.after, mutation.isBehind, mutation.supersedes) = ("tests/5", true, old)
        return mutation
    }

    private static func fitTest(_ number: Int) -> Mutation {
        var mutation = Samples.mutation(number, lane: "tests/5")
        mutation.after = "users/5"
        return mutation
    }

    /// Claims and delivers until nothing is due; returns the order.
    private func drain(_ store: Store) async throws -> [Int] {
        var order: [Int] = []
        while case let claimed = try await store.claim(9), !claimed.isEmpty {
            for entry in claimed {
                order.append(Int(entry.sequence))
                try await store.deliver(entry)
                #expect(try await store.outbox.derivedTablesMatch())
            }
        }
        return order
    }

    @Test func eachFitTestGoesBeforeLaterMeasurements() async throws {
        let store = try Store()
        for number in [1, 3, 5] {
            try await store.enqueue(Self.measurement(number))
            try await store.enqueue(Self.fitTest(number + 1))
        }
        #expect(try await store.outbox.derivedTablesMatch())
        #expect(try await drain(store) == [1, 2, 3, 4, 5, 6])
    }

    @Test func fitTestOnItsWayHoldsTheNextMeasurementBack() async throws {
        let store = try Store()
        try await store.enqueue(Self.measurement(1))
        try await store.deliver(try await store.claim()[0])
        try await store.enqueue(Self.fitTest(2))
        try await store.enqueue(Self.measurement(3))
        let sent = try await store.claim(9)
        #expect(sent.map(\.sequence) == [2])
        #expect(try await store.claim(9).isEmpty)
        // A later try holds it back too.
        try await store.settle(sent[0], .retry(at: store.clock.now.addingTimeInterval(60), Self.failure), .transient(Self.failure))
        #expect(try await store.claim(9).isEmpty)
        store.clock.advance(by: 61)
        #expect(try await drain(store) == [2, 3])
    }

    /// It keeps failing, perhaps by its own fault.
    @Test func fitTestThatSteppedAsideStopsNoMeasurement() async throws {
        let store = try Store()
        try await store.enqueue(Self.fitTest(1))
        try await store.enqueue(Self.measurement(2))
        let sent = try await store.claim(9)
        #expect(sent.map(\.sequence) == [1])
        try await store.settle(sent[0], .aside(until: store.clock.now, Self.failure), .transient(Self.failure))
        #expect(try await store.outbox.derivedTablesMatch())
        #expect(Set(try await store.claim(9).map(\.sequence)) == [1, 2])
    }

    /// A fit test that a person must decide on, or that waits for a failed measurement, holds nothing back.
    @Test(arguments: [1, 2]) func failedEntryStopsNoMeasurement(failed: Int) async throws {
        let store = try Store()
        try await store.enqueue(Self.measurement(1))
        if failed == 2 { try await store.deliver(try await store.claim()[0]) }
        try await store.enqueue(Self.fitTest(2))
        try await store.enqueue(Self.measurement(3))
        let entry = try #require(try await store.claim().first { $0.sequence == failed })
        try await store.settle(entry, .dead(Self.failure), .permanent(Self.failure))
        #expect(try await store.outbox.derivedTablesMatch())
        #expect(try await drain(store) == [3])
        try await store.outbox.retry(Samples.id(failed), forgetsDoubt: false, by: "uid 1000", at: store.clock.now)
        #expect(try await drain(store) == (failed == 1 ? [1, 2] : [2]))
    }

    /// The new entry is last in its lane, and the fit test waits for it.
    @Test func replacedMeasurementStopsNothing() async throws {
        let store = try Store()
        try await store.enqueue(Self.measurement(1))
        try await store.enqueue(Self.fitTest(2))
        try await store.enqueue(Self.measurement(3))
        try await store.enqueue(Self.fitTest(4))
        try await store.enqueue(Self.measurement(5, supersedes: Samples.id(1)))
        #expect(try await store.outbox.derivedTablesMatch())
        let order = try await drain(store)
        #expect(order == [3, 5, 2, 4], "\(order)")
    }

    /// No entry waits for ever, and the derived tables are right after each step.
    @Test(arguments: 1...20 as ClosedRange<UInt64>) func randomHistoriesEnd(seed: UInt64) async throws {
        let store = try Store()
        var generator = SplitMix64(seed: seed)
        var number = 0
        for _ in 1...60 {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0, 1:
                number += 1
                try await store.enqueue(Bool.random(using: &generator) ? Self.measurement(number) : Self.fitTest(number))
            case 2:
                number += 1
                let old = Samples.id(.random(in: 1...number, using: &generator))
                // `try?`: many entries cannot be replaced.
                if (try? await store.enqueue(Self.measurement(number, supersedes: old))) == nil {
                    try await store.enqueue(Self.measurement(number))
                }
            default:
                for entry in try await store.claim(2) {
                    switch Int.random(in: 0..<4, using: &generator) {
                    case 0: try await store.settle(entry, .dead(Self.failure), .permanent(Self.failure))
                    case 1: try await store.settle(entry, .released(until: store.clock.now, Self.failure), .transient(Self.failure))
                    default: try await store.deliver(entry)
                    }
                }
            }
            #expect(try await store.outbox.derivedTablesMatch())
        }
        _ = try await drain(store)
        for number in 1...max(1, number) where try await store.state(number) == .dead {
            try await store.outbox.retry(Samples.id(number), forgetsDoubt: false, by: "uid 1000", at: store.clock.now)
        }
        _ = try await drain(store)
        let states = try await store.outbox.tallies().filter { $0.count > 0 }.map(\.state)
        #expect(Set(states).isSubset(of: [.delivered, .discarded, .held]), "\(states)")
    }
}
