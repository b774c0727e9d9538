import Delivery
import Foundation
import Synchronization

/// Lets the first call of each kind fail, then the second, and so on until there is none left; each with every error that fits it, alone and
/// with those that follow it.
///
/// The calls fail inside the daemon, at the boundary to libc (Tests/CRecorder), not under strace: Decisions/PowerCuts says why.
struct SyscallCampaign: Campaign {
    static let name = "syscalls"

    /// Rounds at the same time.
    var lanes = 2

    /// One call that fails; and so many in turn, from every such place on.
    private static let (burst, burstStep) = (8, 4)

    /// Calls that are not made and report success, which the daemon cannot notice: the check has to.
    static let controls: [(without: String, injections: [Injection])] = [
        (
            "writes to the write-ahead log that are made",
            // From the first submissions on, for ever: what is written again later would hide what was not written before.
            (1...6).map { Injection(call: "pwrite64", error: "pretended", number: 50 * $0, count: 99_999, pattern: "outbox.sqlite-wal") }
        ),
        (
            "a session file that gets its name",
            [Injection(call: "rename", error: "pretended", number: 1, count: 99, pattern: "sessions/*.session")]
        ),
    ]

    /// Calls and errors, each alone or in a burst.
    static let pairs = Injection.kinds.flatMap { kind in
        kind.errors.flatMap { error in [1, burst].map { Injection(call: kind.call, error: error, number: 1, count: $0) } }
    }

    func run(until deadline: ContinuousClock.Instant, seed: UInt64) async throws -> Outcome {
        var generator = SplitMix64(seed: seed)
        let tally = Tally(Outcome(Self.name, seed: seed), Self.pairs.shuffled(using: &generator))
        for control in Self.controls {
            tally.note(Outcome.Control(without: control.without, failedAsItShould: try await Self.fails(control.injections)))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<lanes {
                group.addTask {
                    while var injection = tally.next() {
                        var isThrough = false
                        repeat {
                            let finding = try await SyscallRound(injection).run()
                            tally.note(finding, injection)
                            isThrough = finding.met.isEmpty
                            injection.number += injection.count == 1 ? 1 : Self.burstStep
                        } while !isThrough && tally.mayGoOn && ContinuousClock.now < deadline
                        if isThrough { tally.isThrough() }
                        if !tally.mayGoOn || ContinuousClock.now >= deadline { return }
                    }
                }
            }
            try await group.waitForAll()
        }
        return tally.outcome
    }

    /// Whether the check finds anything under one of `injections`.
    static func fails(_ injections: [Injection]) async throws -> Bool {
        for injection in injections {
            // What is lost never comes.
            let finding = try await SyscallRound(injection, patience: .seconds(4)).run()
            if !finding.problems.isEmpty { return true }
        }
        return false
    }

    /// What several rounds at a time have come to.
    final class Tally: Sendable {
        private struct State {
            var outcome: Outcome
            var pairs: ArraySlice<Injection>
            var through = 0, ends = 0
        }
        private let state: Mutex<State>

        init(_ outcome: Outcome, _ pairs: [Injection]) { state = Mutex(State(outcome: outcome, pairs: pairs[...])) }

        var mayGoOn: Bool { state.withLock { $0.outcome.failures.count < 20 } }

        /// The first of a pair that nobody has begun; nil where all have been.
        func next() -> Injection? { state.withLock { $0.pairs.popFirst() } }

        func isThrough() { state.withLock { $0.through += 1 } }

        func note(_ control: Outcome.Control) { state.withLock { $0.outcome.controls.append(control) } }

        func note(_ finding: SyscallRound.Finding, _ injection: Injection) {
            state.withLock { state in
                state.outcome.rounds += 1
                if !finding.met.isEmpty { state.outcome.met("\(injection.call) \(injection.error)", finding.met.count) }
                if finding.ended { state.ends += 1 }
                state.outcome.acknowledged += finding.acknowledged
                state.outcome.lost += finding.lost
                state.outcome.duplicated += finding.duplicated
                state.outcome.worstRecovery = max(state.outcome.worstRecovery ?? 0, finding.recovery)
                guard !finding.problems.isEmpty else { return }
                let place = finding.met.first.map { " (\($0))" } ?? ""
                let log = "/tmp/homing-syscalls-\(state.outcome.seed)-\(state.outcome.rounds).log"
                // `try?`: the failure is told without it, too.
                try? finding.said.write(toFile: log, atomically: true, encoding: .utf8)
                state.outcome.failures.append(
                    "\(finding.problems.joined(separator: "; "))\(place). What the daemon said: \(log). "
                        + "Replay: homing-torture syscalls \(injection)")
            }
        }

        var outcome: Outcome {
            state.withLock { state in
                var outcome = state.outcome
                outcome.reach =
                    "\(state.through) of \(SyscallCampaign.pairs.count) pairs of call and error, alone and in bursts, were followed until a run "
                    + "met no more of it; \(state.ends) runs ended by themselves, with a message"
                return outcome
            }
        }
    }
}
