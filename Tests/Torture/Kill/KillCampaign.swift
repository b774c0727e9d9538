import Foundation
import StationSupport
import SyncModel
import Synchronization

/// Kills the real daemon wherever it writes or sends, and checks that no acknowledged entry is lost.
struct KillCampaign: Campaign {
    static let name = "kill"

    /// Nil for as many as the time allows.
    var rounds: Int?
    var stations = 3
    var only: String?

    /// Rounds per check, and checks per station. Short, to keep queues short and repeat the first start.
    private static let (roundsALook, looks) = (15, 4)

    func run(until deadline: ContinuousClock.Instant, seed: UInt64) async throws -> Outcome {
        let tally = Tally(Outcome(Self.name, seed: seed), limit: rounds)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<stations {
                group.addTask {
                    var generator = SplitMix64(seed: seed ^ UInt64(lane) << 32)
                    repeat {
                        try await life(seed: generator.next(), until: deadline, tally)
                    } while tally.mayGoOn && (rounds != nil || ContinuousClock.now < deadline)
                }
            }
            try await group.waitForAll()
        }
        var outcome = tally.outcome(points: only == nil ? FailPoint.all : [])
        outcome.controlled(
            without: "the client’s resubmission after a missing answer", failedAsItShould: try await Self.carelessnessIsSeen(seed: seed))
        return outcome
    }

    /// True if the check notices entries that were counted as acknowledged and never stored.
    static func carelessnessIsSeen(seed: UInt64) async throws -> Bool {
        let station = try await KillStation(seed: seed, isCareless: true)
        _ = try await station.begin(FailPoint.firstStarts[0])
        var lost = 0
        for _ in 0..<8 where lost == 0 {
            for _ in 0..<4 { _ = try await station.round(.beforeWriting) }
            lost = try await station.settle(patience: .seconds(4)).lost
        }
        await station.stop()
        return lost > 0
    }

    private func life(seed: UInt64, until deadline: ContinuousClock.Instant, _ tally: Tally) async throws {
        var generator = SplitMix64(seed: seed)
        let station = try await KillStation(seed: generator.next())
        let replay = "homing-torture kill --seed \(seed)"
        var latest = KillStation.Finding()
        do {
            let first = FailPoint.firstStarts.randomElement(using: &generator) ?? FailPoint.all[0]
            tally.note(first, met: try await station.begin(first))
            let points = FailPoint.later.filter { only == nil || $0.name == only }
            for _ in 0..<Self.looks {
                var history: [String] = []
                for _ in 0..<Self.roundsALook where tally.mayGoOn && (rounds != nil || ContinuousClock.now < deadline) {
                    let point = points.randomElement(using: &generator) ?? FailPoint.all[0]
                    history.append(point.name)
                    tally.note(point, met: try await station.round(point))
                }
                latest = try await station.settle()
                tally.note(latest, replay: "\(replay) (killed \(history.joined(separator: ", ")))")
                guard latest.problems.isEmpty, tally.mayGoOn, rounds != nil || ContinuousClock.now < deadline else { break }
            }
            tally.close(latest)
        } catch {
            await station.stop()
            throw StationError("\(error). Replay: \(replay)")
        }
        await station.stop()
    }

    func replay(seed: UInt64, until deadline: ContinuousClock.Instant) async throws -> Outcome {
        let tally = Tally(Outcome(Self.name, seed: seed), limit: rounds)
        try await life(seed: seed, until: deadline, tally)
        return tally.outcome(points: [])
    }

    final class Tally: Sendable {
        private struct State {
            var outcome: Outcome
            var missed: [String: Int] = [:]
        }
        private let state: Mutex<State>
        private let limit: Int?

        init(_ outcome: Outcome, limit: Int?) {
            state = Mutex(State(outcome: outcome))
            self.limit = limit
        }

        var mayGoOn: Bool { state.withLock { $0.outcome.rounds < limit ?? .max && $0.outcome.failures.count < 20 } }

        func note(_ point: FailPoint, met: Bool) {
            state.withLock { state in
                state.outcome.rounds += 1
                if met { state.outcome.met("killed \(point.name)") } else { state.missed[point.name, default: 0] += 1 }
            }
        }

        func note(_ finding: KillStation.Finding, replay: String) {
            state.withLock { state in
                state.outcome.counted("new sign-ins because a kill lost the answer to a refresh", finding.signIns)
                state.outcome.worstRecovery = max(state.outcome.worstRecovery ?? 0, finding.recovery)
                if !finding.problems.isEmpty {
                    state.outcome.failures.append("\(finding.problems.prefix(5).joined(separator: "; ")). Replay: \(replay)")
                }
            }
        }

        func close(_ finding: KillStation.Finding) {
            state.withLock { state in
                state.outcome.acknowledged += finding.acknowledged
                state.outcome.lost += finding.lost
                state.outcome.duplicated += finding.duplicated
                state.outcome.duplicatedUncertain += finding.duplicatedUncertain
            }
        }

        /// - Parameter points: must have been met if tried often enough.
        func outcome(points: [FailPoint]) -> Outcome {
            state.withLock { state in
                for point in points where state.missed[point.name] ?? 0 >= 5 && state.outcome.faults["killed \(point.name)"] == nil {
                    state.outcome.failures.append("the daemon was never killed \(point.name): no try reached the place")
                }
                state.outcome.counted("killed after a timeout, because the place was not reached", state.missed.values.reduce(0, +))
                return state.outcome
            }
        }
    }
}
