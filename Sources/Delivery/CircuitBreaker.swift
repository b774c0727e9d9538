import Foundation
import SyncModel

/// Keeps a backend, or one of its routes, from being asked by every entry while it fails: it opens at the first failure, and one probe closes it.
package struct CircuitBreaker: Sendable, Equatable {
    package enum State: Sendable, Equatable {
        case closed
        /// Nothing is sent before `until`. `isAsked`: the server asked for it, so no person can shorten it.
        case open(until: Date, Failure, isAsked: Bool)
        /// The pause is over, and one probe finds out.
        case halfOpen(since: Date, Failure)
    }

    /// The first and the longest pause before a probe, in seconds.
    package struct Policy: Sendable, Equatable {
        package var first: TimeInterval = 5
        package var ceiling: TimeInterval = 600
        package init() {}
    }

    package private(set) var state = State.closed
    /// When the failures in a row began; nil while there are none.
    package private(set) var began: Date?
    /// The same, or when a change since then made another try worth while: from when on pauses grow.
    private var since: Date?
    /// Classes of statuses met since the failures in a row began, 0 for no answer at all.
    private var met: Set<Int> = []
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

    package var isClosed: Bool { state == .closed }

    /// A failure that is nobody else's. Each pause is about a quarter of the time for which it has failed, so that what waits goes on soon after
    /// the end of an outage, short or long.
    package mutating func trip(_ failure: Failure, policy: Policy, now: Date, using generator: inout some RandomNumberGenerator) {
        if case .open = state { return }  // the requests that were on their way with the first one tell nothing new
        // A beginning that lies ahead was noted by a clock that was.
        let begin = since.flatMap { $0 <= now ? $0 : nil } ?? now
        since = begin
        began = began ?? now
        // Another kind of failure than all before: the backend has changed, perhaps for the better.
        let isNews = met.insert((failure.status ?? 0) / 100).inserted && met.count > 1
        let bound = isNews ? policy.first : min(policy.ceiling, max(policy.first, now.timeIntervalSince(begin) / 4))
        let pause = bound > 0 && !isHurried ? TimeInterval.random(in: bound / 2...bound, using: &generator) : 0
        isHurried = false
        state = .open(until: now.addingTimeInterval(pause), failure, isAsked: false)
    }

    /// The server asked for quiet until then.
    package mutating func wait(until: Date, _ failure: Failure) {
        if case .open(let current, _, true) = state, current >= until { return }
        state = .open(until: until, failure, isAsked: true)
    }

    /// The session cannot be renewed before then, so that nothing can be sent. No server asked for it, so a person can shorten it.
    package mutating func rest(until: Date, _ failure: Failure, policy: Policy, now: Date) {
        let until = min(until, now.addingTimeInterval(policy.ceiling))
        if case .open(let current, _, _) = state, current >= until { return }
        state = .open(until: until, failure, isAsked: false)
    }

    /// Whether the pause is over: also where its end lies further ahead than any pause is long, for then the clock was ahead when it began and
    /// has been set right since.
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

    /// Probe at once, because a person, the network or a new submission gives reason to, and then as often as after a first failure: a network
    /// that has just come back may take some seconds to carry anything. Not where the pause is for that reason. True where a probe is on its way
    /// already, since long enough to have been sent on the network as it was before.
    package mutating func hurry(now: Date, unless reason: Failure.Reason? = nil) -> Bool {
        switch state {
        case .open(_, let failure, false) where failure.reason != reason:
            since = nil
            state = .open(until: now, failure, isAsked: false)
        case .halfOpen(let begin, let failure) where failure.reason != reason:
            since = nil
            isHurried = true
            return now.timeIntervalSince(begin) >= Self.promptAnswer
        default: break
        }
        return false
    }

    /// How long a probe may take before a change of the network says that its answer will not come, in seconds.
    private static let promptAnswer: TimeInterval = 2

    /// Another session: what the old one had to wait for is over, and what no server asked for is tried at once.
    package mutating func sessionChanged(now: Date) {
        if case .open(_, let failure, true) = state, failure.reason == .signInRequired || failure.reason == .stillUnauthorized {
            state = .closed
        }
        _ = hurry(now: now)
    }

    /// It works.
    package mutating func succeed() {
        if case .open(_, _, true) = state { return }
        (began, since, met) = (nil, nil, [])
        state = .closed
    }
}
