import ControlAPI
import Foundation
import StationSupport
import SyncModel
import TestSupport
import Vault

extension RotationStation {
    /// A run of the daemon under load, and a change of the keys meanwhile or afterwards, which may be interrupted.
    func day(_ fault: RotationFault) async throws {
        try noteKeys()
        wasKilledAtAMoment = false
        let mark = station.directory("met")
        try? FileManager.default.removeItem(atPath: mark)  // `try?`: there may be none
        let recorder = Recorder(root: state, log: nil)
        var environment = try recorder.environment(killing: fault.place(using: &dice), met: mark)
        environment["RECORDER_FAIL"] = fault.failure(using: &dice)?.environment
        if fault.isOfAStoppedStation {
            let process = try await station.start()
            await work(4, while: process)
            try await station.end(Bool.random(using: &dice) ? SIGKILL : SIGTERM)
            try await changeStopped(fault, environment)
        } else if let process = try await start(environment, met: mark) {
            try await change(fault, in: process)
            try await station.end(Bool.random(using: &dice) ? SIGKILL : SIGTERM)
        }
        let isMet = FileManager.default.fileExists(atPath: mark) || wasKilledAtAMoment
        if fault == .none || isMet { met(fault.rawValue) } else { counted("changes that were complete before the fault") }
    }

    /// Nil if a fault met the start, which completes an earlier change.
    private func start(_ environment: [String: String], met mark: String) async throws -> Process? {
        do { return try await station.start(environment) } catch {
            guard FileManager.default.fileExists(atPath: mark) else { throw error }
            counted("faults at a start")
            return nil
        }
    }

    private func change(_ fault: RotationFault, in daemon: Process) async throws {
        let load = Task { await self.work(12, while: daemon) }
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...80, using: &dice)))
        let moment = Duration.milliseconds(Int.random(in: 0...200, using: &dice))
        let killing = Task {
            // `try?`: cancelled once the command has ended.
            guard fault == .daemonDiesAtAMoment, (try? await Task.sleep(for: moment)) != nil else { return }
            daemon.signal(SIGKILL)
        }
        var code: Int32 = 0
        var text = ""
        for _ in 0..<(fault == .again ? 2 : 1) where daemon.isRunning {
            let process = command("rotate")
            (code, text) = try await process.ended(killedAfter: fault == .commandDiesAtAMoment ? moment : nil)
            if process.wasKilled { wasKilledAtAMoment = true }
        }
        killing.cancel()
        await killing.value
        if fault == .none, code != 0 { broken("the keys could not be changed: \(text)") }
        if fault == .sealingDies { await waits(for: daemon) }
        await load.value
        if fault == .daemonDiesAtAMoment, daemon.wasKilled { wasKilledAtAMoment = true }
        let mayEnd = [.daemonDiesAtAStep, .daemonDiesAtAMoment, .sealingDies, .again].contains(fault)
        if !mayEnd, !daemon.isRunning { broken("the daemon ended in a change of the keys: \(fault.rawValue)") }
    }

    /// Waits until the daemon is killed or has sealed all data.
    private func waits(for daemon: Process) async {
        let limit = ContinuousClock.now + .seconds(60)
        while daemon.isRunning, ContinuousClock.now < limit {
            // `try?`: the daemon may be gone.
            if let report = try? await station.client.call(Endpoints.key, NoInput()), !report.isResealing { return }
            await pauseBriefly()
        }
    }

    private func changeStopped(_ fault: RotationFault, _ environment: [String: String]) async throws {
        let moment = Duration.milliseconds(Int.random(in: 0...150, using: &dice))
        let process = command("rotate", environment: environment)
        let (code, text) = try await process.ended(killedAfter: fault == .stoppedDiesAtAMoment ? moment : nil)
        if process.wasKilled {
            wasKilledAtAMoment = true
            return
        }
        if code != 0, code != 1 { broken("a change of the keys of a stopped station ended with \(code): \(text)") }
        if code == 1, fault != .stoppedFails { broken("the keys of a stopped station could not be changed: \(text)") }
    }

    // MARK: Looking

    /// After any fault the station starts, with its session and its entries, and `homingd key show` tells the truth.
    func look() async throws {
        try await showsTheTruth()
        let started = ContinuousClock.now
        let process = try await station.start()
        finding.recovery = max(finding.recovery, (ContinuousClock.now - started) / .seconds(1))
        let session = try await station.status().backends.first?.session
        if isSignedIn, session?.state != "signedIn" {
            broken("the session was lost: \(session?.state ?? "") \(session?.reason ?? "")")
            isSignedIn = false
        }
        let known = Set(try await station.entries().map(\.id))
        let lost = acknowledged.filter { !known.contains(Samples.id($0).description) }
        if !lost.isEmpty { broken("acknowledged, and gone after a change of the keys: \(lost.sorted())") }
        try await signIn()
        await work(3, while: process)
        if !process.isRunning { broken("the daemon ended after a change of the keys") }
        try await station.end(Bool.random(using: &dice) ? SIGKILL : SIGTERM)
    }

    /// With a stopped daemon.
    private func showsTheTruth() async throws {
        let keys = try keys()
        let (code, text) = try await command("show").ended()
        if code != 0 { return broken("‘homingd key show’ failed: \(text)") }
        if !text.contains(keys.master.fingerprint) { broken("‘homingd key show’ names another key: \(text)") }
        if text.contains("All data is sealed with this data key.") == keys.keyring.hasEarlier {
            broken("‘homingd key show’ is wrong about the data key: \(text)")
        }
        if text.contains("was interrupted") != keys.isPending { broken("‘homingd key show’ is wrong about the change: \(text)") }
    }
}
