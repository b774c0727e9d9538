import Foundation
import StationSupport
import TestSupport
import Testing

@testable import homing_torture

extension TestStation {
    /// Starts the daemon so that it dies at `place` (CRecorder.h) during `work`. A daemon that outlives the work is killed, and the test fails.
    ///
    /// - Parameter prepare: awaited after the start, before the work.
    func dies(
        at place: String, after prepare: () async throws -> Void = {}, during work: @escaping @Sendable () async throws -> Void
    ) async throws {
        let met = directory("met")
        try await start(try Recorder(root: directory("state"), log: nil).environment(killing: place, met: met))
        try await prepare()
        // It fails if the daemon dies before it answers.
        _ = await Task { try await work() }.result
        try await end(SIGKILL)
        try #require(FileManager.default.fileExists(atPath: met), "it did not come to \(place)")
        try FileManager.default.removeItem(atPath: met)
    }
}
