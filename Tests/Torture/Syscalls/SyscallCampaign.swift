import Foundation
import SyncModel
import Synchronization

/// Lets the first call of each kind fail, then the second, and so on until none is left, with every possible error, alone and in bursts.
///
/// The calls fail inside the daemon, at the boundary to libc (Tests/CRecorder), not under strace (Decisions/PowerCuts).
struct SyscallCampaign: Campaign {
    static let name = "syscalls"

    /// Parallel rounds. Each spends half its time waiting for the disk and for the daemon's grace period of 0.1 s at a stop.
    var lanes = 2 * ProcessInfo.processInfo.activeProcessorCount
    /// The first lane follows a pair of call and error to its end. The others switch to the next pair after this many rounds.
    private static let turn = 8

    private static let (burst, burstStep) = (8, 4)

    /// Calls that report success without being made. The daemon cannot notice these, so the check must.
    static let controls: [(without: String, injections: [Injection])] = [
        (
            "writes to the write-ahead log",
            // From the first submissions to the end, since a later write of the same page would hide the lost one.
            (1...6).map { Injection(call: "pwrite64", error: "pretended", number: 50 * $0, count: 99_999, pattern: "outbox.sqlite-wal") }
        )
    ]

    static let pairs = Injection.kinds.flatMap { kind in
        kind.errors.flatMap { error in [1, burst].map { Injection(call: kind.call, error: error, number: 1, count: $0) } }
    }

    func run(until deadline: ContinuousClock.Instant, seed: UInt64) async throws -> Outcome {
        var generator = SplitMix64(seed: seed)
        let tally = Tally(Outcome(Self.name, seed: seed), Self.pairs.shuffled(using: &generator))
        // Run alone: under load a slow run might look like a failure.
        for control in Self.controls {
            tally.note(Outcome.Control(without: control.without, failedAsItShould: try await Self.fails(control.injections)))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<lanes {
                group.addTask {
                    while var injection = tally.next() {
                        var isThrough = false
                        var left = lane == 0 ? .max : Self.turn
                        repeat {
                            isThrough = try await !Self.meets(injection, seed: seed, tally)
                            injection.number += injection.count == 1 ? 1 : Self.burstStep
                            left -= 1
                        } while !isThrough && left > 0 && tally.mayGoOn && ContinuousClock.now < deadline
                        if isThrough { tally.isThrough() } else { tally.comesAgain(injection) }
                        if !tally.mayGoOn || ContinuousClock.now >= deadline { return }
                    }
                }
            }
            try await group.waitForAll()
        }
        return tally.outcome
    }

    /// True if the call was met, at the latest in a clean stop.
    private static func meets(_ injection: Injection, seed: UInt64, _ tally: Tally) async throws -> Bool {
        var injection = injection
        injection.ending = .drawn(for: injection, seed: seed)
        var finding = try await SyscallRound(injection).run()
        tally.note(finding, injection)
        if finding.met.isEmpty, injection.ending.mayComeFirst {
            injection.ending = .stop
            finding = try await SyscallRound(injection).run()
            tally.note(finding, injection)
        }
        return !finding.met.isEmpty
    }

    static func fails(_ injections: [Injection]) async throws -> Bool {
        for injection in injections {
            // Short, since the lost data never arrives.
            let finding = try await SyscallRound(injection, patience: .seconds(4)).run()
            if !finding.problems.isEmpty { return true }
        }
        return false
    }

    final class Tally: Sendable {
        private struct State {
            var outcome: Outcome
            var pairs: ArraySlice<Injection>
            var through = 0, ends = 0, kills = 0
        }
        private let state: Mutex<State>

        init(_ outcome: Outcome, _ pairs: [Injection]) { state = Mutex(State(outcome: outcome, pairs: pairs[...])) }

        var mayGoOn: Bool { state.withLock { $0.outcome.failures.count < 20 } }

        func next() -> Injection? { state.withLock { $0.pairs.popFirst() } }

        func comesAgain(_ injection: Injection) { state.withLock { $0.pairs.append(injection) } }

        func isThrough() { state.withLock { $0.through += 1 } }

        func note(_ control: Outcome.Control) { state.withLock { $0.outcome.controls.append(control) } }

        func note(_ finding: SyscallRound.Finding, _ injection: Injection) {
            state.withLock { state in
                state.outcome.rounds += 1
                if !finding.met.isEmpty { state.outcome.met("\(injection.call) \(injection.error)", finding.met.count) }
                if finding.ended { state.ends += 1 }
                if finding.wasCut { state.kills += 1 }
                state.outcome.acknowledged += finding.acknowledged
                state.outcome.lost += finding.lost
                state.outcome.duplicated += finding.duplicated
                state.outcome.worstRecovery = max(state.outcome.worstRecovery ?? 0, finding.recovery)
                guard !finding.problems.isEmpty else { return }
                let place = finding.met.first.map { " (\($0))" } ?? ""
                let log = "/tmp/homing-syscalls-\(state.outcome.seed)-\(state.outcome.rounds).log"
                // `try?`: the failure is reported without the log too.
                try? finding.said.write(toFile: log, atomically: true, encoding: .utf8)
                state.outcome.failures.append(
                    "\(finding.problems.joined(separator: "; "))\(place). Daemon output: \(log). "
                        + "Replay: homing-torture syscalls \(injection)")
            }
        }

        var outcome: Outcome {
            state.withLock { state in
                var outcome = state.outcome
                outcome.counted("daemons ended by SIGKILL", state.kills)
                outcome.counted("daemon exits with a message that names the place and the reason", state.ends)
                outcome.reach =
                    "\(state.through) of \(SyscallCampaign.pairs.count) pairs of call and error, alone and in bursts, were tried until a "
                    + "run made no further such call"
                return outcome
            }
        }
    }
}
