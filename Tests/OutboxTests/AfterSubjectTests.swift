import Foundation
import GRDB
import StoreSupport
import SyncModel
import TestSupport
import Testing

@testable import Outbox

/// An entry can wait for all earlier entries of its subject, such as the deletion of a person.
@Suite struct AfterSubjectTests {
    private func capture(_ number: Int, of subject: RosterID, lane: String? = nil) -> Mutation {
        var mutation = Samples.mutation(number, lane: lane ?? "lane \(number)")
        (mutation.subject, mutation.reference) = (subject, "people")
        return mutation
    }

    private func delete(_ number: Int, _ subject: RosterID) -> Mutation {
        var mutation = capture(number, of: subject, lane: "deletes/\(subject)")
        mutation.afterSubject = true
        return mutation
    }

    private func enqueue(_ mutations: Mutation...) async throws -> Store {
        let store = try Store()
        for mutation in mutations { try await store.enqueue(mutation) }
        return store
    }

    /// The numbers of the claimed entries.
    private func claimed(_ store: Store) async throws -> [Entry] {
        #expect(try await store.outbox.derivedTablesMatch())
        return try await store.claim(9)
    }

    @Test func waitsForAllEarlierEntriesInWhateverLane() async throws {
        let store = try await enqueue(capture(1, of: "5"), capture(2, of: "5"), capture(3, of: "7"), delete(4, "5"), capture(5, of: "5"))
        let first = try await claimed(store)
        #expect(first.map(\.id) == [1, 2, 3, 5].map(Samples.id))
        #expect(try await store.outbox.entry(Samples.id(4))?.entry.mutation.afterSubject == true)
        for entry in [first[2], first[0], first[1]] {
            #expect(try await claimed(store).isEmpty)
            try await store.deliver(entry)
        }
        #expect(try await claimed(store).map(\.id) == [Samples.id(4)])
    }

