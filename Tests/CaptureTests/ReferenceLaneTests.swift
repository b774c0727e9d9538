import Foundation
import Outbox
import StoreSupport
import SyncModel
import TestSupport
import Testing

@testable import Capture

/// Entries for a person who is not created yet.
@Suite struct ReferenceLaneTests {
    private let store: Store
    private var outbox: Outbox { store.outbox }
    private var clock: TestClock { store.clock }
    private let intake: Intake

    private static let create = Samples.id(1)
    private static let token = RosterID(createdBy: create)

    init() throws {
        store = try Store()
        intake = Intake(outbox: store.outbox, addressing: FakeAddressing(), clock: store.clock)
    }

    private func submission(_ number: Int, _ route: String, user: JSONValue?) -> Submission {
        Submission(
            route: route, id: Samples.id(number), fields: user.map { ["user_id": $0] } ?? [:],
            payload: user.map { _ in Data("{}".utf8) })
    }

    @discardableResult
    private func accept(_ number: Int, _ route: String = "measurement", user: JSONValue?) async throws -> Intake.Accepted {
        try await intake.accept(submission(number, route, user: user), for: .ann, at: "breathesafe")
    }

    /// Delivers what is due; the create gets the id 28.
    private func deliver(_ count: Int = 1) async throws {
        let entries = try await outbox.claim([Samples.destination: ClaimOrder(count)], at: clock.now).entries
        #expect(entries.count == count)
        let attempt = Attempt(
            .accepted(Receipt(remoteID: "28", status: 201, at: clock.now)), route: Samples.route, startedAt: clock.now, endedAt: clock.now)
        let settled = entries.map { Settled($0, .delivered(Receipt(remoteID: "28", status: 201, at: clock.now)), attempt: attempt) }
        _ = try await outbox.settle(settled, thenClaim: [:], at: clock.now)
    }

    private func after(_ number: Int) async throws -> Lane? { try await outbox.entry(Samples.id(number))?.entry.mutation.after }

    private static let reference = JSONValue.string(token.rawValue)

    @Test func laneOfCreateHasTheMintedID() async throws {
        var nameless = submission(1, "create", user: nil)
        nameless.id = nil
        let accepted = try await intake.accept(nameless, for: .ann, at: "breathesafe")
        #expect(accepted.lane == Lane("creates/\(accepted.id)"))
    }

    @Test func subjectStaysAsSubmitted() async throws {
        try await accept(1, "create", user: nil)
        #expect(try await accept(2, user: Self.reference).lane == Lane("users/\(Self.token)"))
        #expect(try await outbox.entry(Samples.id(2))?.entry.mutation.subject == Self.token)
    }

    @Test func bothNamesOfPersonShareTheLaneWhileItIsOccupied() async throws {
        try await accept(1, "create", user: nil)
        try await accept(2, user: Self.reference)
        try await deliver()
        #expect(try await accept(3, user: 28).lane == Lane("users/\(Self.token)"))
        #expect(try await accept(4, user: Self.reference).lane == Lane("users/\(Self.token)"))
        #expect(try await accept(5, user: 29).lane == Lane("users/29"))
    }

    @Test func laneOfServersIDIsUsedOnceTheOtherIsEmpty() async throws {
        try await accept(1, "create", user: nil)
        try await accept(2, user: Self.reference)
        try await deliver()
        try await deliver()
        #expect(try await accept(3, user: 28).lane == Lane("users/28"))
        #expect(try await accept(4, user: Self.reference).lane == Lane("users/28"))
    }

    /// As in the drop folder, which makes the entries of a batch before it stores them.
    @Test func laneIsChosenWhenTheEntryIsStored() async throws {
        try await accept(1, "create", user: nil)
        try await accept(2, user: Self.reference)
        let early = try intake.mutation(submission(3, "measurement", user: Self.reference), for: Samples.destination, at: clock.now)
        let earlyTest = try intake.mutation(submission(4, "fit_test", user: Self.reference), for: Samples.destination, at: clock.now)
        try await deliver()
        try await deliver()
        #expect(try await accept(5, user: 28).lane == Lane("users/28"))
        let stored = try await intake.accept([early, earlyTest], accountLabel: nil, at: clock.now)
        #expect(try stored.map { try $0.get().lane } == [Lane("users/28"), Lane("tests/28")])
        #expect(try await after(4) == Lane("users/28"))
        #expect(try await outbox.entry(Samples.id(3))?.entry.mutation.subject == Self.token)
    }

    @Test func lanesToWaitForAreChosenByTheirOwnEntries() async throws {
        try await accept(1, "create", user: nil)
        try await accept(2, user: Self.reference)
        #expect(try await accept(3, "fit_test", user: Self.reference).lane == Lane("tests/\(Self.token)"))
        #expect(try await after(3) == Lane("users/\(Self.token)"))
        try await deliver()
        // Nothing else waits in the fit tests' lane once entry 3 is discarded.
        try await outbox.discard(Samples.id(3), by: "test", at: clock.now)
        #expect(try await accept(4, "fit_test", user: 28).lane == Lane("tests/28"))
        #expect(try await after(4) == Lane("users/\(Self.token)"))
        try await deliver()
        #expect(try await accept(5, "fit_test", user: 28).lane == Lane("tests/28"))
        #expect(try await after(5) == Lane("users/28"))
    }

    @Test func pairIsAcceptedWholeOrNotAtAll() async throws {
        let pair = [submission(1, "create", user: nil), submission(2, "measurement", user: Self.reference)]
        let accepted = try await intake.accept(all: pair, for: .ann, at: "breathesafe").accepted
        #expect(accepted.map(\.id) == [Samples.id(1), Samples.id(2)])
        let again = try await intake.accept(all: pair, for: .ann, at: "breathesafe").accepted
        #expect(again.allSatisfy { if case .duplicate = $0.enqueued { true } else { false } })

        try await accept(4, user: 5)
        let taken = [
            submission(3, "create", user: nil), submission(4, "measurement", user: .string(RosterID(createdBy: Samples.id(3)).rawValue)),
        ]
        await #expect(throws: IntakeError.outbox(.idConflict(Samples.id(4)))) {
            try await intake.accept(all: taken, for: .ann, at: "breathesafe")
        }
        #expect(try await outbox.entry(Samples.id(3)) == nil)
    }

    @Test func unknownReferenceIsRefused() async throws {
        await #expect(throws: IntakeError.outbox(.noSuchCreate(Self.create))) { try await accept(2, user: Self.reference) }
    }

    @Test func followerIsAlwaysTheSame() {
        #expect(Self.create.follower == Samples.id(1).follower)
        #expect(Self.create.follower != Samples.id(2).follower && Self.create.follower != Self.create)
        #expect(Array(Self.create.follower.description)[14] == "8")
    }
}
