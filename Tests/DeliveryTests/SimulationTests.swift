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
        let invariants: [Sabotage: Set<String>] = [
            .sendsWithoutLooking: ["I3"], .forgetsTimers: ["I4"], .countsOffline: ["I7"], .mixesAccounts: ["I8"],
            .answersWithoutEffect: ["I2"], .guessesIDs: ["I12"], .forgetsReferences: ["I12"],
            // The other lane may also overtake entries that wait for the create.
            .bindsEarly: ["I12", "I5"],
        ]
        if let expected = invariants[sabotage] { #expect(expected.contains(failed.recording.violation?.invariant ?? "")) }
    }

    /// The worlds are not vacuous: creates fail and come back, requests name their rows, and corrections are accepted, refused and repeated.
    @Test func meetsReferencesAndCorrections() async throws {
        let names = ["heldForCreate", "releasedWithCreate", "referenceSent", "fixed", "fixRefused", "fixFollowed", "fixRepeated"]
        let report = try await Runner(seed: 99).run { report in
            report.worlds >= 100 || names.allSatisfy { report.faults[$0] ?? 0 > 0 }
        }
        for name in names { #expect(report.faults[name] ?? 0 > 0, "\(name)") }
    }

    @Test(arguments: [Sabotage.countsOffline, .forgetsReferences])
    func replaysAndShrinksFailureFromFile(sabotage: Sabotage) async throws {
        let failed = try #require(try await Runner(seed: 1, sabotage: sabotage).firstFailure(within: 100))
        let shrunk = try await failed.recording.shrunk(patience: .seconds(3600))
        #expect(shrunk.steps.count < 40 && shrunk.steps.count < failed.recording.steps.count)
        let read = try Recording(text: shrunk.text)
        #expect(read == shrunk)
        #expect(try await read.replay().violation == shrunk.violation)
    }
}
