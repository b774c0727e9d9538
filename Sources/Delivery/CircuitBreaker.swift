import Foundation
import SyncModel

/// Stops sending to a failing backend or route. Opens at the first failure; after a pause, one successful probe closes it.
package struct CircuitBreaker: Sendable, Equatable {
    package enum State: Sendable, Equatable {
        case closed
        /// `isAsked`: the server requested the pause, so a person cannot shorten it.
        case open(until: Date, Failure, isAsked: Bool)
        /// One probe may be sent.
        case halfOpen(since: Date, Failure)
    }

    /// The first and the longest pause, in seconds.
    package struct Policy: Sendable, Equatable {
        package var first: TimeInterval = 5
        package var ceiling: TimeInterval = 600
        package init() {}

        /// The longest pause after this failure. The cheaper the probe, the sooner delivery resumes after the end of an outage.
        ///
        /// - Parameter sends: an entry is the proof; otherwise the probe has no effect.
        func ceiling(after failure: Failure, sends: Bool) -> TimeInterval {
            if failure.isWithoutConnection || (failure.reason == .intercepted && !sends) { return min(ceiling, max(first, 15)) }
            return sends ? ceiling : min(ceiling, max(first, 120))
        }
    }

    package private(set) var state = State.closed
    /// Start of the current run of failures; nil when there is none.
    package private(set) var began: Date?
    /// Like `began`, but reset by `retryNow`; determines the pauses.
    private var since: Date?
    /// Status classes of the current run of failures; 0 for no answer, -1 for no connection.
    private var met: Set<Int> = []
    /// `retryNow` was called during a probe: if it fails, the next one follows at once.
    private var probesAgainAtOnce = false

    package init() {}

    /// Why only a probe may be sent; nil when closed.
    package var failure: Failure? {
        switch state {
        case .closed: nil
        case .open(_, let failure, _), .halfOpen(_, let failure): failure
        }
    }

    package var isClosed: Bool { state == .closed }

    /// Opens the breaker for about a quarter of the outage so far, so that delivery resumes soon after any outage. Without a connection, the pause
    /// counts from the start of the probe, which may hang.
    ///
    /// - Parameter sends: an entry is the proof that the outage is over.
    package mutating func trip(
        _ failure: Failure, sends: Bool, policy: Policy, now: Date, using generator: inout some RandomNumberGenerator
    ) {
        if case .open = state { return }  // requests sent together with the failed one add no information
        let begin = since?.unlessAhead(of: now) ?? now
        since = begin
        began = began ?? now
        // A new class of failure means that the backend changed and may recover soon.
        let isNews = met.insert(failure.isWithoutConnection ? -1 : (failure.status ?? 0) / 100).inserted && met.count > 1
        let ceiling = policy.ceiling(after: failure, sends: sends)
        let bound = isNews ? policy.first : min(ceiling, max(policy.first, now.timeIntervalSince(begin) / 4))
        let pause = bound > 0 && !probesAgainAtOnce ? TimeInterval.random(in: bound * 2 / 3...bound, using: &generator) : 0
        probesAgainAtOnce = false
        var start = now
        if failure.isWithoutConnection, case .halfOpen(let since, _) = state { start = min(since, now) }
        state = .open(until: max(now, start.addingTimeInterval(pause)), failure, isAsked: false)
    }

    /// Opens the breaker as the server requested (Retry-After).
    package mutating func pauseAsRequested(until: Date, _ failure: Failure) {
        if case .open(let current, _, true) = state, current >= until { return }
        state = .open(until: until, failure, isAsked: true)
    }

    /// Opens the breaker because the session cannot be renewed before `until`. A person can shorten this.
    package mutating func pauseForSession(until: Date, _ failure: Failure, policy: Policy, now: Date) {
        let until = min(until, now.addingTimeInterval(policy.ceiling))
        if case .open(let current, _, _) = state, current >= until { return }
        state = .open(until: until, failure, isAsked: false)
    }

    package func isOver(policy: Policy, now: Date) -> Bool {
        guard case .open(let until, _, let isAsked) = state else { return false }
        return until.hasCome(at: now, longest: isAsked ? ServerPause.horizon : policy.ceiling)
    }

    /// Ends the pause. Returns true if a probe must follow; a pause that the server requested needs none.
    package mutating func elapse() -> Bool {
        guard case .open(let until, let failure, let isAsked) = state else { return false }
        probesAgainAtOnce = false
        state = isAsked ? .closed : .halfOpen(since: until, failure)
        return !isAsked
    }

    /// Probes at once after a command, network change or submission, with short pauses again, because a new network may need some seconds. Ignored if
    /// the breaker is open for `reason`. Returns true if a running probe probably used the old network.
    package mutating func retryNow(now: Date, unless reason: Failure.Reason? = nil) -> Bool {
        switch state {
        case .open(_, let failure, false) where failure.reason != reason:
            since = nil
            state = .open(until: now, failure, isAsked: false)
        case .halfOpen(let begin, let failure) where failure.reason != reason:
            since = nil
            probesAgainAtOnce = true
            return now.timeIntervalSince(begin) >= Self.promptAnswer
        default: break
        }
        return false
    }

    /// A running probe older than this, in seconds, is unlikely to be answered after a network change.
    private static let promptAnswer: TimeInterval = 2

    /// Ends pauses of the old session, and probes at once unless the server requested the pause.
    package mutating func sessionChanged(now: Date) {
        if case .open(_, let failure, true) = state, failure.reason == .signInRequired || failure.reason == .stillUnauthorized {
            state = .closed
        }
        _ = retryNow(now: now)
    }

    /// Closes the breaker, except during a pause that the server requested.
    package mutating func succeed() {
        if case .open(_, _, true) = state { return }
        self = CircuitBreaker()
    }
}

extension Failure {
    /// No request was sent, because no connection could be opened.
    fileprivate var isWithoutConnection: Bool { [.offline, .tls, .clock].contains(reason) }
}
