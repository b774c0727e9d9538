import Delivery
import StationSupport

/// A campaign of rounds that know nothing of each other, each made of a seed of its own.
protocol RoundCampaign: Campaign {
    /// How many kinds of rounds there are, which come in turn; the seed modulo this number says which it is.
    static var kinds: Int { get }

    /// One round: what breaks a guarantee is a line of `outcome.failures`; an error says that the round could not be lived through.
    func round(seed: UInt64, _ outcome: inout Outcome) async throws

    /// The rounds with a guarantee taken away, which go to `outcome.controls`.
    func control(seed: UInt64, _ outcome: inout Outcome) async throws
}

extension RoundCampaign {
    static var kinds: Int { 1 }
    func control(seed: UInt64, _ outcome: inout Outcome) async throws {}

    /// The first round is of `seed` itself, so that the seed of any round replays it alone.
    func run(until deadline: ContinuousClock.Instant, seed: UInt64) async throws -> Outcome {
        var outcome = Outcome(Self.name, seed: seed)
        var dice = SplitMix64(seed: seed)
        var next = seed
        repeat {
            let before = outcome.failures.count
            do { try await round(seed: next, &outcome) } catch { outcome.failures.append("the round could not be lived through: \(error)") }
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

    /// Does what fails for a while as often as it takes: a machine with much else to do may need longer than these stations wait, and a daemon
    /// that exchanges its store answers nobody.
    static func patiently(_ work: () async throws -> Void) async throws {
        let limit = ContinuousClock.now + .seconds(600)
        while true {
            do { return try await work() } catch { if ContinuousClock.now > limit { throw error } }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Waits until it is so; false where that takes longer than even a machine with much else to do needs.
    static func soon(_ condition: () async throws -> Bool) async throws -> Bool {
        let limit = ContinuousClock.now + .seconds(600)
        while ContinuousClock.now < limit {
            if try await condition() { return true }
            try await Task.sleep(for: .milliseconds(20))
        }
        return false
    }
}
