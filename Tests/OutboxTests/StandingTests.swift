import Foundation
import GRDB
import StoreSupport
import SyncModel
import TestSupport
import Testing

@testable import Outbox

/// The transaction that stores a submission also answers a question about its row.
@Suite struct StandingTests {
    private static let people = RosterKey(destination: Samples.destination, resource: "people")
    private let store: Store

    init() async throws {
        store = try Store()
        try store.outbox.apply(SessionChange(backend: "breathesafe", record: Data("{}".utf8), account: "1"))
        let pages = [[RosterRow.sample(1, "Zoë")], [.sample(2, "Bob")]]
        _ = try await store.outbox.store(RosterRead(pages, of: "people", at: store.clock.now), at: store.clock.now)
    }

    private func question(_ id: RosterID, in list: RosterKey? = people, deletedBy routes: [String] = ["delete"]) -> StandingQuestion {
        StandingQuestion(of: id, in: list, deletedBy: routes, at: Samples.destination)
    }

    private func accept(_ number: Int, answering question: StandingQuestion) async throws -> Standing? {
        let enqueueing = try await store.outbox.enqueue(
            [Samples.mutation(number)], accountLabel: nil, at: store.clock.now, EnqueueOptions(answering: question))
        for result in enqueueing.results { _ = try result.get() }
        return enqueueing.standing
    }

    @Test func transactionAnswersForARowOnAKnownPage() async throws {
        let question = question("2")
        // Its page is not known yet, and opening all of them takes long.
        #expect(try await accept(1, answering: question) == nil)
        #expect(try await store.outbox.standing(question).list?.label == "Bob")
        let standing = try #require(try await accept(2, answering: question))
        #expect(standing.list?.label == "Bob")
        #expect(standing.list?.head.count == 2)
        #expect(standing.deletion == nil)
    }

    @Test func transactionSeesEarlierDeletions() async throws {
        var deletion = Samples.mutation(1)
        (deletion.route, deletion.subject, deletion.reference) = ("delete", "2", "people")
        try await store.enqueue(deletion)
        let standing = try #require(try await accept(2, answering: question("2", in: nil)))
        #expect(standing.deletion == deletion.id)
        #expect(standing.list == nil)
    }

    /// Only the whole list proves that a row is not in it.
    @Test func transactionLeavesARowOutsideTheListOpen() async throws {
        let question = question("77")
        #expect(try await accept(1, answering: question) == nil)
        let standing = try await store.outbox.standing(question)
        #expect(standing.list?.head.count == 2)
        #expect(standing.list?.label == nil)
    }

    @Test func transactionAnswersWithoutAList() async throws {
        for (number, routes) in [(1, ["delete"]), (2, [])] {
            let standing = try #require(try await accept(number, answering: question("2", in: nil, deletedBy: routes)))
            #expect(standing.list == nil)
        }
    }

    /// A search among many of them would hold the other submissions up.
    @Test func transactionLeavesTheQuestionOpenWhileManyDeletionsWait() async throws {
        for number in 1...21 {
            var deletion = Samples.mutation(number, lane: "\(number)")
            (deletion.route, deletion.subject, deletion.reference) = ("delete", RosterID("\(number)"), "people")
            try await store.enqueue(deletion)
        }
        let question = question("2", in: nil)
        #expect(try await accept(30, answering: question) == nil)
        #expect(try await store.outbox.standing(question).deletion == Samples.mutation(2).id)
    }

    @Test func questionThatCannotBeAnsweredRefusesNothing() async throws {
        try store.raw { try $0.execute(sql: "ALTER TABLE roster RENAME TO list") }
        #expect(try await accept(1, answering: question("2")) == nil)
        #expect(try await store.state(1) == .pending)
    }

    @Test func unreadablePageRefusesNothing() async throws {
        _ = try await store.outbox.standing(question("2"))
        try store.raw { try $0.execute(sql: "UPDATE rosterPage SET sealed = zeroblob(60)") }
        let question = question("2")
        #expect(try await accept(1, answering: question) == nil)
        #expect(try await store.outbox.standing(question).list == nil)
        #expect(try await store.state(1) == .pending)
    }
}
