import Foundation
import Simulation

struct SimulationCampaign: Campaign {
    static let name = "simulation"
    /// Actions of people, and consequences of faults that are counted themselves.
    private static let noFaults: Set = [
        "signOut", "arrivedLate", "probe: calledOff", "heldForCreate", "releasedWithCreate", "referenceSent", "fixed", "fixRefused",
        "fixFollowed", "fixRepeated",
    ]

    func run(until deadline: ContinuousClock.Instant, seed: UInt64) async throws -> Outcome {
        var outcome = Outcome(Self.name, seed: seed)
        for sabotage in Sabotage.allCases {
            let failed = try await Runner(seed: seed, sabotage: sabotage).firstFailure(within: 400)
            outcome.controls.append(Outcome.Control(without: sabotage.without, failedAsItShould: failed != nil))
        }
        let report = try await Runner(seed: seed).run { _ in ContinuousClock.now >= deadline }
        outcome.rounds = report.worlds
        for (name, times) in report.faults {
            if Self.noFaults.contains(name) { outcome.counted(name, times) } else { outcome.met(name, times) }
        }
        outcome.counted("events", report.events)
        outcome.acknowledged = report.acknowledged
        outcome.duplicated = report.duplicates
        outcome.duplicatedUncertain = report.uncertainDuplicates
        outcome.worstRecovery = report.worstRecovery
        for failed in report.failures {
            let replay = try await Failures.keep(failed, in: NSTemporaryDirectory())
            outcome.failures.append("\(failed.recording.violation?.description ?? "") Replay: \(replay)")
        }
        return outcome
    }
}
