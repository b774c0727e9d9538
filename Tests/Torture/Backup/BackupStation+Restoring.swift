import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport

extension BackupStation {
    private var state: String { station.directory("state") }
    private var store: String { station.directory("state/outbox.sqlite") }
    private var hasStore: Bool { FileManager.default.fileExists(atPath: store) }

    /// Loses the state directory, and leaves a new one with the key alone.
    func loseState() async throws {
        station.sandbox.clearFaults()
        appointments.clearFaults()
        // No request of the lost daemon is under way afterwards.
        await station.sandbox.down()
        await appointments.down()
        try await station.sandbox.up()
        try await appointments.up()
        let files = FileManager.default
        let key = try Data(contentsOf: URL(fileURLWithPath: "\(state)/homing.key"))
        try files.removeItem(atPath: state)
        try files.createDirectory(atPath: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        guard files.createFile(atPath: "\(state)/homing.key", contents: key, attributes: [.posixPermissions: 0o600]) else {
            throw StationError("cannot write the key")
        }
    }

    // MARK: Damaged files

    /// A file that is not whole must be refused, and must leave the station empty.
    func refusesIncompleteFiles() async throws {
        var files = incomplete
        for (backup, damage) in zip(backups.shuffled(using: &dice), BackupFile.Damage.allCases.shuffled(using: &dice)) {
            let copy = station.directory("damaged-\(files.count)")
            files.append(try backup.file.copy(with: damage, to: copy, using: &dice))
            met(damage.rawValue)
        }
        for file in files {
            if flaw == .unchecked {
                try BackupFlaw.copy(file, to: store)
            } else {
                let (code, text) = try await restoring(file).ended()
                if code != 1 { broken("a restore of \(file.path) ended with \(code): \(text)") }
            }
            if hasStore {
                broken("a restore took a damaged backup for a whole one: \(file.path)")
                try FileManager.default.removeItem(atPath: store)
            }
        }
    }

    // MARK: Restoring

    /// Restores a backup, with interruptions, until that succeeds. False if it cannot be restored.
    func restore(_ backup: Backup) async throws -> Bool {
        if flaw == .unmarked {
            try BackupFlaw.copyUnmarked(backup.file, to: store)
            return true
        }
        var wanted = Int.random(in: 1...4, using: &dice)
        var interruptions = 0
        while true {
            let fault = wanted > 0 ? RestoreFault.allCases.randomElement(using: &dice) : nil
            let process = try restoring(backup.file, fault)
            let moment = fault == .aMoment ? Duration.milliseconds(Int.random(in: 0...120, using: &dice)) : nil
            let (code, text) = try await process.ended(killedAfter: moment)
            if let fault, process.wasKilled || (fault == .aFailure && code == 1 && !text.contains("has a store with")) {
                wanted -= 1
                interruptions += 1
                met(fault.rawValue)
                if !hasStore, Int.random(in: 0..<4, using: &dice) == 0 { try await startEmpty() }
                continue
            }
            if code == 0 { return true }
            // A kill after the store had its name leaves the whole one.
            if interruptions > 0, text.contains("has a store with") {
                counted("restores that were complete before the kill")
                return true
            }
            broken("a backup cannot be restored after \(interruptions) interruptions: \(text)")
            return false
        }
    }

    private func restoring(_ file: BackupFile, _ fault: RestoreFault? = nil) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: TestStation.programs + "/homingd")
        process.arguments = ["restore", file.path, "--config", station.directory("homing.yaml")]
        guard let fault, fault != .aMoment else { return process }
        let recorder = Recorder(root: state, log: nil)
        var environment = try recorder.environment(killing: fault == .aCall ? RestoreFault.place(using: &dice) : nil)
        if fault == .aFailure { environment["RECORDER_FAIL"] = RestoreFault.failure(using: &dice).environment }
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, given in given }
        return process
    }

    /// A killed restore without a store left an empty station, which starts.
    private func startEmpty() async throws {
        try await station.start()
        let entries = try await station.entries()
        if !entries.isEmpty { broken("a killed restore left \(entries.count) entries and no store") }
        try await station.end(SIGTERM)
        counted("starts of an empty station after a killed restore")
    }
}
