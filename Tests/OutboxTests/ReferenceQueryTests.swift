import Foundation
import GRDB
import StoreSupport
import SyncModel
import TestSupport
import Testing

@testable import Outbox

@Suite struct ReferenceQueryTests {
    private let other = Destination(backend: "breathesafe", account: "2")

    @Test func bindingFollowsTheCreate() async throws {
        let store = try Store()
        func bindings() async throws -> [MutationID: RosterID] { try await store.outbox.bindings(of: Set([1, 2, 3, 9].map(Samples.id))) }
        try await store.enqueue(Samples.create(1))
        try await store.enqueue(Samples.mutation(2, lane: "a"))
        #expect(try await bindings().isEmpty)
        for entry in try await store.claim(2) { try await store.deliver(entry) }
        #expect(try await bindings() == [Samples.id(1): "7"])
        #expect(try await store.outbox.bindings(of: []).isEmpty)
        try await store.enqueue(Samples.create(3))
        try await store.outbox.discard(Samples.id(3), by: "ann", at: store.clock.now)
        store.clock.advance(by: 60)
        try await store.outbox.prune(before: store.clock.now, at: store.clock.now)
        #expect(try await bindings() == [Samples.id(1): "7"])
    }

    @Test func findsWaitingChangesOfRowsByTheirCreates() async throws {
        let store = try Store()
        try await store.enqueue(Samples.create(1))
        for number in 2...3 { try await store.enqueue(Samples.capture(number, of: 1)) }
        try await store.enqueue(Samples.mutation(4, lane: "a"))
        let route = Samples.capture(2, of: 1).route
        func changes(_ routes: [String], _ destination: Destination = Samples.destination) async throws -> [MutationID: MutationID] {
            try await store.outbox.changes(by: routes, at: destination)
        }
        #expect(try await changes([route]) == [Samples.id(2): Samples.id(1), Samples.id(3): Samples.id(1)])
        #expect(try await [changes([]), changes(["other"]), changes([route], other)].allSatisfy(\.isEmpty))
        try await store.outbox.discard(Samples.id(3), by: "ann", at: store.clock.now)
        #expect(try await changes([route]).keys.sorted() == [Samples.id(2)])
    }

    @Test func findsTheCreateOfARow() async throws {
        let store = try Store()
        for number in 1...2 { try await store.enqueue(Samples.create(number)) }
        for entry in try await store.claim(2) { try await store.deliver(entry) }
        func reference(_ row: RosterID, _ resource: String, _ destination: Destination) async throws -> MutationID? {
            try await store.outbox.reference(to: row, of: resource, at: destination)
        }
        #expect(try await reference("7", "people", Samples.destination) == Samples.id(1))
        #expect(try await reference("8", "people", Samples.destination) == nil)
        #expect(try await reference("7", "lists", Samples.destination) == nil)
        #expect(try await reference("7", "people", other) == nil)
    }

    @Test func listsCreatesAndDependentsWithTheirContent() async throws {
        let store = try Store()
        for number in [1, 2, 3] { try await store.enqueue(Samples.create(number)) }
        for number in 4...6 { try await store.enqueue(Samples.capture(number, of: 2)) }
        try store.raw { db in
            try db.execute(sql: "DROP TRIGGER contentSame; UPDATE content SET sealed = zeroblob(60) WHERE sequence IN (3, 5)")
        }
        try await store.deliver(try await store.claim()[0])
        func creates(_ resource: String = "people", _ destination: Destination = Samples.destination, limit: Int = 9) async throws
            -> [Entry]
        {
            try await store.outbox.creates(of: resource, at: destination, limit: limit)
        }
        #expect(try await creates().map(\.id) == [2, 3].map(Samples.id))
        #expect(try await creates().map(\.mutation.payload) == [Samples.create(2).payload, nil])
        #expect(try await creates(limit: 1).count == 1)
        #expect(try await [creates("lists"), creates("people", other)].allSatisfy(\.isEmpty))
    }

    @Test func contextExplainsTheReference() async throws {
        let store = try Store()
        try await store.enqueue(Samples.create(1))
        for number in 2...3 { try await store.enqueue(Samples.capture(number, of: 1)) }
        func context(_ number: Int) async throws -> EntryContext { try #require(try await store.outbox.context(of: Samples.id(number))) }
        let create = try await context(1)
        #expect(create.dependents == 2 && create.create == nil && create.binding == nil)
        let (second, third) = (try await context(2), try await context(3))
        #expect(second.create?.id == Samples.id(1) && second.blocker?.id == Samples.id(1) && second.binding == nil)
        // The entry before it in its lane comes first.
        #expect(third.create?.id == Samples.id(1) && third.blocker?.id == Samples.id(2) && third.dependents == 0)
        try await store.settle(try await store.claim()[0], .dead(Samples.failure), .permanent(Samples.failure))
        let held = try await context(2)
        #expect(held.create?.state == .dead && held.blocker == nil)
        try await store.outbox.retry(Samples.id(1), forgetsDoubt: false, by: "ann", at: store.clock.now)
        try await store.deliver(try await store.claim()[0])
        let bound = try await context(2)
        #expect(bound.create == nil && bound.blocker == nil && bound.binding == "7")
        #expect(try await context(1).dependents == 2)
    }
}
