import Foundation
import GRDB
import StoreSupport
import SyncModel
import TestSupport
import Testing
import Vault

@testable import Outbox

/// Entries that replace others.
@Suite struct SupersedingTests {
    private static let lost = Failure(.lostAnswer, "lost", outcomeUnknown: true)

    private static func replacement(_ number: Int = 2, account: AccountID = "1") -> Mutation {
        var mutation = Samples.mutation(number, lane: "users/7", account: account)
        mutation.supersedes = Samples.id(1)
        return mutation
    }

    private func replace(
        _ store: Store, with mutation: Mutation = SupersedingTests.replacement(), mustReplace: Bool = false
    ) async throws -> Result<Enqueued, OutboxError> {
        let options = EnqueueOptions(by: "uid 1000, pid 7", mustReplace: mustReplace)
        let results = try await store.outbox.enqueue([mutation], accountLabel: nil, at: store.clock.now, options).results
        #expect(try await store.outbox.derivedTablesMatch())
        return try #require(results.first)
    }

    private func send(_ store: Store, _ settlement: Settlement) async throws {
        try await store.settle(try #require(try await store.claim().first), settlement, .permanent(Samples.failure))
    }

    @Test(arguments: [nil, .dead(Samples.failure), .held(.forbidden, Samples.failure)] as [Settlement?])
    func replacesEntryInTheSameTransaction(settlement: Settlement?) async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        if let settlement { try await send(store, settlement) }
        let state = try #require(try await store.state(1))
        #expect(try await replace(store, mustReplace: true) == .success(.new(sequence: 2)))
        #expect(try await store.state(1) == .discarded)
        let receipt = try await store.outbox.receipt(Samples.id(1))
        #expect(receipt?.supersededBy == Samples.id(2) && receipt?.outcome == .discarded)
        #expect(try store.raw { try Int64.fetchAll($0, sql: "SELECT sequence FROM content") } == [2])
        let events = try await store.outbox.events(since: 0, limit: 100).suffix(2)
        #expect(Set(events.map(\.kind)) == [.superseded, .captured])
        let event = try #require(events.first { $0.kind == .superseded })
        #expect(event.entry == Samples.id(1))
        #expect(event.detail == ["by": "uid 1000, pid 7", "from": state.rawValue, "new": Samples.id(2).description])
        #expect(events.first { $0.kind == .captured }?.detail["replaces"] == Samples.id(1).description)
        #expect(try await store.claim().map(\.id) == [Samples.id(2)])
    }

