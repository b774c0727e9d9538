import Foundation
import StationSupport
import TestSupport

/// A daemon of which nothing is taken for granted: that it comes up, that it ends, that it says why.
struct WatchedDaemon: Sendable {
    enum Start { case up, ended, hangs }

    private let process: Process
    /// A file that gets everything that it says.
    private let log: String

    /// Starts one at `station`.
    init(_ station: TestStation, _ environment: [String: String], logTo log: String) throws {
        process = Process()
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, given in given }
        process.executableURL = URL(fileURLWithPath: TestStation.programs + "/homingd")
        process.arguments = ["run", "--config", station.directory("homing.yaml")]
        guard FileManager.default.createFile(atPath: log, contents: nil), let output = FileHandle(forWritingAtPath: log) else {
            throw StationError("\(log) cannot be written")
        }
        defer { try? output.close() }  // `try?`: nothing was written through this one
        process.standardError = output
        try process.run()
        self.log = log
    }

    var isRunning: Bool { process.isRunning }

    // `try?`: a log that cannot be read says nothing.
    var said: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

    func starts(within limit: Duration) async -> Start {
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline {
            // The other is what it says where damage made it open its store anew.
            if said.contains("Homing is up") || said.contains("Homing goes on") { return .up }
            if !isRunning { return .ended }
            await pauseBriefly()
        }
        return .hangs
    }

    /// Sends `signal`; false where it still runs after `limit`, and then kills it.
    func ends(by signal: Int32, within limit: Duration) async -> Bool {
        kill(process.processIdentifier, signal)
        let deadline = ContinuousClock.now + limit
        while isRunning, ContinuousClock.now < deadline { await pauseBriefly() }
        guard isRunning else {
            _ = await process.status
            return true
        }
        kill(process.processIdentifier, SIGKILL)
        _ = await process.status
        return false
    }

    /// Ends it at once, without waiting.
    func cut() { kill(process.processIdentifier, SIGKILL) }

    /// What is wrong with the way in which it ended: by a signal, or without telling a person what to look at; nil where nothing is.
    ///
    /// - Parameters:
    ///   - places: the paths that its last words may be about.
    ///   - reasons: texts of which they must hold one.
    func wrongEnd(places: [String], reasons: [String]) -> String? {
        if process.terminationReason == .uncaughtSignal { return "the daemon was ended by signal \(process.terminationStatus)" }
        return process.terminationStatus == 0 ? nil : LastWords(of: said).problem(places: places, reasons: reasons)
    }

    /// It ended and reported success.
    var endedWell: Bool { process.terminationReason == .exit && process.terminationStatus == 0 }

    /// It was ended by SIGKILL.
    var wasKilled: Bool { process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL }
}
