import Foundation
import GRDB
import StoreSupport
import SyncModel
import Synchronization
import TestSupport
import Testing

@testable import Outbox

/// An entry can refer to a row that another entry creates.
@Suite struct ReferenceTests {
    private func due(_ store: Store) async throws -> [String: Date] {
        try await store.outbox.claim([Samples.destination: 0], at: store.clock.now).nextDue[Samples.destination] ?? [:]
    }

    @Test func sendsAfterTheCreateAndWithTheIdOfItsRow() async throws {
        let store = try Store()
        try await store.enqueue(Samples.create(1))
        try await store.enqueue(Samples.capture(2, of: 1))
        let create = try #require(try await store.claim(5).first)
        #expect(create.id == Samples.id(1) && create.bound == nil && create.mutation == Samples.create(1))
        #expect(try await store.claim(5).isEmpty)
        #expect(try await due(store).isEmpty)
        #expect(try await store.outbox.derivedTablesMatch())
        try await store.deliver(create)
        #expect(try await store.outbox.derivedTablesMatch())
        let capture = try #require(try await store.claim(5).first)
        #expect(capture.bound == "7" && capture.mutation.subject == RosterID(createdBy: Samples.id(1)))
        try await store.deliver(capture)
        #expect(try await store.outbox.receipts(limit: 5).map(\.creates) == ["people", nil])
        #expect(try await store.outbox.receipts(limit: 5).map(\.subject) == [nil, RosterID(createdBy: Samples.id(1))])
    }

    /// Also one that is set aside, so that others of its lane go first.
    @Test(arguments: [
        Settlement.retry(at: .distantPast, Samples.failure), .released(until: .distantPast, lost), .aside(until: .distantPast, lost),
    ])
    func waitsWhileTheCreateIsTriedAgain(settlement: Settlement) async throws {
        var store = try Store()
        try await store.enqueue(Samples.create(1))
        try await store.enqueue(Samples.capture(2, of: 1))
        try await store.settle(try await store.claim()[0], settlement, .unknown(Self.lost))
        #expect(try await store.outbox.derivedTablesMatch())
        let again = try await store.claim(5)
        #expect(again.map(\.id) == [Samples.id(1)])
        try store.restart()
        #expect(try await store.state(2) == .pending)
        #expect(try await store.claim(5).map(\.id) == [Samples.id(1)])
        #expect(try await store.outbox.derivedTablesMatch())
    }

    private static let lost = Failure(.lostAnswer, "lost", outcomeUnknown: true)

    @Test func deliversAChainOfReferencesInOneRun() async throws {
        let store = try Store()
        let batch = [Samples.create(1)] + (2...20).map { Samples.create($0, needs: $0 - 1) } + [Samples.capture(21, of: 20)]
        let results = try await store.outbox.enqueue(batch, accountLabel: nil, at: store.clock.now).results
        #expect(results.allSatisfy { (try? $0.get()) != nil })  // `try?`: only success matters
        for number in 1...21 {
            let entry = try #require(try await store.claim(5).first)
            #expect(entry.id == Samples.id(number) && entry.bound == (number == 1 ? nil : RosterID("row \(number - 1)")))
            let receipt = Receipt(remoteID: "row \(number)", status: 201, at: store.clock.now)
            try await store.settle(entry, .delivered(receipt), .accepted(receipt))
        }
        #expect(try await store.claim(5).isEmpty)
    }

    /// The create's row may be gone, and its receipt stays.
    @Test(arguments: [false, true]) func acceptsAReferenceToADeliveredCreate(isPruned: Bool) async throws {
        let store = try Store()
        try await store.enqueue(Samples.create(1))
        try await store.deliver(try await store.claim()[0])
        if isPruned {
            store.clock.advance(by: 60)
            try await store.outbox.prune(before: store.clock.now, at: store.clock.now)
        }
        try await store.enqueue(Samples.capture(2, of: 1))
        #expect(try await store.outbox.derivedTablesMatch())
        #expect(try await store.claim().map(\.bound) == ["7"])
    }