    /// Its capture is in the new entry.
    @Test func replacedEntryDoesNotCountAsDiscarded() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        _ = try await replace(store)
        func counts() async throws -> [Entry.State: Int] {
            Dictionary(uniqueKeysWithValues: try await store.outbox.tallies().map { ($0.state, $0.count) })
        }
        #expect(try await counts() == [.pending: 1])
        try await store.enqueue(Samples.mutation(3))
        try await store.outbox.discard(Samples.id(3), by: "ann", at: store.clock.now)
        #expect(try await counts() == [.pending: 1, .discarded: 1])
        // All have the same payload.
        #expect(try await Set(store.outbox.tallies().map(\.bytes)).count == 1)
        let page = try await store.outbox.page(of: EntryFilter(state: .discarded), after: 0, limit: 10)
        #expect(page.entries.map(\.id) == [Samples.id(1), Samples.id(3)])
        #expect(page.successors == [Samples.id(1): Samples.id(2)])
    }

    /// No entry has the capture then.
    @Test(arguments: [false, true]) func discardedReplacementCountsAsADiscard(inGrace: Bool) async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        _ = try await replace(store)
        var third = Samples.mutation(3, lane: "users/8")
        third.supersedes = Samples.id(2)
        _ = try await replace(store, with: third)
        let now = store.clock.now
        await #expect(throws: OutboxError.replaced(Samples.id(1), by: Samples.id(3), at: now)) {
            try await store.enqueue(Samples.mutation(1))
        }
        if inGrace {
            try await store.outbox.discard(Samples.id(3), later: now + 60, reason: nil, by: "ann", named: nil, at: now)
        } else {
            try await store.outbox.discard(Samples.id(3), by: "ann", at: now)
        }
        let error = await #expect(throws: OutboxError.self) { try await store.enqueue(Samples.mutation(1)) }
        guard case .discarded(Samples.id(1), _, now) = error else {
            Issue.record("\(error.map { "\($0)" } ?? "nothing")")
            return
        }
    }

    /// Its content is in the new entry.
    @Test(arguments: [false, true]) func refusesTheSameIdAfterAReplacement(isPruned: Bool) async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        _ = try await replace(store)
        let date = store.clock.now
        if isPruned { try await store.outbox.prune(before: .distantFuture, at: date) }
        await #expect(throws: OutboxError.replaced(Samples.id(1), by: Samples.id(2), at: date)) {
            try await store.enqueue(Samples.mutation(1))
        }
        await #expect(throws: OutboxError.idConflict(Samples.id(1))) { try await store.enqueue(Samples.mutation(1, payload: "[]")) }
        #expect(try await store.state(2) == .pending)
    }

    /// Also when only receipts are left of the others.
    @Test(arguments: [false, true]) func knowsTheFirstEntryOfAChain(isPruned: Bool) async throws {
        let store = try Store()
        var first = Samples.mutation(1)
        (first.subject, first.reference) = ("5", "people")
        try await store.enqueue(first)
        for number in 2...3 {
            var next = Samples.mutation(number, lane: "users/7")
            next.supersedes = Samples.id(number - 1)
            #expect(try await replace(store, with: next) == .success(.new(sequence: Int64(number))))
        }
        if isPruned { try await store.outbox.prune(before: .distantFuture, at: store.clock.now) }
        let found = try await store.outbox.first(of: try #require(try await store.outbox.entry(Samples.id(3))).entry)
        #expect(found.id == Samples.id(1) && found.mutation.subject == "5")
        #expect(try await store.outbox.first(of: found) == found)
    }

    @Test(arguments: [.held(.unknownOutcome, lost), .dead(lost), .released(until: .distantFuture, lost), nil] as [Settlement?])
    func entryThatMayBeDeliveredIsNotReplaced(settlement: Settlement?) async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        let entry = try #require(try await store.claim().first)
        if let settlement { try await store.settle(entry, settlement, .unknown(Self.lost)) }
        let state = try await store.state(1)
        #expect(try await replace(store) == .failure(.mayBeDelivered(Samples.id(1))))
        #expect(try await store.state(1) == state)
        #expect(try await store.state(2) == nil)
    }

    /// Otherwise the server would get a second copy without a warning.
    @Test(arguments: [false, true], [false, true]) func settledEntryIsNotReplaced(mustReplace: Bool, isPruned: Bool) async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        try await store.deliver(try #require(try await store.claim().first))
        for number in [4, 5] { try await store.enqueue(Samples.mutation(number)) }
        try await store.outbox.discard(Samples.id(4), by: "ann", at: store.clock.now)
        var last = Samples.mutation(6)
        last.supersedes = Samples.id(5)
        #expect(try await replace(store, with: last) == .success(.new(sequence: 4)))
        if isPruned { try await store.outbox.prune(before: .distantFuture, at: store.clock.now) }
        for (old, state) in [(1, .delivered), (4, .discarded), (5, .discarded)] as [(Int, Entry.State)] {
            var mutation = Samples.mutation(3)
            mutation.supersedes = Samples.id(old)
            let result = try await replace(store, with: mutation, mustReplace: mustReplace)
            #expect(result == .failure(.wrongState(Samples.id(old), state)), "\(old)")
        }
        #expect(try await store.state(3) == nil)
        #expect(try await store.outbox.receipt(Samples.id(1))?.supersededBy == nil)
        #expect(try await store.outbox.receipt(Samples.id(5))?.supersededBy == Samples.id(6))
        // The same submission is still known.
        #expect(try await replace(store, with: last) == .success(.duplicate(sequence: 4, of: Samples.destination, Lane("users/5"))))
    }

    @Test(arguments: [false, true]) func unknownEntryIsNotReplaced(mustReplace: Bool) async throws {
        let store = try Store()
        #expect(try await replace(store, mustReplace: mustReplace) == .failure(.notFound(Samples.id(1))))
        #expect(try await store.state(2) == nil)
        var own = Samples.mutation(1)
        own.supersedes = own.id
        #expect(try await replace(store, with: own, mustReplace: mustReplace) == .failure(.notFound(Samples.id(1))))
    }

    @Test(arguments: [false, true]) func entryOfAnotherAccountStays(mustReplace: Bool) async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        let other = Self.replacement(account: "2")
        #expect(try await replace(store, with: other, mustReplace: mustReplace) == .failure(.notFound(Samples.id(1))))
        #expect(try await [store.state(1), store.state(2)] == [.pending, nil])
    }

    @Test func createThatOthersReferToIsNotReplaced() async throws {
        let store = try Store()
        var create = Samples.mutation(1)
        create.creates = "managed_users"
        try await store.enqueue(create)
        var measurement = Samples.mutation(3, lane: "measure")
        (measurement.subject, measurement.reference) = (RosterID(createdBy: Samples.id(1)), "managed_users")
        try await store.enqueue(measurement)
        #expect(try await replace(store) == .failure(.hasDependents(Samples.id(1))))
        try await store.outbox.discard(Samples.id(3), by: "ann", at: store.clock.now)
        #expect(try await replace(store) == .success(.new(sequence: 3)))
    }

    @Test func repeatedReplacementIsADuplicate() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        _ = try await replace(store, mustReplace: true)
        let again = try await replace(store, mustReplace: true)
        #expect(again == .success(.duplicate(sequence: 2, of: Samples.destination, Lane("users/7"))))
        #expect(try await store.outbox.events(since: 0, limit: 100).count { $0.kind == .superseded } == 1)
    }

    /// Otherwise the capture would be lost.
    @Test func replacementWithoutRoomLeavesTheEntry() async throws {
        var store = try Store()
        try await store.enqueue(Samples.mutation(1))
        try store.outbox.close()
        store.outbox = try Outbox(
            file: store.directory("outbox.sqlite"), vault: Vault(key: store.key), crashed: false, maxBytes: 64 << 10, now: store.clock.now)
        #expect(try await replace(store) == .failure(.neverFits(64 << 10)))
        #expect(try await store.state(1) == .pending)
    }

    /// The refusal answers the second send; the first may have taken effect.
    @Test func entryRefusedAfterALostAnswerIsNotReplaced() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        try await store.settle(try #require(try await store.claim().first), .retry(at: .distantPast, Self.lost), .unknown(Self.lost))
        try await send(store, .dead(Samples.failure))
        #expect(try await replace(store) == .failure(.mayBeDelivered(Samples.id(1))))
        #expect(try await store.state(1) == .dead)
    }

    @Test func entryAcceptedBeforeIsNoReplacement() async throws {
        let store = try Store()
        for number in 1...2 { try await store.enqueue(Samples.mutation(number, lane: "\(number)")) }
        #expect(try await replace(store, mustReplace: true) == .failure(.idConflict(Samples.id(2))))
        #expect(try await [store.state(1), store.state(2)] == [.pending, .pending])
        let again = try await replace(store)
        #expect(again == .success(.duplicate(sequence: 2, of: Samples.destination, Lane("2"))))
    }

    // MARK: Changes of one row, of which the last one wins

    private static func change(
        _ number: Int, lane: String = "profiles/5", replacing old: Int? = nil, onDead: Mutation.OnDead = .halt
    ) -> Mutation {
        var mutation = Samples.mutation(number, lane: lane, onDead: onDead)
        (mutation.altering, mutation.supersedes) = ([mutation.route], old.map(Samples.id))
        return mutation
    }

    /// It would be sent after the newer change, and overwrite it.
    @Test(arguments: [false, true]) func onlyTheNewestChangeIsReplaced(isRefused: Bool) async throws {
        let store = try Store()
        try await store.enqueue(Self.change(1))
        if isRefused { try await send(store, .dead(Samples.failure)) }
        let first = try await store.state(1)
        try await store.enqueue(Self.change(2))
        #expect(try await replace(store, with: Self.change(3, replacing: 1)) == .failure(.hasNewer(Samples.id(1), newer: Samples.id(2))))
        #expect(try await [store.state(1), store.state(3)] == [first, nil])
        #expect(try await replace(store, with: Self.change(4, replacing: 2)) == .success(.new(sequence: 3)))
        let result = try await replace(store, with: Self.change(3, replacing: 1), mustReplace: true)
        #expect(result == .failure(.hasNewer(Samples.id(1), newer: Samples.id(4))))
        let entry = try #require(try await store.outbox.entry(Samples.id(1))?.entry)
        #expect(try await store.outbox.newest(after: entry, by: Self.change(3).altering) == Samples.id(4))
        try await store.outbox.discard(Samples.id(4), by: "ann", at: store.clock.now)
        #expect(try await store.outbox.newest(after: entry, by: Self.change(3).altering) == nil)
        #expect(try await replace(store, with: Self.change(3, replacing: 1)) == .success(.new(sequence: 4)))
    }

    /// Its lane let the newer one pass. Only a receipt is left of that one once it is pruned.
    @Test(arguments: [false, true]) func changeIsNotReplacedAfterANewerDelivery(isPruned: Bool) async throws {
        let store = try Store()
        for number in 1...2 { try await store.enqueue(Self.change(number, onDead: .skip)) }
        try await send(store, .dead(Samples.failure))
        try await store.deliver(try #require(try await store.claim().first))
        if isPruned { try await store.outbox.prune(before: .distantFuture, at: store.clock.now) }
        let result = try await replace(store, with: Self.change(3, replacing: 1))
        #expect(result == .failure(.hasNewer(Samples.id(1), newer: Samples.id(2))))
    }

    /// Such as the completion of a task, which leaves the values of an edit.
    @Test(arguments: [false, true]) func newerEntriesByOtherRoutesDoNotMatter(isDelivered: Bool) async throws {
        let store = try Store()
        func change(_ number: Int, by route: String, replacing old: Int? = nil) -> Mutation {
            var mutation = Self.change(number, replacing: old, onDead: .skip)
            mutation.route = route
            mutation.altering = route == "complete" ? [] : ["edit", "remove"]
            return mutation
        }
        try await store.enqueue(change(1, by: "edit"))
        try await store.enqueue(change(2, by: "complete"))
        if isDelivered {
            try await send(store, .dead(Samples.failure))
            try await store.deliver(try #require(try await store.claim().first))
        }
        #expect(try await replace(store, with: change(3, by: "edit", replacing: 1)) == .success(.new(sequence: 3)))
        try await store.enqueue(change(4, by: "remove"))
        try await store.enqueue(change(5, by: "complete"))
        let result = try await replace(store, with: change(6, by: "edit", replacing: 3))
        #expect(result == .failure(.hasNewer(Samples.id(3), newer: Samples.id(4))))
    }

    /// Each part is read from its newest row on, until one matches.
    @Test(arguments: [false, true]) func findsNewerChangesInOrderWithoutSorting(isSent: Bool) throws {
        let values = StatementArguments(Array(repeating: "1", count: 7))
        let search = "EXPLAIN QUERY PLAN \(Outbox.newestAfter(routes: 2, isSent: isSent))"
        let plan = try Store().raw { db in try Row.fetchAll(db, sql: search, arguments: values).map { $0["detail"] as String } }
        let orders = isSent ? [("oneInFlight", "rowid")] : ["laneOrder", "asideOrder", "failedOrder"].map { ($0, "sequence") }
        let lane = orders.map { "SEARCH entry USING INDEX \($0.0) (backend=? AND account=? AND lane=? AND \($0.1)>?)" }
        let searches = plan.filter { !$0.hasPrefix("MERGE") && !["LEFT", "RIGHT"].contains($0) }
        #expect(searches == lane + ["SEARCH receipt USING INTEGER PRIMARY KEY (rowid>?)"], "\(plan)")
    }

    /// A change that is given to another row must not overwrite a newer one there.
    @Test func newerChangesCountInTheLaneOfTheReplacement() async throws {
        let store = try Store()
        try await store.enqueue(Self.change(1))
        try await store.enqueue(Self.change(2, lane: "profiles/6"))
        let moved = try await replace(store, with: Self.change(3, lane: "profiles/6", replacing: 1))
        #expect(moved == .failure(.hasNewer(Samples.id(1), newer: Samples.id(2))))
        #expect(try await replace(store, with: Self.change(3, replacing: 1)) == .success(.new(sequence: 3)))
    }

    /// So a change that was given to another row and back does not pass a newer one.
    @Test func replacementIsAsOldAsTheFirstEntry() async throws {
        let store = try Store()
        for number in 1...2 { try await store.enqueue(Self.change(number)) }
        let moved = try await replace(store, with: Self.change(3, lane: "profiles/6", replacing: 1))
        #expect(moved == .success(.new(sequence: 3)))
        let back = try await replace(store, with: Self.change(4, replacing: 3))
        #expect(back == .failure(.hasNewer(Samples.id(3), newer: Samples.id(2))))
        #expect(try await replace(store, with: Self.change(4, lane: "profiles/6", replacing: 3)) == .success(.new(sequence: 4)))
    }

    @Test func entryThatIsBeingDiscardedIsNotReplaced() async throws {
        let store = try Store()
        try await store.enqueue(Self.change(1))
        let end = store.clock.now.addingTimeInterval(600)
        try await store.outbox.discard(Samples.id(1), later: end, reason: nil, by: "ann", named: nil, at: store.clock.now)
        #expect(try await replace(store, with: Self.change(2, replacing: 1)) == .failure(.beingDiscarded(Samples.id(1), at: end)))
        #expect(try await [store.state(1), store.state(2)] == [.held, nil])
    }

    /// A capture overwrites nothing, and a discarded change is not sent.
    @Test(arguments: [false, true]) func newerCapturesAndDiscardsDoNotMatter(isCapture: Bool) async throws {
        let store = try Store()
        for number in 1...2 {
            var mutation = Self.change(number)
            if isCapture { mutation.altering = [] }
            try await store.enqueue(mutation)
        }
        let now = store.clock.now
        if !isCapture { try await store.outbox.discard(Samples.id(2), later: now + 60, reason: nil, by: "ann", named: nil, at: now) }
        var mutation = Self.change(3, replacing: 1)
        if isCapture { mutation.altering = [] }
        #expect(try await replace(store, with: mutation) == .success(.new(sequence: 3)))
    }
}
