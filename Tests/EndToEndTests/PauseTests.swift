import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

@Suite struct PauseTests {
    @Test func pauseSurvivesRestartUntilResumed() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        let paused = try await station.homing("pause", "--reason", "weekly backup")
        #expect(paused.code == 0 && paused.text.contains("is paused until you run ‘homing resume’"), "\(paused.text)")
        for number in 1...3 { try await station.submit(user: 4 + number, id: number) }

        let sync = try await station.homing("sync")
        #expect(sync.code == 0 && sync.text.contains("weekly backup. To resume, run: homing resume"), "\(sync.text)")
        #expect(try await station.homing("sync", "--wait").code == 6)

        try await station.end(SIGTERM)
        try await station.start()
        let report = try #require(try await station.status().backends.first)
        #expect(report.gate == "paused" && report.pause?.reason == "weekly backup" && report.queue.pending == 3)
        #expect(report.gateReason?.hasPrefix("Paused by ") == true)
        let status = try await station.homing("status")
        #expect(status.code == 0 && status.text.hasPrefix("3 captures are safe here; sending is paused by "), "\(status.text)")
        let why = try await station.homing("why", "1")
        #expect(why.text.hasPrefix("Sending is paused by ") && why.text.contains("run: homing resume"), "\(why.text)")
        let list = try await station.homing("list")
        let lines = list.text.split(separator: "\n").dropFirst()
        #expect(lines.count == 3 && lines.allSatisfy { $0.hasSuffix("  sending is paused") }, "\(list.text)")
        #expect(station.sandbox.ledger.entries.isEmpty)

        #expect(try await station.homing("resume").text == "Sending to breathesafe has resumed.\n")
        try await station.event("delivered", count: 3)
        let again = try await station.homing("resume", "--backend", "breathesafe")
        #expect(again.code == 0 && again.text == "Sending to breathesafe was not paused; it continues.\n")
        let resumed = try #require(try await station.event("resumed"))
        #expect(resumed.detail["by"]?.hasPrefix("uid ") == true)
        try await station.end(SIGTERM)
    }

    @Test func timedPauseEndsByItself() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        // The end must still be in the future when the daemon receives it.
        #expect(try await station.homing("pause", "--for", "20s", "--backend", "breathesafe", "--reason", "a moment").code == 0)
        try await station.submit(id: 1)
        let resumed = try #require(try await station.event("resumed"))
        #expect(resumed.detail["by"] == "homingd")
        let delivered = try #require(try await station.event("delivered"))
        let paused = try #require(try await station.event("paused"))
        #expect(paused.detail["reason"] == "a moment")
        #expect(delivered.at >= (try Date(try #require(paused.detail["until"]), strategy: .iso8601)))
        #expect(try await station.status().backends.first?.gate == "open")
        try await station.end(SIGTERM)
    }

    @Test func signingInAndOutWorksDuringAPause() async throws {
        let station = try await TestStation()
        try await station.start()
        #expect(try await station.homing("pause", "--for", "2h", "--reason", "inventory").code == 0)
        let login = try await station.homing(
            "login", "--email", "manager@lab.test", "--password-stdin", input: BreatheSafeConfiguration.labPassword)
        #expect(login.code == 0 && login.text.contains("does not send the waiting entries of this account yet. Paused "), "\(login.text)")
        #expect(login.text.contains(": inventory. To end the pause, run: homing resume\n"), "\(login.text)")
        try await station.submit(id: 1)
        #expect(try await station.homing("logout", "--yes").code == 0)
        #expect(try await station.status().backends.first?.gate == "paused")
        #expect(try await station.homing("status").code == 5)
        #expect(try await station.homing("pause", "--reason", "no backend", "--backend", "nowhere").code == 1)
        try await station.end(SIGTERM)
    }
}