    @Test func pruningTheCreateLeavesTheLanesRight() async throws {
        let store = try Store()
        try await store.enqueue(Samples.create(1))
        for number in 2...3 { try await store.enqueue(Samples.capture(number, of: 1)) }
        try await store.deliver(try await store.claim()[0])
        store.clock.advance(by: 60)
        try await store.outbox.prune(before: store.clock.now, at: store.clock.now)
        #expect(try await store.outbox.derivedTablesMatch())
        #expect(try await store.claim().map(\.bound) == ["7"])
    }

    @Test func refusesReferencesWithoutACreate() async throws {
        let store = try Store()
        try await store.enqueue(Samples.mutation(1, lane: "a"))
        try await store.enqueue(Samples.create(2))
        var other = Samples.create(3)
        other.destination = Destination(backend: "breathesafe", account: "2")
        try await store.enqueue(other)
        func expect(_ mutation: Mutation, isRefused error: OutboxError) async {
            await #expect(throws: error) { try await store.enqueue(mutation) }
        }
        for number in [1, 3, 9] { await expect(Samples.capture(10, of: number), isRefused: .noSuchCreate(Samples.id(number))) }
        for resource in ["lists", nil] {
            var capture = Samples.capture(10, of: 2)
            capture.reference = resource
            await expect(capture, isRefused: .noSuchCreate(Samples.id(2)))
        }
        await expect(Samples.create(10, needs: 10), isRefused: .noSuchCreate(Samples.id(10)))
        try await store.outbox.discard(Samples.id(2), by: "ann", at: store.clock.now)
        await expect(Samples.capture(10, of: 2), isRefused: .createDiscarded(Samples.id(2)))
        store.clock.advance(by: 60)
        try await store.outbox.prune(before: store.clock.now, at: store.clock.now)
        await expect(Samples.capture(10, of: 2), isRefused: .createDiscarded(Samples.id(2)))
        #expect(try await store.outbox.entries(limit: 10).map(\.id) == [1, 3].map(Samples.id))
    }

    private func replacing(_ old: Int, by new: Mutation) -> Mutation {
        var new = new
        new.supersedes = Samples.id(old)
        return new
    }

    /// Made again under a third id, the row would exist twice.
    @Test(arguments: [false, true]) func refusalNamesTheCreateThatReplacedTheOther(isPruned: Bool) async throws {
        let store = try Store()
        try await store.enqueue(Samples.create(1))
        for number in 2...3 { try await store.enqueue(replacing(number - 1, by: Samples.create(number))) }
        if isPruned { try await store.outbox.prune(before: .distantFuture, at: store.clock.now) }
        func expectRefusals(of capture: Int) async {
            for number in 1...2 {
                await #expect(throws: OutboxError.createReplaced(Samples.id(number), by: Samples.id(3))) {
                    try await store.enqueue(Samples.capture(capture, of: number))
                }
            }
        }
        await expectRefusals(of: 10)
        try await store.enqueue(Samples.capture(10, of: 3))
        try await store.deliver(try #require(try await store.claim().first))
        #expect(try await store.claim().map(\.id) == [Samples.id(10)])
        await expectRefusals(of: 11)
    }

    /// A person can bring it back during the grace.
    @Test(arguments: [false, true]) func replacementIsNamedUntilItIsDiscarded(inGrace: Bool) async throws {
        let store = try Store()
        try await store.enqueue(Samples.create(1))
        try await store.enqueue(replacing(1, by: Samples.create(2)))
        let now = store.clock.now
        if inGrace {
            try await store.outbox.discard(Samples.id(2), later: now + 60, reason: nil, by: "ann", named: nil, at: now)
        } else {
            try await store.outbox.discard(Samples.id(2), by: "ann", at: now)
        }
        let error: OutboxError = inGrace ? .createReplaced(Samples.id(1), by: Samples.id(2)) : .createDiscarded(Samples.id(1))
        await #expect(throws: error) { try await store.enqueue(Samples.capture(10, of: 1)) }
    }

