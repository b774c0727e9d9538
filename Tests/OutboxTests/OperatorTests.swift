import Foundation
import GRDB
import Outbox
import StoreSupport
import SyncModel
import TestSupport
import Testing

@Suite struct OperatorTests {
    @Test func retryResetsAttemptsAndKeepsIDAndContent() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        try await store.settle(try await store.claim()[0], .dead(Samples.failure), .transient(Samples.failure))
        try await store.outbox.retry(Samples.id(1), forgetsDoubt: false, by: "uid 1000", at: store.clock.now)
        let entry = try await store.claim()[0]
        #expect(entry.attempts == 0)
        #expect(entry.mutation == Samples.mutation(1))
        #expect(try await store.outbox.entry(Samples.id(1))?.attempts.count == 1)
    }

    /// Otherwise claiming both would violate a unique index and end the daemon.
    @Test func retriedEntryWaitsForTheOneBeingSent() async throws {
        let store = try Store()
        for number in 1...2 { try await store.enqueue(Samples.mutation(number)) }
        try await store.settle(try await store.claim()[0], .dead(Samples.failure), .permanent(Samples.failure))
        let second = try await store.claim()
        #expect(second.map(\.id) == [Samples.id(2)])
        try await store.outbox.retry(Samples.id(1), forgetsDoubt: false, by: "test", at: store.clock.now)
        let claimed = try await store.outbox.claim([Samples.destination: 4], at: store.clock.now)
        #expect(claimed.entries.isEmpty && claimed.nextDue.isEmpty)
        #expect(try await store.outbox.derivedTablesMatch())
        try await store.settle(second[0], .delivered(Samples.receipt), .accepted(Samples.receipt))
        #expect(try await store.claim().map(\.id) == [Samples.id(1)])
    }

    @Test func discardUnblocksLaneAndRecordsEvent() async throws {
        let store = try Store()
        for number in 1...2 { try await store.enqueue(Samples.mutation(number, onDead: .halt)) }
        try await store.settle(try await store.claim()[0], .dead(Samples.failure), .permanent(Samples.failure))
        #expect(try await store.claim().isEmpty)
        try await store.outbox.discard(Samples.id(1), by: "uid 1000", at: store.clock.now)
        #expect(try await store.state(1) == .discarded)
        #expect(try await store.claim().map(\.id) == [Samples.id(2)])
        let event = try #require(try await store.outbox.events(since: 0, limit: 100).last { $0.kind == .discarded })
        #expect(event.detail == ["by": "uid 1000", "from": "dead"])
    }

    @Test func countsEntriesBehindFailedOneAsBlocked() async throws {
        let store = try Store()
        for number in 1...3 { try await store.enqueue(Samples.mutation(number, onDead: .halt)) }
        try await store.enqueue(Samples.mutation(4, lane: "users/6"))
        #expect(try await store.outbox.overview().blocked.isEmpty)
        try await store.settle(try await store.claim()[0], .dead(Samples.failure), .permanent(Samples.failure))
        #expect(try await store.outbox.overview().blocked == [Samples.destination: 2])
        try await store.outbox.retry(Samples.id(1), forgetsDoubt: false, by: "test", at: store.clock.now)
        try await store.settle(try await store.claim()[0], .held(.forbidden, Samples.failure), .forbidden(Samples.failure))
        #expect(try await store.outbox.overview().blocked == [Samples.destination: 2])
        try await store.outbox.discard(Samples.id(1), by: "test", at: store.clock.now)
        #expect(try await store.outbox.overview().blocked.isEmpty)
    }

    @Test(arguments: [(Mutation.OnDead.skipFailed, 2), (.halt, 2), (.skip, nil)] as [(Mutation.OnDead, Int?)])
    func countsEntriesBehindOneThatKeepsFailing(onDead: Mutation.OnDead, count: Int?) async throws {
        let store = try Store()
        for number in 1...3 { try await store.enqueue(Samples.mutation(number, onDead: onDead)) }
        try await store.enqueue(Samples.mutation(4, lane: "users/6"))
        let failing = try await store.claim()[0]
        try await store.settle(failing, .aside(until: .distantPast, Samples.failure), .transient(Samples.failure))
        let overview = try await store.outbox.overview()
        let heldBack = overview.heldBack[Samples.destination]?["measurement"]
        #expect(heldBack?.count == count && heldBack?.by == count.map { _ in Samples.id(1).description })
        #expect(overview.blocked.isEmpty)
        #expect(try await store.outbox.context(of: Samples.id(1))?.later == count ?? 0)
    }

    /// Of two such entries, the status names the older one, with those behind it alone. It must not be slow behind a million.
    @Test func countsOnlySoManyEntriesBehindTheOldest() async throws {
        let store = try Store()
        for number in 1...2 {
            try await store.enqueue(Samples.mutation(number, lane: "users/\(number)", onDead: .skipFailed))
            let failing = try await store.claim()[0]
            try await store.settle(failing, .aside(until: .distantFuture, Samples.failure), .transient(Samples.failure))
        }
        for number in 3...4 { try await store.enqueue(Samples.mutation(number, lane: "users/1", onDead: .skipFailed)) }
        try await store.enqueue(Samples.mutation(5, lane: "users/2", onDead: .skipFailed))
        let few = try await store.outbox.overview().heldBack[Samples.destination]?["measurement"]
        #expect(few?.by == Samples.id(1).description && few?.count == 2)
        try store.raw { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE number (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM number WHERE value < \(Outbox.countedInLane))
                    INSERT INTO entry (id, backend, account, lane, route, onDead, size, digest, dueAt, capturedAt, acceptedAt)
                        SELECT printf('00000000-0000-7000-9000-%012d', value), backend, account, lane, route, onDead, 1, zeroblob(32), 0, 5, 5
                        FROM number JOIN entry ON entry.sequence = 3
                    """)
        }
        #expect(try await store.outbox.overview().heldBack[Samples.destination]?["measurement"]?.count == Outbox.countedInLane)
    }

    /// A fit test follows the measurements, and a deletion follows all that belongs to the person, although their lanes are others.
    @Test func countsEntriesThatMustFollowAFailedOneAsBlocked() async throws {
        let store = try Store()
        var capture = Samples.mutation(1)
        (capture.subject, capture.reference) = ("5", "people")
        var test = Samples.mutation(2, lane: "tests/5")
        test.after = "users/5"
        var deletion = Samples.mutation(3, lane: "deletes/5")
        (deletion.subject, deletion.reference, deletion.afterSubject) = ("5", "people", true)
        var other = Samples.mutation(4, lane: "deletes/6")
        (other.subject, other.reference, other.afterSubject) = ("6", "people", true)
        for mutation in [capture, test, deletion, Samples.mutation(5, lane: "tests/5"), other] { try await store.enqueue(mutation) }
        #expect(try await store.outbox.overview().blocked.isEmpty)
        let first = try #require(try await store.claim().first { $0.id == Samples.id(1) })
        try await store.settle(first, .dead(Samples.failure), .permanent(Samples.failure))
        #expect(try await store.outbox.overview().blocked == [Samples.destination: 3])
        try await store.outbox.discard(Samples.id(1), by: "test", at: store.clock.now)
        #expect(try await store.outbox.overview().blocked.isEmpty)
    }

    @Test(arguments: [Settlement.held(.unknownOutcome, lost), .dead(lost), .released(until: .distantPast, lost)], [true, false])
    func retryForgetsDoubtOnlyIfAsked(settlement: Settlement, forgetsDoubt: Bool) async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        try await store.settle(try await store.claim()[0], settlement, .unknown(Self.lost))
        try await store.outbox.retry(Samples.id(1), forgetsDoubt: forgetsDoubt, by: "test", at: store.clock.now)
        let entry = try await store.claim()[0]
        #expect(entry.uncertain == !forgetsDoubt)
        #expect((entry.uncertainSince != nil) == !forgetsDoubt)
    }

    /// The refusal concerns the second send; the first may have taken effect.
    @Test(
        arguments: [
            (Settlement.dead(Samples.failure), Verdict.permanent(Samples.failure)),
            (.held(.forbidden, Samples.failure), .forbidden(Samples.failure)),
        ], [true, false])
    func retryAfterRefusalLooksForEarlierLostSend(refusal: (Settlement, Verdict), forgetsDoubt: Bool) async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        let first = store.clock.now
        try await store.settle(try await store.claim()[0], .retry(at: first, Self.lost), .unknown(Self.lost))
        store.clock.advance(by: 60)
        let second = store.clock.now
        try await store.settle(try await store.claim()[0], refusal.0, refusal.1)
        #expect(try await store.outbox.entry(Samples.id(1))?.entry.uncertain == false)
        store.clock.advance(by: 60)
        try await store.outbox.retry(Samples.id(1), forgetsDoubt: forgetsDoubt, by: "test", at: store.clock.now)
        let entry = try await store.claim()[0]
        #expect(entry.uncertain == !forgetsDoubt)
        #expect(entry.uncertainSince == (forgetsDoubt ? nil : first))
        #expect(entry.doubtedAt == (forgetsDoubt ? nil : second))
    }

    private static let lost = Failure(.lostAnswer, "lost", outcomeUnknown: true)

    @Test func refusesActionsOnEntriesInFlightOrFinal() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        let entry = try await store.claim()[0]
        await #expect(throws: OutboxError.wrongState(Samples.id(1), .inflight)) {
            try await store.outbox.discard(Samples.id(1), by: "test", at: store.clock.now)
        }
        try await store.deliver(entry)
        await #expect(throws: OutboxError.wrongState(Samples.id(1), .delivered)) {
            try await store.outbox.retry(Samples.id(1), forgetsDoubt: false, by: "test", at: store.clock.now)
        }
        await #expect(throws: OutboxError.notFound(Samples.id(9))) {
            try await store.outbox.discard(Samples.id(9), by: "test", at: store.clock.now)
        }
    }

    @Test func makesWaitingEntriesDue() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        try await store.settle(
            try await store.claim()[0], .released(until: store.clock.now.addingTimeInterval(600), Samples.failure),
            .unreachable(Samples.failure))
        #expect(try await store.claim().isEmpty)
        try await store.outbox.makeDue(backend: "another", lookingUp: [], at: store.clock.now)
        #expect(try await store.claim().isEmpty)
        try await store.outbox.makeDue(backend: "breathesafe", lookingUp: [], at: store.clock.now)
        #expect(try await store.claim().count == 1)
    }

    /// An answer to another entry would be news about sending.
    @Test func reportsAccountsOfWhichEachDueEntryIsLookedUp() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        let due = store.clock.now.addingTimeInterval(900)
        try await store.settle(try await store.claim()[0], .aside(until: due, Self.lost), .unknown(Self.lost))
        func makeDue(_ routes: Set<String>) async throws -> MadeDue {
            try await store.outbox.makeDue(backend: "breathesafe", lookingUp: routes, at: store.clock.now)
        }
        let account = Samples.destination.account
        #expect(try await makeDue([]) == MadeDue(later: [account: due]))
        #expect(try await makeDue(["measurement"]) == MadeDue(lookedUp: [account]))
        try await store.enqueue(Samples.mutation(2, lane: "users/6"))
        #expect(try await makeDue(["measurement"]) == MadeDue())
        #expect(try await store.claim(2).count == 2)
    }

    /// Until then, the server may still be working on the send.
    @Test func lostSendOfARereadRouteIsDueOnceItIsOldEnough() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        let sent = store.clock.now
        let due = sent.addingTimeInterval(900)
        try await store.settle(try await store.claim()[0], .released(until: due, Self.lost), .unknown(Self.lost))
        func makeDue(_ routes: Set<String>, sentBefore time: Date) async throws -> MadeDue {
            try await store.outbox.makeDue(
                backend: "breathesafe", lookingUp: [], rereading: routes, sentBefore: time, at: store.clock.now)
        }
        let later = MadeDue(later: [Samples.destination.account: due])
        #expect(try await makeDue([], sentBefore: due) == later)
        #expect(try await makeDue(["measurement"], sentBefore: sent) == later)
        #expect(try await store.claim().isEmpty)
        #expect(try await makeDue(["measurement"], sentBefore: sent.addingTimeInterval(1)) == MadeDue())
        #expect(try await store.claim().count == 1)
    }

    @Test func eventsAreContiguousAndInOrder() async throws {
        let store = try Store()
        for number in 1...5 { try await store.enqueue(Samples.mutation(number)) }
        await #expect(throws: OutboxError.self) { try await store.enqueue(Samples.mutation(1, payload: "[]")) }
        try await store.deliver(try await store.claim()[0])
        let events = try await store.outbox.events(since: 0, limit: 100)
        #expect(events.map(\.cursor) == Array(1...6))
        #expect(events.map(\.kind) == Array(repeating: .captured, count: 5) + [.delivered])
        #expect(try await store.outbox.events(since: 4, limit: 1).map(\.cursor) == [5])
    }

    /// A newer version wrote them before a downgrade.
    @Test func pageOfUnknownEventsDoesNotHideLaterOnes() async throws {
        let store = try Store()
        try store.raw { db in
            for _ in 1...3 { try db.execute(sql: "INSERT INTO event (at, kind, detail) VALUES (0, 'later', '{}')") }
        }
        try await store.enqueue(Samples.mutation(1))
        #expect(try await store.outbox.events(since: 0, limit: 3).map(\.cursor) == [4])
    }

    @Test func talliesIncludePrunedEntries() async throws {
        let store = try Store()
        for number in 1...3 { try await store.enqueue(Samples.mutation(number)) }
        for _ in 1...2 { try await store.deliver(try await store.claim()[0]) }
        try await store.outbox.prune(before: store.clock.now.addingTimeInterval(1), at: store.clock.now)
        let counts = Dictionary(uniqueKeysWithValues: try await store.outbox.tallies().map { ($0.state, $0.count) })
        #expect(counts == [.delivered: 2, .pending: 1])
        #expect(try await store.outbox.derivedTablesMatch())
    }

    /// The control for the comparison that other tests rely on.
    @Test func detectsWrongDerivedTable() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        #expect(try await store.outbox.derivedTablesMatch())
        try store.raw { try $0.execute(sql: "UPDATE tally SET count = 2") }
        #expect(try await store.outbox.derivedTablesMatch() == false)
    }
}
