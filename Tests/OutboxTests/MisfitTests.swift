import Foundation
import Outbox
import StoreSupport
import SyncModel
import TestSupport
import Testing

@Suite struct MisfitTests {
    private let misfit = Failure(.profile, "The backend \"breathesafe\" has no route \"measurement\".")

    private func held(_ numbers: ClosedRange<Int>, _ reason: HoldReason = .profile) async throws -> Store {
        let store = try Store()
        for number in numbers {
            try await store.enqueue(Samples.mutation(number, lane: "users/\(number)"))
            try await store.settle(try await store.claim()[0], .held(reason, misfit), .permanent(misfit))
        }
        return store
    }

    @Test func releasesEntriesThatFitAgain() async throws {
        let store = try await held(1...120)
        let released = try await store.outbox.releaseMisfits(of: "breathesafe", at: store.clock.now) { $0.id != Samples.id(2) }
        #expect(released == 119)
        #expect(try await store.state(2) == .held)
        let record = try #require(try await store.outbox.entry(Samples.id(1))?.entry)
        #expect(record.state == .pending && record.lastError == nil && record.attempts == 0)
        #expect(try await store.claim().map(\.id) == [Samples.id(1)])
        #expect(try await store.outbox.derivedTablesMatch())
        let event = try #require(try await store.outbox.events(since: 0, limit: 1000).last { $0.kind == .released })
        #expect(event.detail == ["reason": "profile"])
    }

    @Test func releasedEntryStaysUncertain() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        let doubt = Failure(.profile, "No route.", outcomeUnknown: true)
        try await store.settle(try await store.claim()[0], .held(.profile, doubt), .permanent(doubt))
        #expect(try await store.outbox.releaseMisfits(of: "breathesafe", at: store.clock.now) { _ in true } == 1)
        #expect(try await store.claim()[0].uncertain)
    }

    @Test(arguments: [HoldReason.forbidden, .unknownOutcome, .crashes, .unreadable, .operator, .dependency])
    func leavesEntriesHeldForOtherReasons(reason: HoldReason) async throws {
        let store = try await held(1...1, reason)
        #expect(try await store.outbox.releaseMisfits(of: "breathesafe", at: store.clock.now) { _ in true } == 0)
        #expect(try await store.outbox.releaseMisfits(of: "another", at: store.clock.now) { _ in true } == 0)
        #expect(try await store.state(1) == .held)
    }
}
