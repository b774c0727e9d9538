import Foundation
import GRDB
import StoreSupport
import SyncModel
import TestSupport
import Testing

@testable import Outbox

@Suite struct NamesTests {
    private func name(_ text: String) throws -> EntryName { try #require(EntryName(text)) }

    private func id(_ text: String, in store: Store) async throws -> MutationID { try await store.outbox.id(named: try name(text)) }

    private func id(_ text: String) throws -> MutationID { try #require(MutationID(text)) }

    private func enqueue(_ ids: String..., in store: Store) async throws {
        for text in ids {
            var mutation = Samples.mutation(1)
            mutation.id = try id(text)
            try await store.enqueue(mutation)
        }
    }

    private func expect(_ text: String, is error: OutboxError, in store: Store) async throws {
        let name = try name(text)
        await #expect(throws: error) { try await store.outbox.id(named: name) }
    }

    private func candidates(_ numbers: [Int]) -> [EntryCandidate] {
        numbers.map { EntryCandidate(sequence: Int64($0), id: Samples.id($0)) }
    }

    @Test(arguments: [
        "12", "#12", "0012", "000000000012", "-000000000012", "00000000-0000-7000-8000-000000000012",
    ])
    func findsEntryByNumberOrEndOfID(text: String) async throws {
        let store = try Store()
        for number in 1...12 { try await store.enqueue(Samples.mutation(number)) }
        #expect(try await id(text, in: store) == Samples.id(12))
    }

    @Test(arguments: ["0190", "0190A1B2-C3D4", "4B0C", "3F2A91C04B0C", "0190A1B2-C3D4-7E5F-8A9B-3F2A91C04B0C"])
    func findsEntryByEitherEndOfIDIgnoringCase(text: String) async throws {
        let store = try Store()
        try await enqueue("0290a1b2-c3d4-7e5f-8a9b-3f2a91c04b0d", "0190a1b2-c3d4-7e5f-8a9b-3f2a91c04b0c", in: store)
        #expect(try await id(text, in: store) == id("0190a1b2-c3d4-7e5f-8a9b-3f2a91c04b0c"))
    }

    @Test func prefersTheNumberToAPartOfAnID() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1234))
        #expect(try await id("1234", in: store) == Samples.id(1234))
        try await expect("#1234", is: .unknownName(try name("#1234")), in: store)
        try store.raw { try $0.execute(sql: "UPDATE tally SET count = 1233 WHERE state = 'entry'") }
        try await store.enqueue(Samples.mutation(7))
        #expect(try await id("1234", in: store) == Samples.id(7))
        #expect(try await id("00001234", in: store) == Samples.id(1234))
    }

    @Test func listsTheCandidatesOfAnAmbiguousName() async throws {
        let store = try Store()
        for number in 1...3 { try await store.enqueue(Samples.mutation(number)) }
        try await expect("00000000", is: .ambiguousName(try name("00000000"), candidates([3, 2, 1])), in: store)
        for number in 4...9 { try await store.enqueue(Samples.mutation(number)) }
        try await expect("00000000", is: .ambiguousName(try name("00000000"), candidates([9, 8, 7, 6, 5, 4])), in: store)
    }

    @Test func matchesBeginningsAndEndsOfIDs() async throws {
        let store = try Store()
        try await enqueue("abcdef00-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000abcdef", in: store)
        let found = try [
            EntryCandidate(sequence: 2, id: id("00000000-0000-7000-8000-000000abcdef")),
            EntryCandidate(sequence: 1, id: id("abcdef00-0000-7000-8000-000000000001")),
        ]
        try await expect("abcdef", is: .ambiguousName(try name("abcdef"), found), in: store)
    }

    @Test(arguments: ["3", "#3", "ffff", "0003", "4711", "00000000-0000-7000-8000-00000000000"])
    func anUnknownNameIsAnError(text: String) async throws {
        let store = try Store()
        try await enqueue("10000000-0000-7000-8000-000000000001", "10000000-0000-7000-8000-000000000002", in: store)
        try await expect(text, is: .unknownName(try name(text)), in: store)
    }

    @Test func aFullIDIsNotLookedUp() async throws {
        let store = try Store()
        #expect(try await id(Samples.id(5).description, in: store) == Samples.id(5))
    }

    @Test func findsPrunedEntryByItsReceipt() async throws {
        let store = try Store()
        for number in 1...2 { try await store.enqueue(Samples.mutation(number)) }
        try await store.deliver(try await store.claim()[0])
        let names = ["1", "0001", "000000000001"]
        for name in names { #expect(try await id(name, in: store) == Samples.id(1), "with its receipt") }
        store.clock.advance(by: 60)
        try await store.outbox.prune(before: store.clock.now, at: store.clock.now)
        #expect(try await store.outbox.entries(limit: 10).map(\.sequence) == [2])
        for name in names { #expect(try await id(name, in: store) == Samples.id(1), "the receipt alone") }
        try await expect("00000000", is: .ambiguousName(try name("00000000"), candidates([2, 1])), in: store)
    }

    /// A receipt is ten times as long as its id.
    @Test func searchesByIndex() async throws {
        let store = try Store()
        let plan = try store.raw { db in
            try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(Outbox.searchByPart)", arguments: ["part": "0001", "limit": 6])
                .map { $0["detail"] as String }
        }
        let searches = plan.filter { $0.contains(" entry ") || $0.contains(" receipt ") }
        let isQuick = searches.allSatisfy { $0.hasPrefix("SEARCH ") || $0.contains("COVERING INDEX receiptOf") }
        #expect(searches.count == 4 && isQuick, "\(plan)")
        #expect(plan.contains { $0.contains("INDEX entryEnd (<expr>=?)") }, "\(plan)")
    }
}
