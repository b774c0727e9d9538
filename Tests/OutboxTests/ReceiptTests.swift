import Foundation
import GRDB
import Outbox
import StoreSupport
import SyncModel
import TestSupport
import Testing

@Suite struct ReceiptTests {
    private func settled() async throws -> Store {
        let store = try Store()
        for number in 1...4 { try await store.enqueue(Samples.mutation(number)) }
        for _ in 1...3 {
            store.clock.advance(by: 60)
            try await store.deliver(try await store.claim()[0])
        }
        try await store.outbox.discard(Samples.id(4), by: "ann", at: store.clock.now)
        return store
    }

    @Test func receiptsRecordTheOutcome() async throws {
        let store = try await settled()
        let receipts = try await store.outbox.receipts(limit: 10)
        #expect(receipts.map(\.sequence) == [1, 2, 3, 4])
        #expect(receipts.map(\.outcome) == [.delivered, .delivered, .delivered, .discarded])
        #expect(receipts.map(\.discardedBy) == [nil, nil, nil, "ann"])
        #expect(receipts[0].remoteID == "7" && receipts[0].status == 201 && !receipts[0].foundByLookup)
        #expect(try await store.outbox.receipt(Samples.id(4)) == receipts[3])
        #expect(try await store.outbox.receipt(Samples.id(9)) == nil)
    }

