import Delivery
import Foundation
import Synchronization

/// Lets the first call of each kind fail, then the second, and so on until there is none left; each with every error that fits it, alone and
/// with those that follow it.
///
/// The calls fail inside the daemon, at the boundary to libc (Tests/CRecorder), not under strace: Decisions/PowerCuts says why.
struct SyscallCampaign: Campaign {
    static let name = "syscalls"

    /// Rounds at the same time: each waits half of its time, for the disk and for the tenth of a second that a daemon gives its callers at a stop.
    var lanes = 2 * ProcessInfo.processInfo.activeProcessorCount
    /// The first lane stays with a pair of call and error to its end; the others go on to the next one after so many rounds, and come back.
    private static let turn = 8

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
        // Alone: beside others one might seem to fail that was only slow.
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

    /// Whether the call was met, which may be as late as in an orderly end.
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
            var through = 0, ends = 0, kills = 0
        }
        private let state: Mutex<State>

        init(_ outcome: Outcome, _ pairs: [Injection]) { state = Mutex(State(outcome: outcome, pairs: pairs[...])) }

        var mayGoOn: Bool { state.withLock { $0.outcome.failures.count < 20 } }

        /// The next of a pair that nobody is at; nil where there is none.
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
                outcome.counted("lives ended by SIGKILL", state.kills)
                outcome.counted("lives ended by themselves, with a message that names the place and the reason", state.ends)
                outcome.reach =
                    "\(state.through) of \(SyscallCampaign.pairs.count) pairs of call and error, alone and in bursts, were followed until a run "
                    + "met no more of it"
                return outcome
            }
        }
    }
}
