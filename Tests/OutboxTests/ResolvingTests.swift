import Foundation
import GRDB
import Outbox
import StoreSupport
import SyncModel
import TestSupport
import Testing

/// Unknown outcomes that a person settles.
@Suite struct ResolvingTests {
    private static let lost = Failure(.lostAnswer, "lost", outcomeUnknown: true)

    /// Entry 1 is uncertain, and stops the lane of entry 2.
    private func store(_ settlement: Settlement, creates: String? = nil) async throws -> Store {
        let store = try Store()
        var first = Samples.mutation(1, onDead: .halt)
        first.creates = creates
        try await store.enqueue(first)
        try await store.enqueue(Samples.mutation(2))
        try await store.settle(try #require(try await store.claim().first), settlement, .unknown(Self.lost))
        return store
    }

    private func resolve(_ store: Store, _ resolution: Outbox.Resolution, _ number: Int = 1) async throws {
        try await store.outbox.resolve(Samples.id(number), as: resolution, by: "uid 1000, pid 7", named: "ann", at: store.clock.now)
        #expect(try await store.outbox.derivedTablesMatch())
    }

    private func details(_ store: Store) async throws -> [[String: String]] {
        try await store.outbox.events(since: 0, limit: 100).filter { $0.kind == .resolved }.map(\.detail)
    }

    private static let uncertain: [Settlement] = [
        .held(.unknownOutcome, lost), .dead(lost), .aside(until: Date(timeIntervalSince1970: 1_765_000_600), lost),
    ]

    @Test(arguments: uncertain, ["17", nil]) func deliveredEntryHasAReceiptOfThatPerson(
        settlement: Settlement, remoteID: String?
    ) async throws {
        let store = try await store(settlement)
        try await resolve(store, .delivered(remoteID: remoteID))
        let entry = try #require(try await store.outbox.entry(Samples.id(1))?.entry)
        #expect(entry.state == .delivered && !entry.uncertain && entry.uncertainSince == nil && entry.remoteID == remoteID)
        let receipt = try #require(try await store.outbox.receipt(Samples.id(1)))
        #expect(receipt.outcome == .delivered && receipt.resolvedBy == "ann" && receipt.status == nil && receipt.remoteID == remoteID)
        #expect(!receipt.foundByLookup && receipt.settledAt == store.clock.now)
        #expect(try store.raw { try Int64.fetchAll($0, sql: "SELECT sequence FROM content") } == [2])
        var detail = ["outcome": "delivered", "by": "uid 1000, pid 7"]
        detail["remoteID"] = remoteID
        #expect(try await details(store) == [detail])
        #expect(try await store.claim().map(\.id) == [Samples.id(2)])
    }

    @Test(arguments: uncertain) func undeliveredEntryIsSentAgainWithoutALookUp(settlement: Settlement) async throws {
        let store = try await store(settlement)
        try await resolve(store, .notDelivered)
        #expect(try await details(store) == [["outcome": "notDelivered", "by": "uid 1000, pid 7"]])
        let claimed = try #require(try await store.claim().first)
        #expect(claimed.id == Samples.id(1) && !claimed.uncertain && claimed.mutation == Samples.mutation(1, onDead: .halt))
        #expect(try await store.outbox.receipt(Samples.id(1)) == nil)
    }

    @Test(arguments: [Outbox.Resolution.delivered(remoteID: "17"), .notDelivered])
    func entryWithKnownOutcomeIsRefused(resolution: Outbox.Resolution) async throws {
        let store = try await store(.dead(Samples.failure))
        await #expect(throws: OutboxError.notUncertain(Samples.id(1))) { try await resolve(store, resolution) }
        await #expect(throws: OutboxError.notUncertain(Samples.id(2))) { try await resolve(store, resolution, 2) }
        await #expect(throws: OutboxError.notFound(Samples.id(9))) { try await resolve(store, resolution, 9) }
        #expect(try await store.state(1) == .dead)
        #expect(try await details(store).isEmpty)
    }

    @Test func entryInFlightOrSettledIsRefused() async throws {
        let store = try await store(.released(until: .distantPast, Self.lost))
        let entry = try #require(try await store.claim().first)
        #expect(entry.uncertain)
        await #expect(throws: OutboxError.wrongState(Samples.id(1), .inflight)) { try await resolve(store, .notDelivered) }
        try await store.deliver(entry)
        await #expect(throws: OutboxError.wrongState(Samples.id(1), .delivered)) { try await resolve(store, .delivered(remoteID: nil)) }
    }

    /// Entries are bound to the id of the created row.
    @Test func deliveredCreateNeedsItsIDAndReleasesItsDependents() async throws {
        let store = try await store(.held(.unknownOutcome, Self.lost), creates: "managed_users")
        var measurement = Samples.mutation(3, lane: "measure")
        (measurement.subject, measurement.reference) = (RosterID(createdBy: Samples.id(1)), "managed_users")
        try await store.enqueue(measurement)
        #expect(try await store.state(3) == .held)
        await #expect(throws: OutboxError.needsRemoteID(Samples.id(1))) { try await resolve(store, .delivered(remoteID: nil)) }
        #expect(try await store.state(1) == .held)
        try await resolve(store, .delivered(remoteID: "28"))
        let bound = try await store.claim(4).first { $0.id == Samples.id(3) }?.bound
        #expect(bound == RosterID("28"))
    }

    /// Otherwise the data of one person would go to another.
    @Test func twoCreatesAreNotResolvedToOneRow() async throws {
        let store = try Store()
        for number in 1...2 { try await store.enqueue(Samples.create(number)) }
        for entry in try await store.claim(2) { try await store.settle(entry, .held(.unknownOutcome, Self.lost), .unknown(Self.lost)) }
        try await resolve(store, .delivered(remoteID: "17"))
        await #expect(throws: OutboxError.rowTaken(by: Samples.id(1))) { try await resolve(store, .delivered(remoteID: "17"), 2) }
        #expect(try await store.state(2) == .held)
        #expect(try await details(store).count == 1)
        try await resolve(store, .delivered(remoteID: "18"), 2)
        #expect(try await store.outbox.bindings(of: [Samples.id(1), Samples.id(2)]) == [Samples.id(1): "17", Samples.id(2): "18"])
    }

    /// The refusal answers the second send; the first may have taken effect.
    @Test func entryRefusedAfterALostAnswerIsResolved() async throws {
        let store = try await store(.retry(at: .distantPast, Self.lost))
        try await store.settle(try #require(try await store.claim().first), .dead(Samples.failure), .permanent(Samples.failure))
        #expect(try await store.outbox.entry(Samples.id(1))?.entry.uncertain == false)
        try await resolve(store, .delivered(remoteID: "17"))
        #expect(try await store.state(1) == .delivered)
    }
}
