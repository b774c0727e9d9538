import StationSupport
import SyncModel

/// A campaign of independent rounds, each with its own seed.
protocol RoundCampaign: Campaign {
    /// The number of kinds of rounds, which take turns: the kind is the seed modulo this number.
    static var kinds: Int { get }

    /// Runs one round. A broken guarantee adds to `outcome.failures`; an error means that the round could not finish.
    func round(seed: UInt64, _ outcome: inout Outcome) async throws

    /// Runs the negative controls and adds them to `outcome.controls`.
    func control(seed: UInt64, _ outcome: inout Outcome) async throws
}

extension RoundCampaign {
    static var kinds: Int { 1 }
    func control(seed: UInt64, _ outcome: inout Outcome) async throws {}

    /// The first round uses `seed` itself, so that the seed of any round replays it alone.
    func run(until deadline: ContinuousClock.Instant, seed: UInt64) async throws -> Outcome {
        var outcome = Outcome(Self.name, seed: seed)
        var dice = SplitMix64(seed: seed)
        var next = seed
        repeat {
            let before = outcome.failures.count
            do { try await round(seed: next, &outcome) } catch { outcome.failures.append("the round could not be completed: \(error)") }
            for place in before..<outcome.failures.count {
                outcome.failures[place] += "  Replay: homing-torture run --only \(Self.name) --minutes 0 --seed \(next)"
            }
            outcome.rounds += 1
            let kind = next % UInt64(Self.kinds)
            repeat { next = dice.next() } while next % UInt64(Self.kinds) != (kind + 1) % UInt64(Self.kinds)
        } while ContinuousClock.now < deadline
        try await control(seed: seed, &outcome)
        return outcome
    }

    /// Repeats `work` until it succeeds: a busy machine may exceed the stations' timeouts, and a daemon that replaces its store does not respond.
    static func patiently(_ work: () async throws -> Void) async throws {
        let limit = ContinuousClock.now + .seconds(600)
        while true {
            do { return try await work() } catch { if ContinuousClock.now > limit { throw error } }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Waits for a condition; false after a timeout that is long enough for a busy machine.
    static func soon(_ condition: () async throws -> Bool) async throws -> Bool {
        let limit = ContinuousClock.now + .seconds(600)
        while ContinuousClock.now < limit {
            if try await condition() { return true }
            try await Task.sleep(for: .milliseconds(100))
        }
        return false
    }
}
