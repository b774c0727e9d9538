import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

/// Changing and deleting a fit test of Anna Example (7), and measurements that a person types in.
@Suite struct FitTestRoutesTests {
    /// Signed in, with one fit test of Anna's at the server; the second value is its id there.
    private func station() async throws -> (TestStation, String) {
        let station = try await TestStation.signedInWithPeople()
        try await station.testFit("7", 1)
        try await station.settled(1, as: "delivered")
        return (station, try #require(try await station.receipt(1).remoteID))
    }

    private func submit(
        _ route: String, _ number: Int, _ fields: [String: String], _ payload: String? = nil, to station: TestStation
    ) async throws {
        _ = try await station.client.call(
            Endpoints.submit,
            ControlAPI.Submission(
                route: route, id: Samples.id(number).description, fields: fields, payload: payload.map { Data($0.utf8) }))
    }

    /// The changes and deletions of fit tests that the server received.
    private func changes(_ station: TestStation) -> [String] {
        station.sandbox.ledger.requests.filter { $0.method != "POST" && $0.path.hasPrefix("/fit_tests/") }
            .map { "\($0.method) \($0.path)" }
    }

    @Test func changesAndThenDeletesAFitTest() async throws {
        let (station, fitTest) = try await station()
        try await station.pauseSending()
        try await submit("edit_fit_test", 2, ["user_id": "7", "fit_test_id": fitTest], #"{"notes":"second"}"#, to: station)
        let told = try await station.homing("roster", "fit_tests", "delete", fitTest, "--yes", "--id", Samples.id(3).description)
        #expect(told.code == 0, "\(told.text)")
        try await station.resumeSending()
        try await station.allSettled(2...3)
        #expect(changes(station) == ["PUT /fit_tests/\(fitTest)", "DELETE /fit_tests/\(fitTest)"])
        #expect(station.sandbox.ledger.entries.map(\.user) == [7, 7, 7])
        #expect(station.sandbox.ledger.entries[1].digest == Arrival.digest(["notes": "second"]))
        #expect(try await station.receipt(3).foundByLookup == false)
        try await station.end(SIGTERM)
    }

    @Test func fitTestOfAnotherPersonIsNotChanged() async throws {
        let (station, fitTest) = try await station()
        try await submit("edit_fit_test", 2, ["user_id": "5", "fit_test_id": fitTest], #"{"notes":"second"}"#, to: station)
        try await station.settled(2, as: "dead")
        #expect(changes(station).isEmpty)
        try await station.end(SIGTERM)
    }

    /// Not only the first reference of the route.
    @Test func strictChangeIsRefusedForAnUnknownFitTest() async throws {
        let (station, fitTest) = try await station()
        func change(_ user: String, _ test: String) async throws -> SubmissionReceipt {
            try await station.client.call(
                Endpoints.submit,
                ControlAPI.Submission(
                    route: "edit_fit_test", id: Samples.id(2).description, fields: ["user_id": user, "fit_test_id": test],
                    payload: Data(#"{"notes":"second"}"#.utf8), strict: true))
        }
        let list = RosterReference(resource: "fit_tests")
        while try await station.client.call(Endpoints.refreshRoster, list).failure != nil { await pauseBriefly() }
        let second = await #expect(throws: Problem.self) { try await change("7", "999999") }
        #expect(second?.code == .notListed, "\(String(describing: second))")
        #expect(second?.detail.hasPrefix("Nothing was accepted: 999999 is not one of your fit tests, as of ") == true)
        let both = await #expect(throws: Problem.self) { try await change("77", "999999") }
        #expect(both?.detail.contains("77 is not one of your people, ") == true, "\(String(describing: both))")
        #expect(both?.detail.contains("999999 is not one of your fit tests, ") == true)
        let accepted = try await change("7", fitTest)
        #expect(accepted.warning == nil && accepted.subject?.id == "7")
        try await station.settled(2, as: "delivered")
        try await station.end(SIGTERM)
    }

    @Test func lostAnswerToADeletionIsSettledByReadingAgain() async throws {
        let (station, fitTest) = try await station()
        await station.sandbox.apply(Fault(.commitThenCut, path: "/fit_tests/", method: "DELETE", count: 1))
        try await submit("delete_fit_test", 2, ["fit_test_id": fitTest], to: station)
        try await station.settled(2, as: "delivered")
        #expect(try await station.receipt(2).foundByLookup)
        #expect(changes(station) == ["DELETE /fit_tests/\(fitTest)"])
        try await station.end(SIGTERM)
    }

    @Test func manualMeasurementGoesToThePersonInItsField() async throws {
        let station = try await TestStation.signedInWithPeople()
        let refused = await #expect(throws: Problem.self) {
            try await submit("manual_measurement", 1, ["user_id": "7"], #"{"user_id":5,"face_width":"140"}"#, to: station)
        }
        #expect(refused?.detail.contains("takes no payload") == true, "\(String(describing: refused))")
        try await submit("manual_measurement", 2, ["user_id": "7", "face_width": "140", "nose_protrusion": "27.5"], to: station)
        try await station.settled(2, as: "delivered")
        let entry = try #require(station.sandbox.ledger.entries.first)
        #expect(entry.path == "/users/7/facial_measurements" && entry.user == 7 && station.sandbox.ledger.entries.count == 1)
        #expect(entry.digest == Arrival.digest(["user_id": 7, "face_width": "140", "nose_protrusion": "27.5"]))
        try await station.end(SIGTERM)
    }

    /// Nothing can be looked up, so a person decides.
    @Test func manualMeasurementIsNotSentTwice() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.apply(Fault(.commitThenCut, path: "/users/7/facial_measurements", method: "POST", count: 1))
        try await submit("manual_measurement", 1, ["user_id": "7", "face_width": "140"], to: station)
        #expect(try await station.settled(1, as: "held").holdReason == "unknownOutcome")
        #expect(station.sandbox.ledger.requestCount("POST", path: "facial_measurements") == 1)
        try await station.end(SIGTERM)
    }
}
