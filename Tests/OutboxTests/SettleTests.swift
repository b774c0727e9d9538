import Foundation
import GRDB
import StoreSupport
import SyncModel
import Synchronization
import TestSupport
import Testing

@testable import Outbox

@Suite struct SettleTests {
    @Test func deliveryKeepsReceiptAndRemovesContent() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        try await store.deliver(try await store.claim()[0])
        let record = try #require(try await store.outbox.entry(Samples.id(1))).entry
        #expect(record.state == .delivered)
        #expect(record.remoteID == "7")
        #expect(try store.raw { try Int.fetchOne($0, sql: "SELECT count(*) FROM content") } == 0)
        #expect(try store.raw { try String.fetchOne($0, sql: "SELECT outcome FROM receipt") } == "delivered")
    }

    /// A first attempt that delivers the entry has no row. It is derived from the entry and its receipt.
    @Test(arguments: [[], [Failure(.offline, "offline")]]) func tellsEveryAttempt(failures: [Failure]) async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        for failure in failures {
            try await store.settle(try await store.claim()[0], .released(until: store.clock.now, failure), .unreachable(failure))
        }
        let sent = store.clock.now
        let entry = try await store.claim()[0]
        let attempt = Attempt(.accepted(Samples.receipt), route: Samples.route, startedAt: sent, endedAt: sent.addingTimeInterval(2))
        store.clock.advance(by: 2)
        _ = try await store.outbox.settle(
            [Settled(entry, .delivered(Samples.receipt), attempt: attempt)], thenClaim: [:], at: store.clock.now)
        let told = try #require(try await store.outbox.entry(Samples.id(1))).attempts
        #expect(told.map(\.verdict) == failures.map { _ in "unreachable" } + ["accepted"])
        #expect(
            told.last
                == AttemptRecord(startedAt: sent, endedAt: sent.addingTimeInterval(2), verdict: "accepted", counted: false, status: 201))
        #expect(try store.raw { try Int.fetchOne($0, sql: "SELECT count(*) FROM attempt") } == (failures.isEmpty ? 0 : 2))
    }

    /// The answer to the send says more than a look-up that does not find the entry yet.
    @Test func anAbsenceKeepsTheAnswerToTheSend() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        let error = Failure(.serverError, status: 500, "Oops.", outcomeUnknown: true)
        let unseen = Failure(.lostAnswer, "Not there yet.", outcomeUnknown: true)
        let failedLookUp = Failure(.serverError, status: 502, "The look-up failed.", outcomeUnknown: true)
        let steps: [(Verdict, wasSent: Bool, status: Int?, error: String)] = [
            (.unknown(error), true, 500, "Oops."), (.unseen(unseen), false, 500, "Oops."),
            (.unknown(failedLookUp), false, 502, "The look-up failed."), (.unseen(unseen), false, nil, "Not there yet."),
        ]
        for step in steps {
            let failure = try #require(step.0.failure)
            try await store.settle(
                try await store.claim()[0], .released(until: store.clock.now, failure), step.0, wasSent: step.wasSent)
            let entry = try #require(try await store.outbox.entry(Samples.id(1))).entry
            #expect(entry.lastStatus == step.status && entry.lastError == step.error)
        }
    }

    /// What is known about the last send decides when an absence counts, so an attempt that sends nothing must not replace it.
    @Test(
        arguments: [
            (Verdict.unreachable(Failure(.offline, "No network.", outcomeUnknown: true)), true),
            (.throttled(Failure(.throttled, status: 429, "Slowly.", outcomeUnknown: true), until: .distantPast), true),
            (.unauthorized(Failure(.signInRequired, "Sign in.", outcomeUnknown: true)), true), (nil, true),
            (.unknown(Failure(.serverError, status: 502, "The look-up failed.", outcomeUnknown: true)), false),
        ] as [(Verdict?, Bool)])
    func anAttemptWithoutASendKeepsTheAnswerToTheLastOne(verdict: Verdict?, isKept: Bool) async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        let error = Failure(.serverError, status: 500, "Oops.", outcomeUnknown: true)
        try await store.settle(try await store.claim()[0], .released(until: store.clock.now, error), .unknown(error))
        let failure = verdict?.failure ?? Failure(.signInRequired, "Sign in.", outcomeUnknown: true)
        try await store.settle(try await store.claim()[0], .released(until: store.clock.now, failure), verdict, wasSent: false)
        let entry = try #require(try await store.outbox.entry(Samples.id(1))).entry
        #expect((entry.lastStatus == 500 && entry.lastReason == .serverError && entry.lastError == "Oops.") == isKept)
        #expect(entry.uncertain && (entry.looks == 0) == isKept)
    }

    /// A look-up found that the send had no effect, so its answer tells nothing more.
    @Test func anAttemptThatEndsTheDoubtHasItsOwnResult() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        let error = Failure(.serverError, status: 500, "Oops.", outcomeUnknown: true)
        try await store.settle(try await store.claim()[0], .released(until: store.clock.now, error), .unknown(error))
        let offline = Failure(.offline, "No network.")
        try await store.settle(
            try await store.claim()[0], .released(until: store.clock.now, offline), .unreachable(offline), wasSent: false)
        let entry = try #require(try await store.outbox.entry(Samples.id(1))).entry
        #expect(!entry.uncertain && entry.lastReason == .offline && entry.lastStatus == nil)
    }

    /// The first send had no effect, so the newest obstacle is the result.
    @Test func anUnsentEntryHasTheNewestResult() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        let offline = Failure(.offline, "No network.")
        for failure in [Samples.failure, offline] {
            try await store.settle(
                try await store.claim()[0], .released(until: store.clock.now, failure), .unreachable(failure), wasSent: false)
        }
        #expect(try await store.outbox.entry(Samples.id(1))?.entry.lastError == offline.message)
    }

    /// Neither a person's word nor a row that was found is an attempt that was accepted.
    @Test func inventsNoAttempt() async throws {
        let store = try Store()
        for number in 1...2 { try await store.enqueue(Samples.mutation(number, lane: "\(number)")) }
        let found = Receipt(remoteID: "7", status: 200, foundByLookup: true, at: store.clock.now)
        try await store.settle(try await store.claim()[0], .delivered(found), .accepted(found))
        #expect(try store.raw { try Int.fetchOne($0, sql: "SELECT count(*) FROM attempt") } == 1)
        let lost = Failure(.lostAnswer, "lost", outcomeUnknown: true)
        try await store.settle(try await store.claim()[0], .held(.unknownOutcome, lost), .unknown(lost))
        try store.raw { try $0.execute(sql: "DELETE FROM attempt") }
        try await store.outbox.resolve(Samples.id(2), as: .delivered(remoteID: nil), by: "ann", named: nil, at: store.clock.now)
        for number in 1...2 { #expect(try await store.outbox.entry(Samples.id(number))?.attempts == []) }
    }

    @Test func deliveryAfterALostAnswerSaysThatTheServerMayHaveItTwice() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        let lost = Failure(.lostAnswer, "lost", outcomeUnknown: true)
        try await store.settle(try await store.claim()[0], .released(until: store.clock.now, lost), .unknown(lost))
        try await store.deliver(try await store.claim()[0])
        let events = try await store.outbox.events(since: 0, limit: 10)
        #expect(events.last { $0.kind == .delivered }?.detail["doubts"] == "1")
        #expect(try await store.outbox.entry(Samples.id(1))?.entry.doubts == 1)
    }

    @Test func settlingAndClaimingShareOneTransaction() async throws {
        let store = try Store()
        for number in 1...2 { try await store.enqueue(Samples.mutation(number)) }
        let first = try await store.claim()[0]
        let next = try await store.outbox.settle(
            [Settled(first, .delivered(Samples.receipt), attempt: nil)], thenClaim: [Samples.destination: 1], at: store.clock.now)
        #expect(next.entries.map(\.id) == [Samples.id(2)])
    }

    /// The same applies if this run has claimed the entry again.
    @Test(arguments: [Entry.State.pending, .inflight]) func lateSettlementIsIgnored(state: Entry.State) async throws {
        var store = try Store()
        try await store.enqueue(Samples.mutation(1))
        let late = try await store.claim()[0]
        let old = store.outbox
        try store.restart()
        if state == .inflight { #expect(try await store.claim().map(\.id) == [late.id]) }
        let now = store.clock.now
        let attempt = Attempt(.permanent(Samples.failure), route: Samples.route, startedAt: now, endedAt: now)
        _ = try await old.settle([Settled(late, .dead(Samples.failure), attempt: attempt)], thenClaim: [:], at: now)
        #expect(try await store.state(1) == state)
        #expect(try await store.outbox.entry(Samples.id(1))?.attempts.isEmpty == true)
    }

    /// Only damage can cause this, and it must not stop the other entries.
    @Test func holdsOnlyEntryThatCannotBeSettled() async throws {
        let store = try Store()
        for number in 1...3 { try await store.enqueue(Samples.mutation(number, lane: "\(number)")) }
        for entry in try await store.claim(3) { try await store.settle(entry, .released(until: store.clock.now, Samples.failure)) }
        let claimed = try await store.claim(3)
        try store.raw { db in
            try db.execute(
                sql: """
                    INSERT INTO receipt (id, sequence, backend, account, lane, route, size, digest, outcome, foundByLookup, attempts, capturedAt, acceptedAt,
                        settledAt)
                    SELECT ?, sequence, backend, account, lane, route, size, digest, 'delivered', 0, attempts, capturedAt, acceptedAt, acceptedAt FROM entry
                    WHERE sequence = 2
                    """, arguments: [Samples.id(9).description])
        }
        _ = try await store.outbox.settle(
            claimed.map { Settled($0, .delivered(Samples.receipt), attempt: nil) }, thenClaim: [:], at: store.clock.now)
        #expect(try await [store.state(1), store.state(2), store.state(3)] == [.delivered, .held, .delivered])
        let held = try #require(try await store.outbox.entry(Samples.id(2))).entry
        #expect(held.holdReason == .unreadable && held.uncertain && held.lastError?.isEmpty == false && held.lastStatus == nil)
        #expect(try await store.outbox.events(since: 0, limit: 20).filter { $0.kind == .held }.map(\.entry) == [Samples.id(2)])
        // The next verification finds the damage, and the salvage then assigns a new sequence.
        await #expect(throws: OutboxError.damaged("entry 2 has the sequence of another entry's receipt")) {
            try await store.outbox.verify()
        }
    }

    /// The encrypted content must go too, because the key stays. See DestroyedAtDelivery.
    @Test func overwritesDeliveredContentInTheFile() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1, payload: #"{"n":"\#(Samples.noise(30_000))"}"#))
        let sealed = try #require(try store.raw { try Data.fetchOne($0, sql: "SELECT sealed FROM content") })
        func parts(_ file: String) throws -> Int {
            let file = try Data(contentsOf: URL(fileURLWithPath: store.directory(file)))
            return stride(from: 0, to: sealed.count - 32, by: 1000).count { file.holds(sealed[$0..<$0 + 32]) }
        }
        let before = (try parts("outbox.sqlite-wal"), try await store.outbox.emptyLog(), try parts("outbox.sqlite"))
        #expect(before.0 > 20 && before.1 && before.2 > 20)
        try await store.deliver(try await store.claim()[0])
        #expect(try await store.outbox.emptyLog())
        let after = (try parts("outbox.sqlite-wal"), try parts("outbox.sqlite"))
        #expect(after == (0, 0))
    }

    /// Only accepting and overwriting an entry may write its full size.
    @Test func stateChangesOfLargeEntryWriteLittle() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1, payload: #"{"n":"\#(Samples.noise(2_000_000))"}"#))
        #expect(try await store.outbox.emptyLog())
        for _ in 1...3 {
            try await store.settle(try await store.claim()[0], .released(until: store.clock.now, Samples.failure))
        }
        try await store.settle(try await store.claim()[0], .held(.forbidden, Samples.failure))
        #expect(try Data(contentsOf: URL(fileURLWithPath: store.directory("outbox.sqlite-wal"))).count < 400_000)
    }

    /// Emptying the WAL does not wait for readers: SQLite never asks the connection's busy handler.
    @Test func emptiesLogOnceNoReaderUsesIt() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        #expect(try await store.outbox.emptyLog())
        try await store.enqueue(Samples.mutation(2))
        let reader = try DatabasePool(path: store.directory("outbox.sqlite"))
        let waits = Mutex(0)
        var waiting = Configuration()
        waiting.busyMode = .callback { _ in
            waits.withLock {
                $0 += 1
                return $0 < 3
            }
        }
        let writer = try DatabaseQueue(path: store.directory("outbox.sqlite"), configuration: waiting)
        func emptyWhileReading() throws -> Bool {
            try reader.read { db in
                _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM entry")
                return try writer.unsafeReentrantWrite(Outbox.truncateLog)
            }
        }
        #expect(try !emptyWhileReading())
        #expect(waits.withLock(\.self) == 0)
        #expect(try await store.outbox.emptyLog())
    }

    @Test(arguments: [
        (Settlement.retry(at: .distantFuture, Samples.failure), Verdict.transient(Samples.failure), 1, 0),
        (.released(until: .distantFuture, Samples.failure), .unreachable(Samples.failure), 0, 1),
        (.dead(Samples.failure), .permanent(Samples.failure), 0, 0),
        (.dead(Samples.failure), .transient(Samples.failure), 0, 0),
        (.held(.forbidden, Samples.failure), .forbidden(Samples.failure), 0, 0),
    ])
    func countsRetriesAndReleases(settlement: Settlement, verdict: Verdict, attempts: Int, releases: Int) async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        try await store.settle(try await store.claim()[0], settlement, verdict)
        let record = try #require(try await store.outbox.entry(Samples.id(1))).entry
        #expect(record.attempts == attempts)
        #expect(record.releases == releases)
    }

    @Test func keepsTheNewestTwentyAttempts() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        for number in 1...25 {
            let failure = Failure(.offline, "try \(number)")
            try await store.settle(try await store.claim()[0], .released(until: store.clock.now, failure), .unreachable(failure))
        }
        let tries = try #require(try await store.outbox.entry(Samples.id(1))).attempts
        #expect(tries.map(\.message) == (6...25).map { "try \($0)" })
    }

    @Test func entryStaysUncertainUntilItsOutcomeIsKnown() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        let lost = Failure(.lostAnswer, "lost", outcomeUnknown: true)
        try await store.settle(try await store.claim()[0], .released(until: store.clock.now, lost), .unknown(lost))
        let again = try await store.claim()[0]
        #expect(again.uncertain)
        try await store.deliver(again)
        #expect(try await store.outbox.entry(Samples.id(1))?.entry.uncertain == false)
    }

    /// Neither the original send nor a lookup without a network counts.
    @Test func countsAnsweredLookUps() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        let lost = Failure(.lostAnswer, "lost", outcomeUnknown: true)
        let offline = Failure(.offline, "offline", outcomeUnknown: true)
        var counts: [Int] = []
        for verdict in [Verdict.unknown(lost), .unreachable(offline), .unknown(lost), .unreachable(offline), .unknown(lost)] {
            store.clock.advance(by: 60)
            let entry = try await store.claim()[0]
            counts.append(entry.looks)
            try await store.settle(
                entry, .released(until: store.clock.now, verdict.failure ?? lost), verdict, wasSent: counts.count == 1)
        }
        #expect(counts == [0, 0, 0, 1, 1])
        #expect(try await store.claim()[0].looks == 2)
    }

    @Test func countsReadsInARowThatTheServerStopped() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        let (stopped, busy) = (Failure(.tooLarge, status: 429, "long"), Failure(.throttled, status: 429, "busy"))
        var counts: [Int] = []
        for failure in [stopped, busy, stopped, Failure(.serverError, status: 500, "no"), stopped] {
            store.clock.advance(by: 60)
            let entry = try await store.claim()[0]
            counts.append(entry.looks)
            let now = store.clock.now
            try await store.settle(entry, .released(until: now, failure), .unread(failure, until: now), wasSent: false)
        }
        #expect(counts == [0, 1, 1, 2, 0])
    }

    @Test(arguments: ["delivered", "discarded"])
    func schemaForbidsLeavingAFinalState(final: String) async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        if final == "delivered" {
            try await store.deliver(try await store.claim()[0])
        } else {
            try await store.outbox.discard(Samples.id(1), by: "test", at: store.clock.now)
        }
        for state in ["pending", "inflight", "dead"] {
            #expect(throws: DatabaseError.self) { try store.raw { try $0.execute(sql: "UPDATE entry SET state = ?", arguments: [state]) } }
        }
    }

    @Test func schemaForbidsRemovingUnsettledEntries() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1))
        #expect(throws: DatabaseError.self) { try store.raw { try $0.execute(sql: "DELETE FROM entry") } }
        // Not even an entry with a receipt may go, as long as it is not settled.
        try store.raw { db in
            try db.execute(
                sql: """
                    INSERT INTO receipt (id, sequence, backend, account, lane, route, size, digest, outcome, foundByLookup, attempts, capturedAt, acceptedAt,
                        settledAt)
                    SELECT id, sequence, backend, account, lane, route, size, digest, 'delivered', 0, attempts, capturedAt, acceptedAt, acceptedAt FROM entry
                    """)
        }
        #expect(throws: DatabaseError.self) { try store.raw { try $0.execute(sql: "DELETE FROM entry") } }
    }
}
