import Foundation
import GRDB
import StoreSupport
import SyncModel
import TestSupport
import Testing

@testable import Outbox

/// Entries that refer to a row, when the entry that creates it fails or comes back.
@Suite struct DependentTests {
    /// The ways in which a create stops without a delivery.
    enum Stop: CaseIterable { case dead, held, crashes, unreadableAtClaim, unreadableAtCheck, discard, otherRule }

    private static let lost = Failure(.lostAnswer, "lost", outcomeUnknown: true)

    /// Entry 2 refers to the row of entry 1 and creates one, to which entry 3 refers. Entry 4 refers to that of entry 1.
    private func family() async throws -> Store {
        let store = try Store()
        let batch = [Samples.create(1), Samples.create(2, needs: 1), Samples.capture(3, of: 2), Samples.capture(4, of: 1)]
        for mutation in batch { try await store.enqueue(mutation) }
        return store
    }

    private func apply(_ stop: Stop, to store: inout Store) async throws {
        let now = store.clock.now
        switch stop {
        case .dead: try await store.settle(try await store.claim()[0], .dead(Samples.failure), .permanent(Samples.failure))
        case .held: try await store.settle(try await store.claim()[0], .held(.forbidden, Samples.failure), .forbidden(Samples.failure))
        case .crashes:
            for _ in 1...3 {
                #expect(try await store.claim(5).map(\.id) == [Samples.id(1)])
                try store.restart(crashed: true)
            }
        case .unreadableAtClaim, .unreadableAtCheck:
            try store.raw { db in
                try db.execute(sql: "DROP TRIGGER contentSame; UPDATE content SET sealed = zeroblob(60) WHERE sequence = 1")
            }
            if stop == .unreadableAtClaim { _ = try await store.claim() } else { try await store.outbox.verifyContents(at: now) { _ in } }
        case .discard: try await store.outbox.discard(Samples.id(1), by: "ann", at: now)
        case .otherRule:
            _ = try await store.outbox.claimLookupRules(["measurement": "mark /a"], of: "breathesafe", at: now)
            try await store.settle(try await store.claim()[0], .released(until: now, Self.lost), .unknown(Self.lost))
            _ = try await store.outbox.claimLookupRules(["measurement": "mark /b"], of: "breathesafe", at: now)
        }
    }

