import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

@Suite struct ShippedProfileTests {
    private func submit(_ station: TestStation, _ route: String, id: Int, _ document: String, user: Int = 5) async throws {
        _ = try await station.client.call(
            Endpoints.submit,
            ControlAPI.Submission(
                backend: "breathesafe", route: route, id: Samples.id(id).description, fields: ["user_id": String(user)],
                payload: Data(document.utf8)))
    }

    private func signedIn() async throws -> TestStation {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        return station
    }

    /// The server always answers 500 to one and 422 to the other.
    @Test func refusedFitTestsAndProfilesBlockNoMeasurement() async throws {
        let station = try await signedIn()
        try await submit(station, "fit_test", id: 1, #"{"mask_id":424242}"#)
        try await submit(station, "profile", id: 2, #"{"user_id":6}"#)
        await station.sandbox.ledger.waits { $0.requestCount("POST", path: "fit_tests", status: 500) > 0 }
        for id in 3...6 { try await station.submit(id: id) }
        for id in 3...6 {
            let own = Samples.id(id).description
            try await station.event("delivered") { $0.entry == own }
        }
        #expect(try await station.entry(2).state == "dead")
        #expect(try await station.entry(1).state != "delivered")
        try await station.end(SIGTERM)
    }

    /// The server assigns a fit test to its newest measurement.
    @Test func fitTestsWaitForTheMeasurementsBeforeThem() async throws {
        let station = try await signedIn()
        await station.sandbox.apply(.slowCommit(milliseconds: 600_000, path: "from_arkit", count: 1))
        try await station.submit(id: 1)
        try await station.met(.slowCommit)
        try await submit(station, "fit_test", id: 2, #"{"mask_id":1}"#)
        try await submit(station, "profile", id: 3, #"{"first_name":"Anna"}"#)
        // A fit test sent with the profile would have arrived by now.
        try await station.event("delivered") { $0.entry == Samples.id(3).description }
        #expect(station.sandbox.ledger.requestCount("POST", path: "fit_tests") == 0)
        station.sandbox.clearFaults()
        try await station.event("delivered") { $0.entry == Samples.id(2).description }
        #expect(station.sandbox.ledger.entries.map(\.resource) == ["profile", "facial_measurement", "fit_test"])
        try await station.end(SIGTERM)
    }

    @Test func receiptsRecordAlteredPayloads() async throws {
        let station = try await signedIn()
        try await submit(station, "measurement", id: 1, #"{"average_measurements":{},"marks":[1,null,3]}"#)
        try await submit(station, "measurement", id: 2, #"{"average_measurements":{},"marks":[[],[{"a":[null]}]]}"#)
        try await submit(station, "measurement", id: 3, #"{"average_measurements":{},"marks":[1,2,3.0]}"#)
        try await station.event("delivered", count: 3)
        await station.sandbox.apply(Fault(.commitThenCut, path: "from_arkit", count: 1))
        try await submit(station, "measurement", id: 4, #"{"average_measurements":{},"found":[null]}"#)
        try await station.event("delivered", count: 4)
        let receipts = try await station.client.call(Endpoints.receipts, ReceiptQuery()).receipts
        func altered(_ id: Int) -> String? { receipts.first { $0.id == Samples.id(id).description }?.altered }
        #expect(receipts.count == 4)
        #expect((1...4).map { altered($0) } == ["/marks/1", "/marks/1/0/a/0", nil, "/found/0"])
        try await station.end(SIGTERM)
    }

    @Test func payloadsTheServerCannotReturnAreRefused() async throws {
        let station = try await signedIn()
        let nested = String(repeating: "[", count: 98) + String(repeating: "]", count: 98)
        for (document, words) in [
            (#"{"average_measurements":{},"n":\#(nested)}"#, "more than 98 levels"),
            (#"{"average_measurements":{},"client_mutation_id":"mine"}"#, "\"client_mutation_id\""),
        ] {
            let refused = await #expect(throws: Problem.self) { try await submit(station, "measurement", id: 1, document) }
            #expect(refused?.detail.contains(words) == true, "\(String(describing: refused))")
            try document.write(toFile: station.directory("a.json"), atomically: true, encoding: .utf8)
            let told = try await station.homing("submit", station.directory("a.json"), "--user", "5")
            #expect(told.code != 0 && told.text.replacing(/\s+/, with: " ").contains(words), "\(told.text)")
        }
        #expect(try await station.entries().isEmpty)
        try await station.end(SIGTERM)
    }
}
