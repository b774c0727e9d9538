import Foundation
import Simulation

/// Keeps the steps of worlds in which a guarantee was broken.
enum Failures {
    /// Writes the steps, as few as still break it, to a file in `folder`; the command that replays it.
    static func keep(_ failed: Runner.Failed, in folder: String) async throws -> String {
        let shrunk = try await failed.recording.shrunk()
        let file = URL(fileURLWithPath: folder).appendingPathComponent("homing-simulation-\(failed.seed).jsonl").path
        try shrunk.text.write(toFile: file, atomically: true, encoding: .utf8)
        return "homing-torture simulate --events \(file)  (\(shrunk.steps.count) steps)"
    }
}