    /// The status asks this about each waiting deletion, and a person may have thousands of delivered entries.
    @Test func findsFailedEntriesOfASubjectWithoutItsHistory() throws {
        let search = "SELECT sequence FROM entry AS this WHERE \(OutboxSchema.hasFailedBefore("this"))"
        let plan = try Store().raw { db in try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(search)").map { $0["detail"] as String } }
        #expect(plan.contains { $0.contains("subjectFailed") } && !plan.contains { $0.contains("subjectOrder") }, "\(plan)")
    }

    /// A list and a task may have the same id.
    @Test func rowOfAnotherListDoesNotStopIt() async throws {
        var task = capture(1, of: "5")
        task.reference = "tasks"
        let store = try await enqueue(task, delete(2, "5"))
        let entry = try #require(try await store.claim(1).first)
        try await store.settle(entry, .dead(Samples.failure), .permanent(Samples.failure))
        let context = try #require(try await store.outbox.context(of: Samples.id(2)))
        #expect(context.blocker == nil && context.earlier == 0)
        #expect(try await claimed(store).map(\.id) == [Samples.id(2)])
    }

    @Test func failedEntryAndOneOnHoldStopIt() async throws {
        let store = try await enqueue(capture(1, of: "5"), capture(2, of: "5"), delete(3, "5"))
        let entries = try await claimed(store)
        try await store.settle(entries[0], .dead(Samples.failure), .permanent(Samples.failure))
        try await store.settle(entries[1], .held(.forbidden, Samples.failure), .forbidden(Samples.failure))
        #expect(try await claimed(store).isEmpty)
        try await store.outbox.discard(Samples.id(1), by: "ann", at: store.clock.now)
        #expect(try await claimed(store).isEmpty)
        let context = try #require(try await store.outbox.context(of: Samples.id(3)))
        #expect(context.blocker?.id == Samples.id(2) && context.earlier == 1)
        try await store.outbox.discard(Samples.id(2), by: "ann", at: store.clock.now)
        #expect(try await claimed(store).map(\.id) == [Samples.id(3)])
    }

    /// Until then, a person may undo the discard.
    @Test func entryThatIsBeingDiscardedStopsIt() async throws {
        let store = try await enqueue(capture(1, of: "5"), delete(2, "5"))
        let now = store.clock.now
        try await store.outbox.discard(Samples.id(1), later: now + 60, reason: nil, by: "ann", named: nil, at: now)
        #expect(try await claimed(store).isEmpty)
        _ = try await store.outbox.discardDue(at: now + 60)
        #expect(try await claimed(store).map(\.id) == [Samples.id(2)])
    }

    @Test func explainsWhatItWaitsFor() async throws {
        let store = try await enqueue(capture(1, of: "5"), capture(2, of: "5"), delete(3, "5"))
        let context = try #require(try await store.outbox.context(of: Samples.id(3)))
        #expect(context.blocker?.id == Samples.id(1) && context.earlier == 2 && context.ahead == 0)
        let page = try await store.outbox.page(of: EntryFilter(), after: 0, limit: 9)
        #expect(page.blockers == [Samples.id(3): Samples.id(2)])
        let entry = try #require(try await claimed(store).first)
        try await store.settle(entry, .dead(Samples.failure), .permanent(Samples.failure))
        #expect(try await store.outbox.context(of: Samples.id(3))?.blocker?.id == Samples.id(1))
    }

    /// The create's receipt says that both names are of one row.
    @Test(arguments: [true, false]) func knowsTheSubjectByItsOtherName(deletesByReference: Bool) async throws {
        let store = try await enqueue(Samples.create(1))
        try await store.deliver(try await claimed(store)[0])
        let token = RosterID(createdBy: Samples.id(1))
        var named = capture(2, of: deletesByReference ? "7" : token)
        named.lane = Lane("people")
        try await store.enqueue(named)
        var delete = delete(3, deletesByReference ? token : "7")
        delete.lane = Lane("deletes")
        try await store.enqueue(delete)
        let first = try await claimed(store)
        #expect(first.map(\.id) == [Samples.id(2)])
        #expect(try await store.outbox.context(of: Samples.id(3))?.earlier == 1)
        try await store.deliver(first[0])
        #expect(try await claimed(store).map(\.id) == [Samples.id(3)])
    }

    @Test func followsTheCreateAndTheCapturesOfANewPerson() async throws {
        let store = try await enqueue(Samples.create(1), Samples.capture(2, of: 1), delete(3, RosterID(createdBy: Samples.id(1))))
        for number in 1...3 {
            let entries = try await claimed(store)
            #expect(entries.map(\.id) == [Samples.id(number)])
            try await store.deliver(entries[0])
        }
    }

    /// The id was known from the list before the answer to the create came.
    @Test func receiptGivesTheSubjectAnotherName() async throws {
        let store = try await enqueue(Samples.create(1), Samples.capture(2, of: 1))
        let create = try await claimed(store)[0]
        var other = delete(3, "7")
        other.lane = Lane("deletes")
        try await store.enqueue(other)
        try await store.deliver(create)
        #expect(try await claimed(store).map(\.id) == [Samples.id(2)])
        #expect(try await claimed(store).isEmpty)
    }

    /// A corrected capture is new, but the person must not be gone before it.
    @Test func replacementCountsInThePlaceOfTheFirst() async throws {
        let store = try await enqueue(capture(1, of: "5"), delete(2, "5"))
        for number in 3...5 {
            let entry = try #require(try await claimed(store).first)
            #expect(entry.id == Samples.id(number == 3 ? 1 : number - 1))
            try await store.settle(entry, .dead(Samples.failure), .permanent(Samples.failure))
            var corrected = capture(number, of: "5")
            corrected.supersedes = entry.id
            try await store.enqueue(corrected)
            #expect(try await store.outbox.context(of: Samples.id(2))?.blocker?.id == Samples.id(number))
        }
        let last = try await claimed(store)
        #expect(last.map(\.id) == [Samples.id(5)])
        try await store.deliver(last[0])
        #expect(try await claimed(store).map(\.id) == [Samples.id(2)])
    }

    @Test func replacementForAnotherPersonDoesNotStopIt() async throws {
        let store = try await enqueue(capture(1, of: "5"), delete(2, "5"))
        var corrected = capture(3, of: "7")
        corrected.supersedes = Samples.id(1)
        try await store.enqueue(corrected)
        #expect(Set(try await claimed(store).map(\.id)) == [Samples.id(2), Samples.id(3)])
    }

    @Test func replacedDeletesDoNotWaitForEachOther() async throws {
        let store = try await enqueue(delete(1, "5"), delete(2, "5"))
        var again = delete(3, "5")
        again.supersedes = Samples.id(1)
        try await store.enqueue(again)
        for number in 2...3 {
            let entries = try await claimed(store)
            #expect(entries.map(\.id) == [Samples.id(number)])
            try await store.deliver(entries[0])
        }
    }

    @Test func otherAccountsDoNotMatter() async throws {
        var other = capture(1, of: "5")
        other.destination = Destination(backend: "breathesafe", account: "2")
        let store = try await enqueue(other, delete(2, "5"))
        #expect(try await claimed(store).map(\.id) == [Samples.id(2)])
    }

    @Test func survivesARestart() async throws {
        var store = try await enqueue(capture(1, of: "5"), delete(2, "5"))
        try store.restart(crashed: true)
        let entries = try await claimed(store)
        #expect(entries.map(\.id) == [Samples.id(1)])
        try store.restart(crashed: true)
        #expect(try await claimed(store).map(\.id) == [Samples.id(1)])
    }

    /// A changed flag would let it go before the captures.
    @Test func changedFlagIsNoticed() async throws {
        let store = try await enqueue(capture(1, of: "5"), delete(2, "5"))
        #expect(throws: DatabaseError.self) { try store.raw { try $0.execute(sql: "UPDATE entry SET afterSubject = 0") } }
        try store.raw { db in
            try db.execute(
                sql: """
                    DROP TRIGGER entryIdentity; UPDATE entry SET afterSubject = 0 WHERE sequence = 2;
                    UPDATE lane SET dueAt = 0 WHERE head = 2;
                    """)
        }
        #expect(try await claimed(store).map(\.id) == [Samples.id(1)])
        #expect(try await store.outbox.entry(Samples.id(2))?.entry.holdReason == .unreadable)
    }
}
