import Foundation
import GRDB
import Outbox
import StoreSupport
import SyncModel
import TestSupport
import Testing

@Suite struct ClaimTests {
    @Test func claimsOneEntryPerLaneInOrder() async throws {
        let store = try Store()
        for number in 1...3 { try await store.enqueue(Samples.mutation(number)) }
        let first = try await store.claim(10)
        #expect(first.map(\.id) == [Samples.id(1)])
        #expect(try await store.claim(10).isEmpty)
        try await store.deliver(first[0])
        #expect(try await store.claim(10).map(\.id) == [Samples.id(2)])
    }

    @Test func schemaForbidsTwoEntriesInFlightPerLane() async throws {
        let store = try Store()
        for number in 1...2 { try await store.enqueue(Samples.mutation(number)) }
        _ = try await store.claim()
        #expect(throws: DatabaseError.self) { try store.raw { try $0.execute(sql: "UPDATE entry SET state = 'inflight', epoch = 1") } }
    }

    @Test func claimsLanesInParallel() async throws {
        let store = try Store()
        for number in 1...6 { try await store.enqueue(Samples.mutation(number, lane: "users/\(number)")) }
        #expect(try await store.claim(4).map(\.id) == (1...4).map(Samples.id))
        #expect(try await store.claim(4).map(\.id) == (5...6).map(Samples.id))
    }

