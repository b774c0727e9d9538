import Foundation
import SyncModel

/// Keeps a backend that does not answer from being asked by everyone at once: it opens at the first failure, and one probe closes it.
package struct CircuitBreaker: Sendable, Equatable {
    package enum State: Sendable, Equatable {
        case closed
        /// Nothing is sent before `until`. `isAsked`: the server asked for it, so no person can shorten it.
        case open(until: Date, Failure, isAsked: Bool)
        /// One probe is on its way.
        case halfOpen(since: Date, Failure)
    }

    /// The first and the longest pause before a probe, in seconds.
    package struct Policy: Sendable, Equatable {
        package var first: TimeInterval = 5
        package var ceiling: TimeInterval = 600
        package init() {}
    }

    package private(set) var state = State.closed
    private var failuresInARow = 0
    /// Asked for while a probe was on its way: should that one fail, the next follows at once.
    private var isHurried = false

    package init() {}

    /// Why nothing but a probe is sent; nil where everything is.
    package var failure: Failure? {
        switch state {
        case .closed: nil
        case .open(_, let failure, _), .halfOpen(_, let failure): failure
        }
    }

    /// The backend does not answer, or something else answers in its place. Each pause is up to twice as long as the last one.
    package mutating func trip(_ failure: Failure, policy: Policy, now: Date, using generator: inout some RandomNumberGenerator) {
        if case .open = state { return }  // the requests that were on their way with the first one tell nothing new
        failuresInARow += 1
        let bound = min(policy.ceiling, policy.first * pow(2, Double(min(failuresInARow, 32) - 1)))
        let pause = bound > 0 && !isHurried ? TimeInterval.random(in: bound / 2...bound, using: &generator) : 0
        isHurried = false
        state = .open(until: now.addingTimeInterval(pause), failure, isAsked: false)
    }

    /// The server asked for quiet until then.
    package mutating func wait(until: Date, _ failure: Failure) {
        if case .open(let current, _, true) = state, current >= until { return }
        state = .open(until: until, failure, isAsked: true)
    }

    /// The session cannot be renewed before then, so that nothing can be sent. Nobody asked for it, so that a person can shorten it.
    package mutating func rest(until: Date, _ failure: Failure, policy: Policy, now: Date) {
        let until = min(until, now.addingTimeInterval(policy.ceiling))
        if case .open(let current, _, _) = state, current >= until { return }
        state = .open(until: until, failure, isAsked: false)
    }

    /// Whether the pause has come to its end: also where its end lies further ahead than any pause is long, for then the clock was ahead
    /// when it began and has been set right since.
    package func isOver(policy: Policy, now: Date) -> Bool {
        guard case .open(let until, _, let isAsked) = state else { return false }
        let left = until.timeIntervalSince(now)
        return left <= 0 || left > (isAsked ? Self.longestAsked : policy.ceiling)
    }

    /// What Retry-After is clamped to, and a little, in seconds.
    private static let longestAsked: TimeInterval = 6 * 3600 + 60

    /// The pause is over: what was asked for is granted by closing, a fault needs a probe. True where a probe is wanted.
    package mutating func elapse() -> Bool {
        guard case .open(let until, let failure, let isAsked) = state else { return false }
        isHurried = false
        state = isAsked ? .closed : .halfOpen(since: until, failure)
        return !isAsked
    }

    /// Probe at once, because a person or the network says so, and then as often as after a first failure: a network that has just come back
    /// may take some seconds to carry anything. Not where the pause is for that reason. True where a probe is on its way already, since long
    /// enough to have been sent on the network as it was before.
    package mutating func hurry(now: Date, unless reason: Failure.Reason? = nil) -> Bool {
        switch state {
        case .open(_, let failure, false) where failure.reason != reason:
            failuresInARow = 0
            state = .open(until: now, failure, isAsked: false)
        case .halfOpen(let since, let failure) where failure.reason != reason:
            failuresInARow = 0
            isHurried = true
            return now.timeIntervalSince(since) >= Self.promptAnswer
        default: break
        }
        return false
    }

    /// How long a probe may take before a change of the network says that its answer will not come, in seconds.
    private static let promptAnswer: TimeInterval = 2

    /// Another session: what the old one had to wait for is over, and what nobody asked for is tried at once.
    package mutating func sessionChanged(now: Date) {
        if case .open(_, let failure, true) = state, failure.reason == .signInRequired || failure.reason == .stillUnauthorized {
            state = .closed
        }
        _ = hurry(now: now)
    }

    /// The backend answered as itself.
    package mutating func succeed() {
        if case .open(_, _, true) = state { return }
        failuresInARow = 0
        state = .closed
    }
}
