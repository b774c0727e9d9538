import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

@Suite struct ServerPauseTests {
    @Test(arguments: [SIGTERM, SIGKILL]) func retryAfterSurvivesReloadAndRestart(signal: Int32) async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        let path = "facial_measurements_from_arkit"
        await station.sandbox.apply(.tooManyRequests(retryAfter: 600, path: path, count: 1))
        try await station.submit(id: 1)
        try await station.event("gateChanged") { $0.detail["reason"] == "throttled" }
        try await expectThrottled(station)
        let asked = station.sandbox.ledger.requests.count

        try TestStation.configure(station.directory, delivery: TestStation.shortPauses + ", in_flight: 2")
        try station.reload()
        while try await station.event("reloaded") == nil {}
        try await expectThrottled(station)

        try await station.end(signal)
        try await station.start()
        try await expectThrottled(station)
        try await station.end(SIGTERM)
        #expect(station.sandbox.ledger.requestCount("POST", path: path) == 1)
        #expect(station.sandbox.ledger.requests.count == asked, "something was asked in spite of the pause")
    }

    /// Even a sync does not make the daemon send.
    private func expectThrottled(_ station: TestStation) async throws {
        try await station.sync()
        let report = try await firstValue { () async throws -> BackendReport? in
            try #require(station.sandbox.ledger.requestCount("POST", path: "facial_measurements_from_arkit") == 1)
            let report = try #require(try await station.status().backends.first)
            // After a start, the gate is set a moment after the session.
            return report.gate == "cooling" ? report : nil
        }
        #expect(report.gateCause == "throttled")
        #expect(try #require(report.nextTry).timeIntervalSinceNow > 300)
    }
}
