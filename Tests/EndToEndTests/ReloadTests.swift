import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import Synchronization
import TestSupport
import Testing

@Suite struct ReloadTests {
    private func configure(_ station: TestStation, delivery: String = "in_flight: 4", _ text: String = "") throws {
        let places = "state_directory: state\nsocket: homing.sock\nspool: {backend: breathesafe}\n"
        try station.directory.write(places + "delivery: {lookup_after: 0.05, \(delivery)}\n" + text, to: "homing.yaml")
    }

    private func add(_ name: String, to station: TestStation) throws {
        let profile = try String(contentsOfFile: station.directory("backends/breathesafe.yaml"), encoding: .utf8)
        try profile.replacingOccurrences(of: "\nname: breathesafe\n", with: "\nname: \(name)\n")
            .write(toFile: station.directory("backends/\(name).yaml"), atomically: true, encoding: .utf8)
    }

    private func station() async throws -> (TestStation, DatagramReceiver) {
        let station = try await TestStation()
        try configure(station)
        let manager = try DatagramReceiver(at: station.directory("notify"))
        try await station.start(["NOTIFY_SOCKET": station.directory("notify"), "WATCHDOG_USEC": "400000"])
        return (station, manager)
    }

    private final class Progress: Sendable { let isOver = Mutex(false) }

    private static let attentionCode = "configuration-rejected"

    @Test func addedBackendAppearsWithoutRefusingCalls() async throws {
        let (station, manager) = try await station()
        try await station.login()
        let progress = Progress()
        try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask {
                var calls = 0
                while !progress.isOver.withLock(\.self) {
                    #expect(try await station.status().attention.isEmpty)
                    calls += 1
                    try await Task.sleep(for: .milliseconds(2))
                }
                return calls
            }
            defer { progress.isOver.withLock { $0 = true } }
            for number in 1...3 {
                try add("other\(number)", to: station)
                try station.reload()
                #expect(try await manager.line(count: 1 + number) { $0 == "READY=1" } != nil)
                try await station.submit(id: number)
            }
            progress.isOver.withLock { $0 = true }
            for try await calls in group { #expect(calls > 0) }
        }
        let text = try await station.homing("status").text
        for number in 1...3 { #expect(text.contains("other\(number)"), "\(text)") }
        try await station.event("delivered", count: 3)
        #expect(station.sandbox.ledger.entries.count == 3)
        #expect(station.sandbox.ledger.duplicates.isEmpty)
        #expect(try await station.event("reloaded", count: 3)?.detail == ["backends/other3": "added"])
        #expect(manager.lines.contains { $0.hasPrefix("MONOTONIC_USEC=") })
        #expect(try await station.end(SIGTERM) == 0)
        #expect(!FileManager.default.fileExists(atPath: station.directory("homing.sock")))
    }

    @Test func reloadWaitsForRequestInFlight() async throws {
        let (station, manager) = try await station()
        try await station.login()
        // The request hangs until the fault is cleared.
        await station.sandbox.apply(.slowCommit(milliseconds: 600_000, path: "facial_measurements_from_arkit", count: 1))
        try await station.submit(id: 1)
        try await station.met(.slowCommit)
        try configure(station, delivery: "in_flight: 2")
        try station.reload()
        try await manager.line { $0 == "RELOADING=1" }
        let pings = manager.lines.count { $0 == "WATCHDOG=1" }
        try await station.submit(user: 6, id: 2)
        #expect(try await manager.line(count: pings + 2) { $0 == "WATCHDOG=1" } != nil)
        #expect(manager.lines.count { $0 == "READY=1" } == 1, "it did not wait")
        station.sandbox.clearFaults()
        #expect(try await manager.line(count: 2) { $0 == "READY=1" } != nil)
        try await station.event("delivered", count: 2)
        #expect(try await station.event("delivered") { $0.entry == Samples.id(1).description }?.detail["foundByLookup"] == nil)
        #expect(station.sandbox.ledger.requestCount("POST", path: "facial_measurements_from_arkit") == 2)
        #expect(try await station.event("reloaded")?.detail == ["delivery.in_flight": "4 → 2"])
        try await station.end(SIGTERM)
    }

    @Test func stopDuringReloadStopsTheDaemon() async throws {
        let (station, manager) = try await station()
        try await station.login()
        await station.sandbox.apply(Fault(.neverAnswer, path: "facial_measurements_from_arkit"))
        try await station.submit(id: 1)
        try await station.met(.neverAnswer)
        try configure(station, delivery: "in_flight: 2")
        try station.reload()
        try await manager.line { $0 == "RELOADING=1" }
        let (code, took) = try await station.stop()
        #expect(code == 0)
        #expect(took < TestStation.hang)
        #expect(manager.lines.contains("STOPPING=1"))

        station.sandbox.clearFaults()
        try configure(station)
        try await station.start()
        try await station.event("delivered")
        #expect(station.sandbox.ledger.entries.count == 1)
        try await station.end(SIGTERM)
    }

    @Test func invalidConfigurationIsReportedAndNotApplied() async throws {
        let (station, manager) = try await station()
        try await station.login()
        let profile = try String(contentsOfFile: station.directory("backends/breathesafe.yaml"), encoding: .utf8)
        try station.directory.write(profile + "\nnonsense: 1\n", to: "backends/breathesafe.yaml")
        try configure(station, delivery: "attempts: 9")
        try station.reload()
        let rejected = "The changed configuration was rejected; the previous one is active."
        #expect(try await manager.line { $0.hasPrefix("STATUS=") && $0.hasSuffix(rejected) } != nil)
        #expect(try await manager.line(count: 2) { $0 == "READY=1" } != nil)
        let attention = try await station.status().attention
        #expect(attention.map(\.code) == [Self.attentionCode])
        #expect(attention.first?.text.contains("2 mistakes") == true)
        try await station.submit(id: 1)
        try await station.event("delivered")

        try station.directory.write(profile, to: "backends/breathesafe.yaml")
        try configure(station)
        try station.reload()
        #expect(try await manager.line(count: 3) { $0 == "READY=1" } != nil)
        #expect(try await station.status().attention.isEmpty)
        #expect(try await station.end(SIGTERM) == 0)
    }

    @Test func unusableConfigurationIsRolledBack() async throws {
        let (station, manager) = try await station()
        try await station.login()
        try station.directory.write("no certificate", to: "ca.pem")
        try configure(station, "ca_file: ca.pem\n")
        try station.reload()
        #expect(try await manager.line(count: 2) { $0 == "READY=1" } != nil)
        let attention = try await station.status().attention
        #expect(attention.map(\.code) == [Self.attentionCode])
        #expect(attention.first?.text.contains("ca.pem") == true)
        try await station.submit(id: 1)
        try await station.event("delivered")
        #expect(try await station.end(SIGTERM) == 0)
    }

    @Test func rapidReloadsApplyTheNewestConfiguration() async throws {
        let (station, _) = try await station()
        try await station.login()
        for number in 2...20 {
            try configure(station, delivery: "in_flight: \(number)")
            try station.reload()
        }
        // The event stream ends when the daemon replaces itself.
        while try await station.event("reloaded", where: { $0.detail["delivery.in_flight"]?.hasSuffix("→ 20") == true }) == nil {}
        try await station.submit(id: 1)
        try await station.event("delivered")
        #expect(try await station.status().attention.isEmpty)
        #expect(try await station.end(SIGTERM) == 0)
    }
}