    @Test(arguments: Stop.allCases) func holdsEntriesThatReferToIt(stop: Stop) async throws {
        var store = try await family()
        try await apply(stop, to: &store)
        #expect(try await store.claim(5).isEmpty)
        for number in 2...4 {
            let entry = try #require(try await store.outbox.entry(Samples.id(number))?.entry)
            #expect(entry.state == .held && entry.holdReason == .dependency, "\(number)")
            let create = Samples.id(number == 3 ? 2 : 1)
            let but = number == 3 ? "is on hold" : stop == .dead ? "failed" : stop == .discard ? "was discarded" : "is on hold"
            #expect(
                entry.lastError == "It refers to a row that entry \(create) was to create, but that entry \(but).", "\(number)")
        }
        let events = try await store.outbox.events(since: 0, limit: 100).filter { $0.kind == .held && $0.detail["reason"] == "dependency" }
        #expect(Set(events.compactMap(\.entry)) == Set((2...4).map(Samples.id)) && events.count == 3)
        #expect(try await store.outbox.derivedTablesMatch())
    }

    @Test(arguments: [Stop.dead, .held, .crashes, .otherRule]) func releasesThemWithARetry(stop: Stop) async throws {
        var store = try await family()
        try await apply(stop, to: &store)
        let before = try await store.outbox.newestCursor()
        try await store.outbox.retry(Samples.id(1), forgetsDoubt: true, by: "ann", at: store.clock.now)
        #expect(try await store.outbox.entries(limit: 5).map(\.state) == Array(repeating: .pending, count: 4))
        let events = try await store.outbox.events(since: before, limit: 10)
        #expect(events.allSatisfy { $0.kind == .retried } && events.first?.entry == Samples.id(1))
        let after = events.dropFirst().map { "\($0.entry?.description ?? "") after \($0.detail["after"] ?? "")" }
        #expect(Set(after) == Set([(2, 1), (3, 2), (4, 1)].map { "\(Samples.id($0)) after \(Samples.id($1))" }))
        #expect(after.count == 3)
        #expect(try await store.outbox.derivedTablesMatch())
        for ids in [[1], [2, 4], [3]] {
            let claimed = try await store.claim(5)
            #expect(claimed.map(\.id) == ids.map(Samples.id))
            for entry in claimed { try await store.deliver(entry) }
        }
    }

    @Test func releasesThemWithAMisfitThatFitsAgain() async throws {
        let store = try await family()
        let misfit = Failure(.profile, "No route.")
        try await store.settle(try await store.claim()[0], .held(.profile, misfit), .permanent(misfit))
        #expect(try await store.state(3) == .held)
        #expect(try await store.outbox.releaseMisfits(of: "breathesafe", at: store.clock.now) { _ in true } == 1)
        #expect(try await store.outbox.entries(limit: 5).map(\.state) == Array(repeating: .pending, count: 4))
    }

    @Test(arguments: [Stop.dead, .held, .discard]) func refusesToRetryThemAlone(stop: Stop) async throws {
        var store = try await family()
        try await apply(stop, to: &store)
        let state = try #require(try await store.state(1))
        func retry(_ number: Int) async throws {
            try await store.outbox.retry(Samples.id(number), forgetsDoubt: false, by: "ann", at: store.clock.now)
        }
        for number in [2, 4] { await #expect(throws: OutboxError.needs(Samples.id(1), state)) { try await retry(number) } }
        await #expect(throws: OutboxError.needs(Samples.id(2), .held)) { try await retry(3) }
        #expect(try await store.state(4) == .held)
    }

    @Test(arguments: [Stop.dead, .held]) func acceptsAndHoldsAnEntryForACreateThatFailed(stop: Stop) async throws {
        var store = try Store()
        try await store.enqueue(Samples.create(1))
        try await apply(stop, to: &store)
        try await store.enqueue(Samples.capture(2, of: 1))
        #expect(try await store.outbox.entry(Samples.id(2))?.entry.holdReason == .dependency)
        #expect(try await store.outbox.events(since: 0, limit: 10).suffix(2).map(\.kind) == [.captured, .held])
        #expect(try await store.outbox.derivedTablesMatch())
        try await store.outbox.retry(Samples.id(1), forgetsDoubt: false, by: "ann", at: store.clock.now)
        for number in 1...2 {
            let entry = try #require(try await store.claim(5).first)
            #expect(entry.id == Samples.id(number))
            try await store.deliver(entry)
        }
    }

    @Test func leavesEntriesOnHoldForOtherReasons() async throws {
        let store = try await family()
        try await store.enqueue(Samples.capture(5, of: 1, lane: "visit"))
        var last = Samples.capture(6, of: 1, lane: "last")
        last.after = Lane("visit")
        try await store.enqueue(last)
        // Entry 6 had to follow entry 5, and entry 4 cannot be read.
        try await store.outbox.discard(Samples.id(5), by: "ann", at: store.clock.now)
        try store.raw { db in
            try db.execute(sql: "DROP TRIGGER contentSame; UPDATE content SET sealed = zeroblob(60) WHERE sequence = 4")
        }
        try await store.outbox.verifyContents(at: store.clock.now) { _ in }
        try await store.settle(try await store.claim()[0], .dead(Samples.failure), .permanent(Samples.failure))
        try await store.outbox.retry(Samples.id(1), forgetsDoubt: false, by: "ann", at: store.clock.now)
        let entries = try await store.outbox.entries(limit: 10)
        #expect(entries.map(\.state) == [.pending, .pending, .pending, .held, .discarded, .held])
        #expect(entries.map(\.holdReason) == [nil, nil, nil, .unreadable, nil, .dependency])
        // A person may decide to send it.
        try await store.outbox.retry(Samples.id(6), forgetsDoubt: false, by: "ann", at: store.clock.now)
        #expect(try await store.state(6) == .pending)
        #expect(try await store.outbox.derivedTablesMatch())
    }

    @Test func discardingAnAccountDiscardsThemToo() async throws {
        let store = try await family()
        #expect(try await store.outbox.discardAll(of: Samples.destination, by: "ann", named: nil, at: store.clock.now) == 4)
        #expect(try await store.outbox.receipts(limit: 5).map(\.creates) == ["people", "people", nil, nil])
        #expect(try await store.outbox.derivedTablesMatch())
    }
}
