import Foundation
import GRDB
import StoreSupport
import SyncModel
import TestSupport
import Testing

@testable import Outbox

/// Discards with grace.
@Suite struct DiscardingTests {
    private func discard(_ store: Store, _ number: Int, in grace: TimeInterval = 600, reason: String? = nil) async throws {
        let now = store.clock.now
        try await store.outbox.discard(
            Samples.id(number), later: now.addingTimeInterval(grace), reason: reason, by: "uid 1000, pid 7", named: "ann", at: now)
    }

    private func restore(_ store: Store, _ number: Int) async throws {
        try await store.outbox.restore(Samples.id(number), by: "uid 1000, pid 7", at: store.clock.now)
        #expect(try await store.outbox.derivedTablesMatch())
    }

    private func discardDue(_ store: Store) async throws -> Date? {
        let next = try await store.outbox.discardDue(at: store.clock.now)
        #expect(try await store.outbox.derivedTablesMatch())
        return next
    }

    private func entry(_ store: Store, _ number: Int) async throws -> Entry {
        try #require(try await store.outbox.entry(Samples.id(number))?.entry)
    }

    /// The details of the events of this kind.
    private func details(_ store: Store, _ kind: SyncEvent.Kind) async throws -> [[String: String]] {
        try await store.outbox.events(since: 0, limit: 500).filter { $0.kind == kind }.map(\.detail)
    }

    /// Sends entry 1 with that result.
    private func send(_ store: Store, _ settlement: Settlement) async throws {
        try await store.settle(try #require(try await store.claim().first), settlement, .permanent(Samples.failure))
    }

    @Test func noteOfADiscardIsKeptUntilItIsUndone() async throws {
        let store = try Store()
        for number in 1...3 { try await store.enqueue(Samples.mutation(number)) }
        func note(_ number: Int) async throws -> String? { try await store.outbox.discardNote(of: Samples.id(number)) }
        try await discard(store, 1, reason: "the wrong room")
        try await discard(store, 2)
        try await store.outbox.discard(Samples.id(3), reason: "measured twice", by: "uid 1000, pid 7", at: store.clock.now)
        #expect(try await [note(1), note(2), note(3)] == ["the wrong room", nil, "measured twice"])
        try await restore(store, 1)
        #expect(try await note(1) == nil)
        try await discard(store, 1, reason: "the wrong person")
        store.clock.advance(by: 601)
        #expect(try await discardDue(store) == nil)
        #expect(try await [note(1), note(2), note(3)] == ["the wrong person", nil, "measured twice"])
    }

    @Test func noteIsFoundWithoutReadingOtherEvents() throws {
        let store = try Store()
        let plan = try store.raw { db in
            try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(Outbox.discardEvents)", arguments: ["entry": "x"])
                .map { $0["detail"] as String }
        }
        let searches = plan.filter { $0.contains("event") }
        #expect(
            searches == [
                "SEARCH event USING INDEX eventDiscards (entry=? AND kind=?)", "SEARCH event USING INDEX eventWords (entry=? AND kind=?)",
            ], "\(plan)")
    }

    /// Only discards and their undoing are in its index.
    @Test func otherEventsAreNotInTheIndexOfDiscards() async throws {
        let store = try Store()
        for number in 1...4 { try await store.enqueue(Samples.mutation(number)) }
        try await send(store, .held(.forbidden, Samples.failure))
        try await discard(store, 2)
        try await restore(store, 2)
        try await store.outbox.discard(Samples.id(3), by: "uid 1000, pid 7", at: store.clock.now)
        let kinds = try store.raw { db in
            try String.fetchAll(
                db, sql: "SELECT kind FROM event INDEXED BY eventDiscards WHERE \(OutboxSchema.tellsDiscard) ORDER BY cursor")
        }
        #expect(kinds == ["restored", "discarded"])
    }

