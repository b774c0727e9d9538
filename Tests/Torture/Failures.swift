import Foundation
import Simulation

enum Failures {
    /// Writes the shrunk steps to a file in `folder` and returns the replay command.
    static func keep(_ failed: Runner.Failed, in folder: String) async throws -> String {
        let shrunk = try await failed.recording.shrunk()
        let file = URL(fileURLWithPath: folder).appendingPathComponent("homing-simulation-\(failed.seed).jsonl").path
        try shrunk.text.write(toFile: file, atomically: true, encoding: .utf8)
        return "homing-torture simulate --events \(file)  (\(shrunk.steps.count) steps)"
    }
}
