import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

/// A caller who lost an answer repeats the call: the same call is the same entry, and another one under its id is refused.
@Suite struct RepeatedCallTests {
    private func id(_ number: Int) -> String { Samples.id(number).description }

    /// Signed in with the list, and sending nothing.
    private func station() async throws -> TestStation {
        let station = try await TestStation.signedInWithPeople()
        try await station.pauseSending()
        return station
    }

    /// The answers to as many equal calls at the same time.
    private func parallel(_ count: Int, _ call: @escaping @Sendable () async throws -> SubmissionReceipt) async throws
        -> [SubmissionReceipt]
    {
        try await withThrowingTaskGroup(of: SubmissionReceipt.self) { group in
            for _ in 0..<count { group.addTask { try await call() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func expectOneEntry(_ receipts: [SubmissionReceipt], _ number: Int) {
        #expect(receipts.count { !$0.duplicate } == 1)
        #expect(Set(receipts.map(\.sequence)).count == 1 && receipts.allSatisfy { $0.id == id(number) && $0.lane == "users/7" })
    }

    @Test func sameFixAtTheSameTimeIsOneEntry() async throws {
        let station = try await station()
        for round in 1...8 {
            let (old, new) = (2 * round - 1, 2 * round)
            try await station.measure("5", old)
            let fix = FixRequest(id: id(old), newID: id(new), fields: ["user_id": "7"])
            expectOneEntry(try await parallel(16) { [client = station.client] in try await client.call(Endpoints.fix, fix) }, new)
        }
        #expect(try await station.entries("pending").count == 8)
        try await station.end(SIGTERM)
    }

    @Test func otherFixUnderTheSameIDConflicts() async throws {
        let station = try await station()
        try await station.measure("5", 1)
        func fix(_ user: String) async throws -> SubmissionReceipt {
            try await station.client.call(Endpoints.fix, FixRequest(id: id(1), newID: id(2), fields: ["user_id": user]))
        }
        let first = try await fix("7")
        #expect(!first.duplicate && first.sha256 != nil && first.subject?.id == "7")
        let again = try await fix("7")
        #expect(again.duplicate && again.sha256 == first.sha256 && again.subject == first.subject)
        let conflict = await #expect(throws: Problem.self) { try await fix("9") }
        #expect(conflict?.code == .idConflict && conflict?.next?.contains("repeat the fix with another id") == true)
        // Once it is delivered, its fields are destroyed.
        try await station.resumeSending()
        try await station.settled(2, as: "delivered")
        let settled = try await fix("7")
        #expect(settled.duplicate && settled.sha256 == nil && settled.subject?.id == "7")
        let late = await #expect(throws: Problem.self) { try await fix("9") }
        #expect(late?.code == .idConflict)
        let other = FixRequest(id: id(1), newID: id(3), fields: ["user_id": "7"])
        let refusal = await #expect(throws: Problem.self) { try await station.client.call(Endpoints.fix, other) }
        #expect(refusal?.code == .wrongState && refusal?.supersededBy == id(2), "\(String(describing: refusal))")
        let resubmitted = await #expect(throws: Problem.self) { try await station.measure("5", 1) }
        #expect(resubmitted?.code == .discarded && resubmitted?.supersededBy == id(2), "\(String(describing: resubmitted))")
        let delivered = FixRequest(id: id(2), newID: id(4), fields: ["user_id": "5"])
        let server = await #expect(throws: Problem.self) { try await station.client.call(Endpoints.fix, delivered) }
        #expect(server?.next?.contains("only on the server") == true, "\(String(describing: server))")
        try await station.end(SIGTERM)
    }

    @Test func sameReplacementAtTheSameTimeIsOneEntry() async throws {
        let station = try await station()
        for round in 1...8 {
            let (old, new) = (2 * round - 1, 2 * round)
            try await station.measure("5", old)
            let replacement = ControlAPI.Submission(
                route: "measurement", id: id(new), supersedes: id(old), fields: ["user_id": "7"], payload: TestStation.measurement(new))
            expectOneEntry(
                try await parallel(16) { [client = station.client] in try await client.call(Endpoints.submit, replacement) }, new)
        }
        #expect(try await station.entries("pending").count == 8)
        try await station.end(SIGTERM)
    }

    /// The payload of a create goes to a second entry. With and without it, the submission is another.
    @Test(arguments: [true, false]) func createWithAndWithoutAPayloadConflict(isWithPayloadFirst: Bool) async throws {
        let station = try await station()
        func create(_ isWithPayload: Bool) async throws -> SubmissionReceipt {
            try await station.submit("create_managed_user", 1, isWithPayload ? Arrival.profile(1) : nil)
        }
        let first = try await create(isWithPayloadFirst)
        #expect(!first.duplicate && (first.then != nil) == isWithPayloadFirst)
        let problem = await #expect(throws: Problem.self) { try await create(!isWithPayloadFirst) }
        #expect(problem?.code == .idConflict)
        let again = try await create(isWithPayloadFirst)
        #expect(again.duplicate && again.sequence == first.sequence && again.then == first.then)
        #expect(try await station.entries().count == (isWithPayloadFirst ? 2 : 1))

        try await station.resumeSending()
        try await station.event("delivered", count: isWithPayloadFirst ? 2 : 1)
        let late = await #expect(throws: Problem.self) { try await create(!isWithPayloadFirst) }
        #expect(late?.code == .idConflict)
        #expect(try await create(isWithPayloadFirst).duplicate)
        #expect(station.sandbox.ledger.created.count == 1)
        try await station.end(SIGTERM)
    }
}
