import Foundation
import StoreSupport
import SyncModel
import TestSupport
import Testing

@testable import Outbox

/// The lane of an entry for a row that an entry creates is chosen when the entry is stored.
@Suite struct PlacingTests {
    private let store: Store
    private static let reference = RosterID(createdBy: Samples.id(1))
    private static let old = Lane("people/\(reference)")
    private static let new = Lane("people/7")

    init() throws { store = try Store() }

    /// As the intake makes it, at any time before it is stored.
    private static func capture(_ number: Int, of subject: RosterID, onDead: Mutation.OnDead = .skip) -> Mutation {
        let lanes = SubjectLanes(lane: "people/ID", placeholder: "ID")
        var mutation = Samples.mutation(number, lane: lanes.lane(for: subject).rawValue, onDead: onDead)
        (mutation.subject, mutation.reference, mutation.subjectLanes) = (subject, "people", lanes)
        return mutation
    }

    private static func fitTest(_ number: Int, of subject: RosterID) -> Mutation {
        let lanes = SubjectLanes(lane: "tests/ID", after: "people/ID", placeholder: "ID")
        var mutation = capture(number, of: subject)
        (mutation.lane, mutation.after, mutation.subjectLanes) = (lanes.lane(for: subject), lanes.after(for: subject), lanes)
        return mutation
    }

    private func deliver() async throws { try await store.deliver(try #require(try await store.claim().first)) }

    private func lane(_ number: Int) async throws -> Lane? { try await store.outbox.entry(Samples.id(number))?.entry.lane }
    private func after(_ number: Int) async throws -> Lane? { try await store.outbox.entry(Samples.id(number))?.entry.mutation.after }

    /// Entry 2 waits for the person of entry 1, whose create took effect but whose answer was lost. Entry 3 names the server's id. Then a person tells
    /// which one it is.
    private func bindLate(onDead: Mutation.OnDead = .skip) async throws {
        try await store.enqueue(Samples.create(1))
        try await store.enqueue(Self.capture(2, of: Self.reference, onDead: onDead))
        let lost = Failure(.lostAnswer, "lost", outcomeUnknown: true)
        try await store.settle(try #require(try await store.claim().first), .held(.unknownOutcome, lost), .unknown(lost))
        try await store.enqueue(Self.capture(3, of: "7", onDead: onDead))
        try await store.outbox.resolve(
            Samples.id(1), as: .delivered(remoteID: "7"), by: "uid 1000", named: "ann", at: store.clock.now)
        #expect(try await [lane(2), lane(3)] == [Self.old, Self.new])
    }

    @Test func laneThatRanEmptyMeanwhileIsNotUsedAgain() async throws {
        try await store.enqueue(Samples.create(1))
        try await store.enqueue(Self.capture(2, of: Self.reference))
        let early = Self.capture(4, of: Self.reference)
        try await deliver()
        try await deliver()
        try await store.enqueue(Self.capture(3, of: "7"))
        #expect(try await store.enqueue(early) == .new(sequence: 4, lane: Self.new))
        #expect(try await [lane(3), lane(4)] == [Self.new, Self.new])
        #expect(try await store.claim(5).map(\.id) == [Samples.id(3)])
        #expect(
            try await store.outbox.events(since: 0, limit: 100).last(where: { $0.kind == .captured })?.detail["lane"] == Self.new.rawValue)
        #expect(try await store.enqueue(early) == .duplicate(sequence: 4, of: Samples.destination, Self.new))
    }

    @Test func bothNamesInOneBatchShareTheOccupiedLane() async throws {
        try await store.enqueue(Samples.create(1))
        try await store.enqueue(Self.capture(2, of: Self.reference))
        let early = Self.capture(3, of: "7")
        try await deliver()
        let batch = [early, Self.capture(4, of: Self.reference), Self.capture(5, of: "8")]
        _ = try await store.outbox.enqueue(batch, accountLabel: nil, at: store.clock.now)
        #expect(try await [lane(3), lane(4), lane(5)] == [Self.old, Self.old, "people/8"])
    }

    /// Also one that failed or is on hold.
    @Test func laneIsOccupiedUntilItsLastEntryIsSettled() async throws {
        try await store.enqueue(Samples.create(1))
        try await store.enqueue(Self.capture(2, of: Self.reference))
        try await deliver()
        try await store.settle(try #require(try await store.claim().first), .dead(Samples.failure), .permanent(Samples.failure))
        try await store.enqueue(Self.capture(3, of: "7"))
        try await store.outbox.discard(Samples.id(2), by: "ann", at: store.clock.now)
        try await deliver()
        try await store.enqueue(Self.capture(4, of: Self.reference))
        #expect(try await [lane(3), lane(4)] == [Self.old, Self.new])
    }

    @Test func newEntryOvertakesNeitherLane() async throws {
        try await bindLate()
        try await store.enqueue(Self.capture(4, of: "7"))
        try await store.enqueue(Self.capture(5, of: Self.reference))
        #expect(try await [lane(4), lane(5)] == [Self.old, Self.old])
        #expect(try await [after(4), after(5)] == [Self.new, Self.new])
        let first = try await store.claim(5)
        #expect(Set(first.map(\.id)) == [Samples.id(2), Samples.id(3)])
        for entry in first where entry.id == Samples.id(2) { try await store.deliver(entry) }
        #expect(try await store.claim(5).isEmpty)
        #expect(try await store.outbox.context(of: Samples.id(4))?.blocker?.id == Samples.id(3))
        for entry in first where entry.id == Samples.id(3) { try await store.deliver(entry) }
        #expect(try await store.outbox.derivedTablesMatch())
        #expect(try await store.claim(5).map(\.id) == [Samples.id(4)])
    }

    @Test(arguments: Mutation.OnDead.allCases) func failureInTheOtherLaneStopsAsInItsOwn(onDead: Mutation.OnDead) async throws {
        try await bindLate(onDead: onDead)
        try await store.enqueue(Self.capture(4, of: "7", onDead: onDead))
        for entry in try await store.claim(5) {
            if entry.id == Samples.id(2) {
                try await store.deliver(entry)
            } else {
                try await store.settle(entry, .dead(Samples.failure), .permanent(Samples.failure))
            }
        }
        #expect(try await store.outbox.derivedTablesMatch())
        #expect(try await store.claim(5).map(\.id) == (onDead == .halt ? [] : [Samples.id(4)]))
    }

    @Test func laneToWaitForIsThatOfTheNewestEntry() async throws {
        try await bindLate()
        try await store.enqueue(Self.fitTest(4, of: Self.reference))
        try await store.enqueue(Self.capture(5, of: "7"))
        try await store.enqueue(Self.fitTest(6, of: "7"))
        #expect(try await [lane(4), lane(6)] == ["tests/7", "tests/7"])
        #expect(try await [after(4), after(6)] == [Self.new, Self.old])
    }
}
