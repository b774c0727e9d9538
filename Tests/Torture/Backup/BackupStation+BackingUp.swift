import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport

extension BackupStation {
    /// A run of the daemon with submissions and a backup, which may be interrupted. Adds a backup that is whole to `backups`.
    func day(_ interruption: Interruption) async throws {
        let mark = station.directory("met")
        try? FileManager.default.removeItem(atPath: mark)  // `try?`: there may be none
        let process = try await start(interruption, met: mark)
        let load = Task { await self.work(12, while: process) }
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...80, using: &dice)))
        try await backUp(interruption, met: mark, daemon: process)
        await load.value
        if interruption == .stateIsFull || interruption.isOfTheClient, !process.isRunning {
            broken("the daemon ended in a backup: \(interruption.rawValue)")
        }
        try await station.end(Bool.random(using: &dice) ? SIGKILL : SIGTERM)
    }

    /// Starts without faults of the backends, so that signing in works.
    private func start(_ interruption: Interruption, met mark: String) async throws -> Process {
        station.sandbox.clearFaults()
        appointments.clearFaults()
        let recorder = Recorder(root: station.directory("state"), log: nil)
        var environment = try recorder.environment(killing: interruption.daemonPlace(using: &dice), met: mark)
        environment["RECORDER_FAIL"] = interruption.daemonFailure(using: &dice)?.environment
        let process = try await station.start(environment)
        let left = try FileManager.default.contentsOfDirectory(atPath: station.directory("state")).filter { name in
            name.hasPrefix("outbox.sqlite.backup") || name.hasPrefix("outbox.sqlite.restored")
        }
        if !left.isEmpty { broken("a start left \(left.sorted())") }
        try await signIn()
        return process
    }

    /// A backup by the command line. Records what became of it.
    private func backUp(_ interruption: Interruption, met mark: String, daemon: Process) async throws {
        let before = acknowledged
        let file = BackupFile(path: station.directory("backups/\(backups.count + incomplete.count)-\(submitted.count)"))
        let moment = Duration.milliseconds(Int.random(in: 0...150, using: &dice))
        let killing = Task {
            // `try?`: cancelled once the backup has ended.
            guard (try? await Task.sleep(for: moment)) != nil else { return }
            if interruption == .daemonDiesAtAMoment { daemon.signal(SIGKILL) }
        }
        let client = try self.client(file, interruption, met: mark)
        let (code, text) = try await client.ended(killedAfter: interruption == .clientDiesAtAMoment ? moment : nil)
        killing.cancel()
        await killing.value
        if interruption == .none, code != 0 { broken("a backup failed: \(text)") }
        try note(file, code: code, before: before)
        let isMet = FileManager.default.fileExists(atPath: mark) || client.wasKilled || (interruption == .daemonDiesAtAMoment && code != 0)
        if interruption == .none || isMet { met(interruption.rawValue) } else { counted("backups that were complete before the fault") }
    }

    private func client(_ file: BackupFile, _ interruption: Interruption, met mark: String) throws -> Process {
        let client = Process()
        client.executableURL = URL(fileURLWithPath: TestStation.programs + "/homing")
        client.arguments = ["backup", file.path, "--socket", station.directory("homing.sock")]
        guard interruption.isOfTheClient else { return client }
        let recorder = Recorder(root: station.directory("backups"), log: nil)
        var environment = try recorder.environment(killing: interruption.clientPlace(using: &dice), met: mark)
        environment["RECORDER_FAIL"] = interruption.clientFailure(using: &dice)?.environment
        client.environment = ProcessInfo.processInfo.environment.merging(environment) { _, given in given }
        return client
    }

    /// A file has its name only if it is whole, and always after success.
    private func note(_ file: BackupFile, code: Int32, before: Set<Int>) throws {
        if code == 0, !file.exists { broken("‘homing backup’ reported success, and there is no file") }
        if file.exists {
            if try file.isWhole {
                backups.append(Backup(file: file, entries: before))
            } else {
                broken("an incomplete backup has its final name (exit status \(code))")
                incomplete.append(file)
            }
        }
        let unfinished = BackupFile(path: file.path + ".unfinished")
        guard unfinished.exists, try !unfinished.isWhole else { return }
        incomplete.append(unfinished)
        counted("unfinished backup files")
    }

    var acknowledged: Set<Int> { Set(submitted.filter { $0.value.isAcknowledged }.keys) }

    /// Two accounts submit while nothing can be sent. After the backup, everything is delivered, except for an entry that is discarded.
    func dayOffline() async throws {
        let process = try await start(.none, met: station.directory("met"))
        _ = try await station.client.call(Endpoints.pause, PauseRequest(reason: "to gather"))
        for account in [self.account, 3 - self.account] {
            try await use(account)
            for backend in ["labloop", "breathesafe", "breathesafe", nil] { add(to: backend) }
            await handIn()
        }
        await station.sandbox.down()
        await appointments.down()
        _ = try await station.client.call(Endpoints.resume, ResumeRequest())
        try await backUp(.none, met: station.directory("met"), daemon: process)
        await discardOne()
        try await station.sandbox.up()
        try await appointments.up()
        try await settle()
        try await station.end(Bool.random(using: &dice) ? SIGKILL : SIGTERM)
    }
}

extension Interruption {
    /// True if it happens in the client, so that the daemon must go on.
    var isOfTheClient: Bool { [.clientDiesAtAMoment, .clientDiesAtACall, .targetIsFull].contains(self) }
}

extension Process {
    /// True once a SIGKILL has ended it.
    var wasKilled: Bool { !isRunning && terminationReason == .uncaughtSignal && terminationStatus == SIGKILL }

    /// Runs to its end, which is a SIGKILL after `moment`, if that comes first.
    func ended(killedAfter moment: Duration?) async throws -> (code: Int32, text: String) {
        let killing = moment.map { moment in
            Task {
                // `try?`: cancelled once the process has ended.
                if (try? await Task.sleep(for: moment)) != nil { self.signal(SIGKILL) }
            }
        }
        defer { killing?.cancel() }
        return try await ended()
    }
}
