import Foundation
import Simulation
import Testing

/// A short simulation; `homing-torture simulate` runs longer ones.
@Suite struct SimulationTests {
    @Test func everyGuaranteeHoldsUnderRandomFaults() async throws {
        let report = try await Runner(seed: .random(in: .min ... .max)).run { $0.events >= 6000 }
        #expect(report.acknowledged > 0 && report.faults.count > 5)
        for failed in report.failures {
            let violation = failed.recording.violation?.description ?? ""
            Issue.record("\(violation) Replay: homing-torture simulate --worlds 1 --seed \(failed.seed)")
        }
    }

    /// The negative controls: a removed guarantee is detected.
    @Test(arguments: Sabotage.allCases) func detectsRemovedGuarantee(sabotage: Sabotage) async throws {
        let failed = try #require(try await Runner(seed: 1, sabotage: sabotage).firstFailure(within: 100))
        let invariants: [Sabotage: String] = [
            .sendsWithoutLooking: "I3", .forgetsTimers: "I4", .countsOffline: "I7", .mixesAccounts: "I8", .answersWithoutEffect: "I2",
        ]
        if let invariant = invariants[sabotage] { #expect(failed.recording.violation?.invariant == invariant) }
    }

    @Test func replaysAndShrinksFailureFromFile() async throws {
        let failed = try #require(try await Runner(seed: 1, sabotage: .countsOffline).firstFailure(within: 100))
        let shrunk = try await failed.recording.shrunk(patience: .seconds(3600))
        #expect(shrunk.steps.count < 40 && shrunk.steps.count < failed.recording.steps.count)
        let read = try Recording(text: shrunk.text)
        #expect(read == shrunk)
        #expect(try await read.replay().violation == shrunk.violation)
    }
}