    @Test func limitsLargePayloadsInFlight() async throws {
        let store = try Store()
        for (number, size) in [12, 12, 12, 33].enumerated() {
            try await store.enqueue(
                Samples.mutation(number + 1, lane: "\(number)", payload: #"{"mesh":"\#(String(repeating: "x", count: size << 20))"}"#))
        }
        let first = try await store.outbox.claim([Samples.destination: 4], at: store.clock.now)
        #expect(first.entries.map(\.id) == [1, 2].map(Samples.id))
        #expect(first.nextDue.isEmpty)
        #expect(try await store.claim(4).isEmpty)
        try await store.deliver(first.entries[0])
        let third = try await store.claim(4)
        #expect(third.map(\.id) == [Samples.id(3)])
        try await store.deliver(first.entries[1])
        #expect(try await store.claim(4).isEmpty)
        #expect(try await store.state(4) == .pending)
        for entry in third { try await store.deliver(entry) }
        #expect(try await store.claim(4).map(\.id) == [Samples.id(4)])
    }

    @Test func anotherAccountsEntriesAreNotClaimed() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1, account: "1"))
        try await store.enqueue(Samples.mutation(2, account: "2"))
        #expect(try await store.claim(9, account: "2").map(\.id) == [Samples.id(2)])
        #expect(try await store.claim(9, account: "3").isEmpty)
    }

    @Test func waitingEntryBlocksItsLaneUntilItIsDue() async throws {
        let store = try Store()
        for number in 1...2 { try await store.enqueue(Samples.mutation(number)) }
        let due = store.clock.now.addingTimeInterval(60)
        try await store.settle(try await store.claim()[0], .retry(at: due, Samples.failure), .transient(Samples.failure))
        let claimed = try await store.outbox.claim([Samples.destination: 5], at: store.clock.now)
        #expect(claimed.entries.isEmpty)
        #expect(claimed.nextDue == [Samples.destination: ["measurement": due]])
        store.clock.advance(to: due)
        #expect(try await store.claim(5).map(\.id) == [Samples.id(1)])
    }

    @Test(arguments: [(Mutation.OnDead.skip, [2]), (.skipFailed, []), (.halt, [])])
    func headThatStepsAsideIsPassedOnlyIfDeclared(onDead: Mutation.OnDead, next: [Int]) async throws {
        let store = try Store()
        for number in 1...2 { try await store.enqueue(Samples.mutation(number, onDead: onDead)) }
        let later = store.clock.now.addingTimeInterval(60)
        try await store.settle(try await store.claim()[0], .aside(until: later, Samples.failure), .transient(Samples.failure))
        #expect(try await store.claim().map(\.id) == next.map(Samples.id))
        #expect(try await store.outbox.derivedTablesMatch())
        let event = try #require(try await store.outbox.events(since: 0, limit: 100).last { $0.kind == .released })
        #expect((event.detail["aside"] == "true") == (onDead == .skip))
    }

    @Test(arguments: [(Mutation.OnDead.skip, [2]), (.skipFailed, [2]), (.halt, [])])
    func failedHeadHaltsLaneOnlyIfDeclared(onDead: Mutation.OnDead, next: [Int]) async throws {
        let store = try Store()
        for number in 1...2 { try await store.enqueue(Samples.mutation(number, onDead: onDead)) }
        try await store.settle(try await store.claim()[0], .dead(Samples.failure), .permanent(Samples.failure))
        #expect(try await store.claim().map(\.id) == next.map(Samples.id))
        #expect(try await store.outbox.derivedTablesMatch())
    }

    @Test func clockStepDoesNotDelayEntriesWithoutDueTime() async throws {
        let store = try Store()
        for number in 1...3 { try await store.enqueue(Samples.mutation(number, lane: "\(number)")) }
        try await store.settle(try await store.claim()[0], .released(until: store.clock.now, Samples.failure))
        try await store.settle(try await store.claim()[0], .dead(Samples.failure), .permanent(Samples.failure))
        try await store.outbox.retry(Samples.id(1), forgetsDoubt: false, by: "test", at: store.clock.now)
        store.clock.advance(by: -5 * 3600)
        #expect(try await store.claim(5).map(\.id) == [1, 2, 3].map(Samples.id))
        #expect(try await store.outbox.entry(Samples.id(1))?.entry.dueAt == nil)
    }

    @Test func keepsUncertainSinceOverRetriesAndCrashes() async throws {
        var store = try Store()
        try await store.enqueue(Samples.mutation(1))
        let lost = Failure(.lostAnswer, "lost", outcomeUnknown: true)
        let first = store.clock.now
        try await store.settle(try await store.claim()[0], .released(until: first, lost), .unknown(lost))
        store.clock.advance(by: 60)
        try await store.settle(try await store.claim()[0], .released(until: store.clock.now, lost), .unreachable(lost))
        store.clock.advance(by: 60)
        #expect(try await store.claim()[0].uncertainSince == first)
        try store.restart()
        let orphan = try await store.claim()[0]
        #expect(orphan.uncertain && orphan.uncertainSince == first)
        try await store.settle(orphan, .released(until: store.clock.now, Samples.failure), .transient(Samples.failure))
        let claimedAt = store.clock.now
        #expect(try await store.claim()[0].uncertainSince == nil)
        store.clock.advance(by: 3600)
        try store.restart()
        #expect(try await store.claim()[0].uncertainSince == claimedAt)
    }

    @Test func holdsUnreadableRowAndClaimsNext() async throws {
        let store = try Store()
        for number in 1...2 { try await store.enqueue(Samples.mutation(number)) }
        try store.raw { db in
            try db.execute(sql: "DROP TRIGGER contentSame; UPDATE content SET sealed = zeroblob(60) WHERE sequence = 1")
        }
        #expect(try await store.claim().map(\.id) == [Samples.id(2)])
        #expect(try await store.outbox.entry(Samples.id(1))?.entry.holdReason == .unreadable)
    }

    /// The last answer is not why the entry is on hold.
    @Test func holdingUnreadableEntryClearsItsLastStatus() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        try await store.settle(try await store.claim()[0], .released(until: store.clock.now, Samples.failure))
        #expect(try await store.outbox.entry(Samples.id(1))?.entry.lastStatus == 500)
        try store.raw { try $0.execute(sql: "DROP TRIGGER contentSame; UPDATE content SET sealed = zeroblob(60)") }
        #expect(try await store.claim().isEmpty)
        let held = try #require(try await store.outbox.entry(Samples.id(1))).entry
        #expect(held.holdReason == .unreadable && held.lastStatus == nil)
    }

    /// Tests rows from before entries had a checksum.
    @Test func holdsEntryWithWrongDigest() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        try store.raw { try $0.execute(sql: "DROP TRIGGER entryIdentity; UPDATE entry SET identity = NULL, digest = zeroblob(32)") }
        #expect(try await store.claim().isEmpty)
        #expect(try await store.outbox.entry(Samples.id(1))?.entry.holdReason == .unreadable)
    }

    @Test func claimsByCoveringIndexAlone() async throws {
        let store = try Store()
        let plan = try store.raw { db in
            try Row.fetchAll(
                db,
                sql: """
                    EXPLAIN QUERY PLAN SELECT head, dueAt, lane FROM lane WHERE backend = 'b' AND account = '1' AND route = 'r'
                    AND dueAt IS NOT NULL AND dueAt <= 5 ORDER BY dueAt, head LIMIT 4
                    """
            ).map { $0["detail"] as String }
        }
        #expect(plan == ["SEARCH lane USING COVERING INDEX laneDue (backend=? AND account=? AND route=? AND dueAt>? AND dueAt<?)"])
    }
}