    @Test func marksDeliveriesSinceLastGoodCheckAsUnverified() async throws {
        let store = try await settled()
        let since = store.clock.now.addingTimeInterval(-60)
        let ann = Destination(backend: "breathesafe", account: "1")
        #expect(
            try await store.outbox.markUnverified(Destination(backend: "breathesafe", account: "2"), since: since, at: store.clock.now) == 0
        )
        #expect(try await store.outbox.markUnverified(ann, since: since, at: store.clock.now) == 2)
        #expect(try await store.outbox.receipts(limit: 10).map(\.unverified) == [false, true, true, false])
        #expect(try await store.outbox.markUnverified(ann, since: since, at: store.clock.now) == 0)
        let events = try await store.outbox.events(since: 0, limit: 100).filter { $0.kind == .unverified }
        #expect(events.map { $0.detail["receipts"] } == ["2"])
    }

    @Test func receiptsArePagedAndFiltered() async throws {
        let store = try await settled()
        #expect(try await store.outbox.receipts(after: 1, limit: 2).map(\.sequence) == [2, 3])
        #expect(try await store.outbox.receipts(backend: "other", limit: 10).isEmpty)
        #expect(try await store.outbox.receipts(backend: "breathesafe", since: store.clock.now, limit: 10).map(\.sequence) == [3, 4])
    }

    @Test func receiptsStayWhenTheRowsArePruned() async throws {
        let store = try await settled()
        try await store.outbox.prune(before: store.clock.now.addingTimeInterval(1), at: store.clock.now)
        #expect(try await store.outbox.entries(limit: 10).isEmpty)
        #expect(try await store.outbox.receipts(limit: 10).count == 4)
    }

    @Test func listsLanesByOldestHeadWithWaitingCounts() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1, lane: "b", onDead: .halt))
        try await store.enqueue(Samples.mutation(2, lane: "a"))
        for number in 3...5 { try await store.enqueue(Samples.mutation(number, lane: "b")) }
        try await store.settle(try await store.claim()[0], .dead(Samples.failure), .permanent(Samples.failure))
        let due = store.clock.now.addingTimeInterval(30)
        try await store.settle(try await store.claim()[0], .retry(at: due, Samples.failure), .transient(Samples.failure))
        let lanes = try await store.outbox.lanes(limit: 10)
        #expect(lanes.map(\.lane) == [Lane("b"), Lane("a")])
        #expect(lanes.map(\.state) == [.dead, .pending])
        #expect(lanes.map(\.waiting) == [4, 1])
        #expect(lanes.map(\.dueAt) == [nil, due])
        #expect(try await store.outbox.lanes(limit: 1).map(\.head) == [Samples.id(1)])
        #expect(try await store.outbox.context(of: Samples.id(5))?.ahead == 3)
    }

    @Test func countsTheHeadOfALaneThatStepsAside() async throws {
        let store = try Store()
        for number in 1...3 { try await store.enqueue(Samples.mutation(number)) }
        try await store.settle(
            try await store.claim()[0], .aside(until: store.clock.now.addingTimeInterval(60), Samples.failure))
        let lane = try #require(try await store.outbox.lanes(limit: 10).first)
        #expect(lane.head == Samples.id(1) && lane.waiting == 3)
    }

    private static func mutation(_ number: Int, subject: RosterID?) -> Mutation {
        var mutation = Samples.mutation(number, lane: "\(number)")
        mutation.subject = subject
        return mutation
    }

    @Test func entryAndReceiptKeepTheSubject() async throws {
        let store = try Store()
        for (number, subject) in [(1, "5"), (2, nil), (3, "7")] as [(Int, RosterID?)] {
            try await store.enqueue(Self.mutation(number, subject: subject))
        }
        #expect(try await store.outbox.entries(limit: 10).map(\.mutation.subject) == ["5", nil, "7"])
        #expect(try await store.outbox.lanes(limit: 10).map(\.subject) == ["5", nil, "7"])
        try await store.deliver(try await store.claim()[0])
        try await store.outbox.discard(Samples.id(3), by: "ann", at: store.clock.now)
        #expect(try await store.outbox.receipts(limit: 10).map(\.subject) == ["5", "7"])
        store.clock.advance(by: 60)
        try await store.outbox.prune(before: store.clock.now, at: store.clock.now)
        #expect(try await store.outbox.entry(Samples.id(1))?.entry.mutation.subject == "5")
        let subjects = try await store.outbox.subjects(of: (1...4).map(Samples.id))
        #expect(subjects.mapValues { $0.subject } == [Samples.id(1): "5", Samples.id(3): "7"])
        #expect(try await store.outbox.subjects(of: []).isEmpty)
    }

    /// Their own row is created only later, so it is no column.
    @Test func creatingEntriesAreAboutTheirRow() async throws {
        let store = try Store()
        for number in 1...2 {
            var create = Self.mutation(number, subject: nil)
            create.creates = "people"
            try await store.enqueue(create)
        }
        #expect(try await store.outbox.lanes(limit: 10).map(\.creates) == ["people", "people"])
        try await store.deliver(try await store.claim()[0])
        store.clock.advance(by: 60)
        try await store.outbox.prune(before: store.clock.now, at: store.clock.now)
        let subjects = try await store.outbox.subjects(of: (1...3).map(Samples.id))
        #expect(subjects.mapValues { $0.creates } == [Samples.id(1): "people", Samples.id(2): "people"])
        #expect(subjects.values.allSatisfy { $0.subject == nil })
    }

    @Test func overviewNamesTheOnlySubjectOfFailedEntries() async throws {
        let store = try Store()
        for number in 1...3 { try await store.enqueue(Self.mutation(number, subject: number == 3 ? "7" : "5")) }
        func fail() async throws { try await store.settle(try await store.claim()[0], .dead(Samples.failure), .permanent(Samples.failure)) }
        #expect(try await store.outbox.overview().commonSubjects.isEmpty)
        for _ in 1...2 {
            try await fail()
            let common = try #require(try await store.outbox.overview().commonSubjects.first)
            #expect(common.destination == Samples.destination && common.state == .dead)
            #expect(common.routes == ["measurement"] && common.subject == "5")
        }
        try await fail()
        #expect(try await store.outbox.overview().commonSubjects.isEmpty)
    }

    @Test func subjectNeverChanges() async throws {
        let store = try Store()
        try await store.enqueue(Self.mutation(1, subject: "5"))
        #expect(throws: (any Error).self) { try store.raw { try $0.execute(sql: "UPDATE entry SET subject = '7'") } }
        try store.raw { try $0.execute(sql: "DROP TRIGGER entryIdentity; UPDATE entry SET subject = '7'") }
        #expect(try await store.claim().isEmpty)
        #expect(try await store.outbox.entry(Samples.id(1))?.entry.holdReason == .unreadable)
    }
}
