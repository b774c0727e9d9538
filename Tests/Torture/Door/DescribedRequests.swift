import Foundation
import Glibc
import StationSupport
import TestSupport

/// Requests that Schemathesis generates from the project's OpenAPI description. Every response must conform to it (Tests/contract/run).
struct DescribedRequests: DoorPart {
    static let name = "contract"

    /// In seconds; a shorter run proves nothing.
    private static let least = 45.0

    func run(until deadline: ContinuousClock.Instant, seed: UInt64, into outcome: inout Outcome) async throws {
        let seconds = (deadline - .now) / .seconds(1)
        guard seconds >= Self.least else { return outcome.counted("skipped for lack of time: Schemathesis") }
        for program in ["curl", "socat", "python3"] where !Self.isThere(program) {
            return outcome.counted("skipped for lack of \(program): Schemathesis")
        }
        // Schemathesis takes small seeds only.
        let number = seed % 1_000_000_000
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        let script = TestStation.project + "/Tests/contract/run"
        process.arguments = [script, TestStation.programs]
        let variables = ["SECONDS_IN_ALL": "\(Int(seconds))", "SEED": "\(number)"]
        process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        let directory = try TemporaryDirectory()
        _ = FileManager.default.createFile(atPath: directory("said"), contents: nil)
        let output = FileHandle(forWritingAtPath: directory("said"))
        process.standardOutput = output
        process.standardError = output
        try process.run()
        while process.isRunning { try await Task.sleep(for: .milliseconds(200)) }
        let said = try String(contentsOfFile: directory("said"), encoding: .utf8)
        for count in said.matches(of: /(?m)^\s*Test cases:\s*\n\s*([\d,]+) generated|(\d[\d,]*) generated/) {
            let text = count.output.1 ?? count.output.2 ?? ""
            outcome.met("requests by Schemathesis", Int(text.replacing(",", with: "")) ?? 0)
        }
        outcome.rounds += 1
        guard process.terminationStatus != 0 else { return }
        let kept = NSTemporaryDirectory() + "homing-contract-\(number).log"
        try said.write(toFile: kept, atomically: true, encoding: .utf8)
        let told = said.split(separator: "\n").filter { $0.hasPrefix("- ") || $0.contains("contract:") || $0.hasPrefix("____") }.prefix(8)
        outcome.failures.append(
            "door: Schemathesis: \(told.joined(separator: "; ")). Full output: \(kept). Replay: SEED=\(number) SECONDS_IN_ALL=\(Int(seconds)) Tests/contract/run"
        )
    }

    private static func isThere(_ program: String) -> Bool {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        return folders.contains { access("\($0)/\(program)", X_OK) == 0 }
    }
}
