import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

/// The answer to the creation of a person is an error that says nothing about the effect. The list does.
@Suite(.timeLimit(.minutes(60))) struct ShownByTheListTests {
    private static let path = "managed_users"
    /// Each list that is read after the hold may settle it.
    private static let delivery = "first_delay: 0.05, lookup_after: 0.001, first_pause: 0.1"

    /// Homing reads the list by itself.
    @Test func createWithoutEffectIsSentAgain() async throws {
        let station = try await TestStation.signedInWithPeople(delivery: Self.delivery)
        await station.sandbox.apply(Fault(.error, path: Self.path, method: "POST", count: 1) { $0.status = 502 })
        try await station.create(1)
        try await station.measure(TestStation.reference(to: 1), 2)
        let held = try await station.event("held") { $0.entry == Samples.id(1).description }
        #expect(held?.detail["reason"] == "unknownOutcome")
        let resolved = try await station.event("resolved")
        #expect(resolved?.entry == Samples.id(1).description)
        #expect(resolved?.detail == ["outcome": "notDelivered", "list": "managed_users"])
        try await station.allSettled(1...2)
        let ledger = station.sandbox.ledger
        #expect(ledger.requestCount("POST", path: Self.path) == 2 && ledger.created.count == 1)
        #expect(ledger.arrivals.map(\.number) == [nil, 2] && Set(ledger.arrivals.map(\.user)).count == 1)
        try await station.end(SIGTERM)
    }

    @Test func createWithEffectStaysOnHoldForAPerson() async throws {
        let station = try await TestStation.signedInWithPeople(delivery: Self.delivery)
        await station.sandbox.apply(Fault(.internalErrorAfterCommit, path: Self.path, method: "POST", count: 1))
        try await station.create(1)
        try await station.settled(1, as: "held")
        for _ in 1...5 {
            try await station.refreshedPeople()
            await pauseBriefly()
        }
        let user = try #require(station.sandbox.ledger.created.first)
        #expect(try await station.settled(1, as: "held").holdReason == "unknownOutcome")
        let why = try await station.why(1)
        #expect(why.sentence.contains("may be Edit Me (\(user))."), "\(why.sentence)")
        #expect(why.needsPerson && why.next?.contains("--delivered \(user)") == true, "\(why.next ?? "")")
        #expect(station.sandbox.ledger.requestCount("POST", path: Self.path) == 1)
        try await station.end(SIGTERM)
    }
}