    @Test func replacementThatCreatesNoSuchRowIsNotNamed() async throws {
        let store = try Store()
        var list = Samples.create(4)
        list.creates = "lists"
        for (old, new) in [(1, Samples.mutation(2, lane: "a")), (3, list)] {
            try await store.enqueue(Samples.create(old))
            try await store.enqueue(replacing(old, by: new))
            await #expect(throws: OutboxError.createDiscarded(Samples.id(old))) {
                try await store.enqueue(Samples.capture(10, of: old))
            }
        }
    }

    @Test func refusalAffectsOnlyItsMutation() async throws {
        let store = try Store()
        let batch = [Samples.capture(2, of: 1), Samples.create(1), Samples.capture(3, of: 1)]
        let results = try await store.outbox.enqueue(batch, accountLabel: nil, at: store.clock.now).results
        #expect(results.map { (try? $0.get()) != nil } == [false, true, true])  // `try?`: only success matters
        #expect(results[0] == .failure(.noSuchCreate(Samples.id(1))))
    }

    /// A guess could be another person.
    @Test func holdsAnEntryWhoseCreateBroughtNoId() async throws {
        let store = try Store()
        try await store.enqueue(Samples.create(1))
        try await store.enqueue(Samples.capture(2, of: 1))
        let receipt = Receipt(remoteID: nil, status: 201, at: store.clock.now)
        try await store.settle(try await store.claim()[0], .delivered(receipt), .accepted(receipt))
        #expect(try await store.claim(5).isEmpty)
        let held = try #require(try await store.outbox.entry(Samples.id(2))?.entry)
        #expect(held.holdReason == .dependency && held.lastError?.hasSuffix("but the server gave no id for that row.") == true)
        #expect(try await store.outbox.derivedTablesMatch())
    }

    @Test func referenceNeverChanges() async throws {
        let store = try Store()
        try await store.enqueue(Samples.create(1))
        for column in ["creates", "subject"] {
            #expect(throws: (any Error).self) { try store.raw { try $0.execute(sql: "UPDATE entry SET \(column) = 'x'") } }
        }
        try store.raw { try $0.execute(sql: "DROP TRIGGER entryIdentity; UPDATE entry SET creates = 'lists'") }
        #expect(try await store.claim().isEmpty)
        #expect(try await store.outbox.entry(Samples.id(1))?.entry.holdReason == .unreadable)
    }

    @Test func entriesWithoutReferencesCostNoQuery() async throws {
        let store = try Store()
        for number in 1...4 { try await store.enqueue(Samples.mutation(number, lane: "\(number)")) }
        let queries = Mutex(0)
        try await store.outbox.pool.writeWithoutTransaction { db in
            db.trace { event in
                guard case .statement(let statement) = event else { return }
                // `entryMoved` looks for dependents in a branch that runs for creates only.
                let isQuery = statement.sql.contains("creates, outcome") || statement.sql.contains("needs =")
                if isQuery, !statement.sql.contains("NEW.creates IS NOT NULL") { queries.withLock { $0 += 1 } }
            }
        }
        try await store.enqueue(Samples.mutation(5, lane: "5"))
        for entry in try await store.claim(2) { try await store.deliver(entry) }
        try await store.settle(try await store.claim()[0], .dead(Samples.failure), .permanent(Samples.failure))
        try await store.settle(try await store.claim()[0], .held(.forbidden, Samples.failure), .forbidden(Samples.failure))
        #expect(queries.withLock(\.self) == 0)
        // The control: the same trace sees the queries of a reference.
        try await store.enqueue(Samples.create(6))
        try await store.enqueue(Samples.capture(7, of: 6))
        #expect(queries.withLock(\.self) >= 2)
    }
}
