import ControlAPI
import Foundation
import Sandbox
import StationSupport
import TestSupport

/// Starts the real daemon on the image of a power cut, waits until all entries are settled, and compares the backend's ledger.
struct DaemonCheck {
    let scenario: PowerCutScenario
    let cut: PowerCut

    func problems() async throws -> [String] {
        let directory = try TemporaryDirectory()
        for name in ["homing.yaml", "backends"] {
            try FileManager.default.copyItem(atPath: scenario.station.directory(name), toPath: directory(name))
        }
        try cut.image().write(to: directory("state"))
        let station = TestStation(in: directory, at: scenario.station.sandbox)
        let before = effects
        do { try await station.start() } catch { return ["the daemon does not start: \(error)"] }
        defer { station.sandbox.clearFaults() }
        try await station.signIn("breathesafe")
        // A person may have paused sending before the cut.
        _ = try await station.client.call(Endpoints.resume, ResumeRequest())
        let deadline = ContinuousClock.now + .seconds(600)
        var open: [EntrySummary] = []
        repeat {
            open = try await station.entries().filter { $0.backend == "breathesafe" && ["pending", "inflight"].contains($0.state) }
            if !open.isEmpty { try await Task.sleep(for: .milliseconds(20)) }
        } while !open.isEmpty && ContinuousClock.now < deadline
        var problems = open.map { "entry \($0.id) is \($0.state) a minute after the start" }
        let after = effects
        for id in cut.taken.sorted() where after[id] != before[id] { problems.append("entry \(id) took effect a second time") }
        try await station.end(SIGKILL)
        return problems
    }

    private var effects: [String: Int] {
        Dictionary(scenario.station.sandbox.ledger.entries.compactMap { $0.clientMutationID.map { ($0, 1) } }, uniquingKeysWith: +)
    }
}