    @Test(arguments: [nil, .dead(Samples.failure), .held(.forbidden, Samples.failure)] as [Settlement?])
    func restoreBringsBackTheFormerState(settlement: Settlement?) async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1, onDead: .halt))
        if let settlement { try await send(store, settlement) }
        let former = try await entry(store, 1)
        try await discard(store, 1)
        let due = store.clock.now.addingTimeInterval(600)
        let discarded = try await entry(store, 1)
        #expect(discarded.state == .held && discarded.holdReason == .discarding)
        #expect(discarded.discardAt == due && discarded.discardBy == "ann")
        #expect(try await store.claim().isEmpty)
        store.clock.advance(by: 599)
        #expect(try await discardDue(store) == due)
        try await restore(store, 1)
        #expect(try await entry(store, 1) == former)
        #expect(try await details(store, .restored) == [["by": "uid 1000, pid 7", "to": former.state.rawValue]])
        store.clock.advance(by: 600)
        #expect(try await discardDue(store) == nil)
        #expect(try await entry(store, 1) == former)
    }

    @Test func discardingEntryStopsNoLane() async throws {
        let store = try Store()
        for number in 1...2 { try await store.enqueue(Samples.mutation(number, onDead: .halt)) }
        try await send(store, .held(.forbidden, Samples.failure))
        #expect(try await store.claim().isEmpty)
        try await discard(store, 1)
        #expect(try await store.outbox.derivedTablesMatch())
        #expect(try await store.claim().map(\.id) == [Samples.id(2)])
    }

    @Test func restoredEntryStopsItsLaneAgain() async throws {
        let store = try Store()
        for number in 1...2 { try await store.enqueue(Samples.mutation(number, onDead: .halt)) }
        try await send(store, .dead(Samples.failure))
        try await discard(store, 1)
        try await restore(store, 1)
        #expect(try await store.claim().isEmpty)
    }

    @Test func contentIsDestroyedWhenDue() async throws {
        var first = try Store()
        try await first.enqueue(Samples.mutation(1))
        try await discard(first, 1, reason: "Anna asked")
        try first.restart()
        let store = first
        store.clock.advance(by: 600)
        #expect(try await discardDue(store) == nil)
        #expect(try await store.state(1) == .discarded)
        let receipt = try #require(try await store.outbox.receipt(Samples.id(1)))
        #expect(receipt.discardedBy == "ann" && receipt.settledAt == store.clock.now)
        #expect(try store.raw { try Int.fetchOne($0, sql: "SELECT count(*) FROM content") } == 0)
        let held = try await details(store, .held)
        #expect(
            held == [
                [
                    "reason": "discarding", "by": "uid 1000, pid 7", "from": "pending", "note": "Anna asked",
                    "until": store.clock.now.formatted(.iso8601),
                ]
            ])
        #expect(try await details(store, .discarded) == [["by": "uid 1000, pid 7", "from": "held"]])
        await #expect(throws: OutboxError.wrongState(Samples.id(1), .discarded)) { try await restore(store, 1) }
    }

    @Test func destroysOnlyWhatIsDue() async throws {
        let store = try Store()
        _ = try await store.outbox.enqueue((1...202).map { Samples.mutation($0) }, accountLabel: nil, at: store.clock.now)
        for number in 1...201 { try await discard(store, number) }
        store.clock.advance(by: 1)
        try await discard(store, 202)
        store.clock.advance(by: 599)
        #expect(try await discardDue(store) == store.clock.now.addingTimeInterval(1))
        let counts = Dictionary(uniqueKeysWithValues: try await store.outbox.tallies().map { ($0.state, $0.count) })
        #expect(counts == [.discarded: 201, .held: 1])
    }

    /// Otherwise the content would stay for years.
    @Test func timeOfAClockThatWasAheadIsCorrected() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        let now = store.clock.now
        store.clock.step(to: now.addingTimeInterval(86_400 * 365))
        try await discard(store, 1)
        store.clock.step(to: now)
        #expect(try await discardDue(store) == now.addingTimeInterval(600))
        #expect(try await store.state(1) == .held)
        store.clock.advance(by: 600)
        #expect(try await discardDue(store) == nil)
        #expect(try await store.state(1) == .discarded)
    }

    @Test func secondDiscardKeepsTheTimeUnlessAtOnce() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        try await discard(store, 1)
        let first = try await entry(store, 1)
        store.clock.advance(by: 60)
        try await discard(store, 1)
        #expect(try await entry(store, 1) == first)
        try await store.outbox.discard(Samples.id(1), reason: "now", by: "bob", named: nil, at: store.clock.now)
        #expect(try await store.state(1) == .discarded)
        #expect(try await details(store, .discarded) == [["by": "bob", "from": "held", "note": "now"]])
        #expect(try await discardDue(store) == nil)
    }

    @Test func discardingEntryIsNeitherRetriedNorResolved() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        try await send(store, .held(.unknownOutcome, Failure(.lostAnswer, "lost", outcomeUnknown: true)))
        try await discard(store, 1)
        let refusal = OutboxError.beingDiscarded(Samples.id(1), at: store.clock.now.addingTimeInterval(600))
        await #expect(throws: refusal) {
            try await store.outbox.retry(Samples.id(1), forgetsDoubt: true, by: "bob", at: store.clock.now)
        }
        await #expect(throws: refusal) {
            try await store.outbox.resolve(Samples.id(1), as: .notDelivered, by: "bob", named: nil, at: store.clock.now)
        }
        try await restore(store, 1)
        #expect(try await entry(store, 1).holdReason == .unknownOutcome)
    }

    @Test func restoreNeedsADiscardingEntry() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        await #expect(throws: OutboxError.wrongState(Samples.id(1), .pending)) { try await restore(store, 1) }
        try await send(store, .held(.forbidden, Samples.failure))
        await #expect(throws: OutboxError.wrongState(Samples.id(1), .held)) { try await restore(store, 1) }
        await #expect(throws: OutboxError.notFound(Samples.id(9))) { try await restore(store, 9) }
    }

    @Test func signOutThatDiscardsDestroysDiscardingEntriesAtOnce() async throws {
        let store = try Store()
        for number in 1...2 { try await store.enqueue(Samples.mutation(number)) }
        try await discard(store, 1)
        let count = try await store.outbox.discardAll(of: Samples.destination, by: "bob", named: nil, at: store.clock.now)
        #expect(count == 2)
        #expect(try store.raw { try Int.fetchOne($0, sql: "SELECT count(*) FROM content") } == 0)
        #expect(try await discardDue(store) == nil)
        #expect(try await store.outbox.receipt(Samples.id(1))?.discardedBy == "bob")
    }

    @Test func overviewCountsDiscardingEntriesApart() async throws {
        let store = try Store()
        for number in 1...2 {
            var mutation = Samples.mutation(number)
            mutation.subject = RosterID("\(number)")
            try await store.enqueue(mutation)
        }
        for _ in 1...2 { try await send(store, .dead(Samples.failure)) }
        try await discard(store, 1)
        let overview = try await store.outbox.overview()
        #expect(overview.discarding.map(\.count) == [1] && overview.discarding.map(\.route) == ["measurement"])
        #expect(overview.tallies.map(\.state) == [.dead, .held])
        #expect(overview.talliesAfterDiscards.map(\.state) == [.dead, .discarded])
        #expect(overview.commonSubjects.map(\.subject) == [RosterID("2")])
    }

    /// An entry that must be sent after one that is being discarded.
    @Test func followerWaitsAndIsHeldWhenTheContentIsDestroyed() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        var follower = Samples.mutation(2, lane: "fit_tests/5")
        follower.after = Lane("users/5")
        try await store.enqueue(follower)
        try await discard(store, 1)
        #expect(try await store.claim().isEmpty)
        #expect(try await store.state(2) == .pending)
        store.clock.advance(by: 600)
        _ = try await discardDue(store)
        #expect(try await entry(store, 2).holdReason == .dependency)
    }

    /// It must not overtake the decision of a person about an entry that is gone.
    @Test func followerOfADiscardedEntryComesBackOnHold() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        var follower = Samples.mutation(2, lane: "fit_tests/5")
        follower.after = Lane("users/5")
        try await store.enqueue(follower)
        try await discard(store, 2)
        try await store.outbox.discard(Samples.id(1), by: "ann", at: store.clock.now)
        try await restore(store, 2)
        let restored = try await entry(store, 2)
        #expect(restored.holdReason == .dependency)
        #expect(restored.lastError == "It had to be sent after entry \(Samples.id(1)), which was discarded.")
        #expect(try await store.claim().isEmpty)
    }

    /// A measurement is discarded and repeated, and then comes a fit test.
    @Test func entryDoesNotFollowOneThatIsBeingDiscarded() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        try await discard(store, 1)
        try await store.enqueue(Samples.mutation(2))
        try await store.deliver(try #require(try await store.claim().first))
        var follower = Samples.mutation(3, lane: "fit_tests/5")
        follower.after = Lane("users/5")
        try await store.enqueue(follower)
        store.clock.advance(by: 600)
        #expect(try await discardDue(store) == nil)
        #expect(try await store.claim().map(\.id) == [Samples.id(3)])
    }

    /// A restored entry must not be looked up by another rule than the one it was sent with.
    @Test func uncertainEntryComesBackOnHoldAfterAChangedRule() async throws {
        let store = try Store()
        let lost = Failure(.lostAnswer, "lost", outcomeUnknown: true)
        _ = try await store.outbox.claimLookupRules(["measurement": "a"], of: "breathesafe", at: store.clock.now)
        try await store.enqueue(Samples.mutation(1))
        try await send(store, .released(until: store.clock.now, lost))
        try await discard(store, 1)
        _ = try await store.outbox.claimLookupRules(["measurement": "b"], of: "breathesafe", at: store.clock.now)
        try await restore(store, 1)
        #expect(try await entry(store, 1).holdReason == .unknownOutcome)
    }

    // MARK: Entries that refer to what another creates

    /// Entry 1 creates a person, and entry 2 measures them.
    private func createAndMeasurement() async throws -> Store {
        let store = try Store()
        var create = Samples.mutation(1, lane: "create")
        create.creates = "managed_users"
        try await store.enqueue(create)
        var measurement = Samples.mutation(2, lane: "measure")
        (measurement.subject, measurement.reference) = (RosterID(createdBy: Samples.id(1)), "managed_users")
        try await store.enqueue(measurement)
        return store
    }

    @Test func dependentsAreHeldAndReleasedWithTheirCreate() async throws {
        let store = try await createAndMeasurement()
        try await discard(store, 1)
        #expect(try await entry(store, 2).holdReason == .dependency)
        try await restore(store, 1)
        #expect(try await [store.state(1), store.state(2)] == [.pending, .pending])
    }

    @Test func dependentHeldBeforeItsDiscardIsSentOnceItsCreateIsOnItsWay() async throws {
        let store = try await createAndMeasurement()
        try await send(store, .dead(Samples.failure))
        #expect(try await entry(store, 2).holdReason == .dependency)
        try await discard(store, 2)
        try await store.outbox.retry(Samples.id(1), forgetsDoubt: false, by: "ann", at: store.clock.now)
        #expect(try await entry(store, 2).holdReason == .discarding)
        try await restore(store, 2)
        #expect(try await store.state(2) == .pending)
    }

    @Test func dependentOfAFailedCreateComesBackOnHold() async throws {
        let store = try await createAndMeasurement()
        try await discard(store, 2)
        try await send(store, .dead(Samples.failure))
        try await restore(store, 2)
        #expect(try await entry(store, 2).holdReason == .dependency)
    }
}
