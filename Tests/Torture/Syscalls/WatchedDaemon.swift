import Foundation
import StationSupport
import TestSupport

/// A daemon that may fail to start, hang or end without a message.
struct WatchedDaemon: Sendable {
    enum Start { case up, ended, hangs }

    private let process: Process
    private let log: String

    init(_ station: TestStation, _ environment: [String: String], logTo log: String) throws {
        process = Process()
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, given in given }
        process.executableURL = URL(fileURLWithPath: TestStation.programs + "/homingd")
        process.arguments = ["run", "--config", station.directory("homing.yaml")]
        guard FileManager.default.createFile(atPath: log, contents: nil), let output = FileHandle(forWritingAtPath: log) else {
            throw StationError("cannot write to \(log)")
        }
        defer { try? output.close() }  // `try?`: nothing was written through this handle
        process.standardError = output
        try process.run()
        self.log = log
    }

    var isRunning: Bool { process.isRunning }

    // `try?`: an unreadable log is empty.
    var said: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

    func starts(within limit: Duration) async -> Start {
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline {
            // The second message appears after the daemon replaced a damaged store.
            if said.contains("Homing is up") || said.contains("Resumed ") { return .up }
            if !isRunning { return .ended }
            await pauseBriefly()
        }
        return .hangs
    }

    /// Sends `signal`. Returns false and kills the daemon if it still runs after `limit`.
    func ends(by signal: Int32, within limit: Duration) async -> Bool {
        process.signal(signal)
        let deadline = ContinuousClock.now + limit
        while isRunning, ContinuousClock.now < deadline { await pauseBriefly() }
        guard isRunning else {
            _ = await process.status
            return true
        }
        process.signal(SIGKILL)
        _ = await process.status
        return false
    }

    func cut() { process.signal(SIGKILL) }

    /// The fault in how it ended: a signal, or a message without place or reason. Nil if there is none.
    ///
    /// - Parameters:
    ///   - places: the paths that the message may name.
    ///   - reasons: texts, of which the message must contain one.
    func wrongEnd(places: [String], reasons: [String]) -> String? {
        if process.terminationReason == .uncaughtSignal { return "the daemon was ended by signal \(process.terminationStatus)" }
        return process.terminationStatus == 0 ? nil : LastWords(of: said).problem(places: places, reasons: reasons)
    }

    var endedWell: Bool { process.terminationReason == .exit && process.terminationStatus == 0 }

    var wasKilled: Bool { process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL }
}
