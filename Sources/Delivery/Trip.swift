import Backends
import Foundation
import SyncModel

/// One try of one entry, as a pure step function: what to do next, told what came of the last step. `Courier` takes the steps.
///
/// What may have taken effect already is looked for before it is sent again. A request that is refused for its session goes once more, where the
/// session can be renewed.
package struct Trip: Sendable {
    package enum Step: Sendable, Equatable {
        /// Look whether the backend has the entry, on this page of its list, after so many rows on earlier ones; tell by `lookedUp`, or `failed`.
        case lookUp(page: Int, seen: Int)
        /// Tell by `answered`, or by `failed`.
        case send
        /// Renew the session with which the last request went; tell by `renewed`, or by `failed`.
        case renew
        case end(Attempt)
    }

    private let entry: Entry
    private let route: RouteTraits
    private let rules: Rules
    private let startedAt: Date

    /// What holds for every entry of a backend.
    package struct Rules: Sendable {
        /// After so many counted attempts an entry is looked up once more, and not sent again.
        var attempts: Int
        /// Seconds for which a server may still be at work on a request whose answer was lost: until then, not to be found proves nothing.
        var lookupAfter: TimeInterval
        /// For how long the backend remembers the key of a request; nil for ever.
        var keyLifetime: Duration?

        package init(attempts: Int, lookupAfter: TimeInterval, keyLifetime: Duration?) {
            self.attempts = attempts
            self.lookupAfter = lookupAfter
            self.keyLifetime = keyLifetime
        }
    }

    private var next = Step.send
    private var hasRenewed = false
    /// The answer that blamed the session.
    private var refusal: Verdict?

    package init(_ entry: Entry, route: RouteTraits, rules: Rules, startedAt: Date) {
        self.entry = entry
        self.route = route
        self.rules = rules
        self.startedAt = startedAt
    }

    /// The result where no session can be had.
    package func withoutSession(_ error: AuthenticationError, at now: Date) -> Attempt {
        attempt(Verdict(error).stillUncertain(if: entry.uncertain), wasMade: false, at: now)
    }

    /// The first step, under the session of this account.
    package mutating func begin(as account: Account, at now: Date) -> Step {
        guard account.id == entry.mutation.destination.account else {
            let failure = Failure(.signInRequired, "Another account is signed in.", outcomeUnknown: entry.uncertain)
            return end(.unauthorized(failure), wasMade: false, at: now)
        }
        guard entry.uncertain else { return go(.send) }
        if route.canLookUp { return go(.lookUp(page: 1, seen: 0)) }
        guard let message = whyNotAgain(now) else { return go(.send) }
        return end(.unknown(Failure(.refused, message, outcomeUnknown: true)), wasMade: false, at: now)
    }

    /// A look was answered.
    package mutating func lookedUp(_ answer: LookUp, at now: Date) -> Step {
        switch answer {
        case .found(let receipt): return end(.accepted(receipt), at: now)
        case .more(let rows):
            guard case .lookUp(let page, let seen) = next else { return next }
            return go(.lookUp(page: page + 1, seen: seen + rows))
        case .failed(let verdict): return blamesSession(verdict) ? renew(after: verdict) : missed(verdict, at: now)
        case .absent where isTooEarly(now):
            let message = "Its answer was lost. It was not found at the backend yet, and is looked for again."
            return end(.unseen(Failure(.lostAnswer, message, outcomeUnknown: true)), at: now)
        case .absent where entry.attempts >= rules.attempts:
            let message = "The backend failed at it each time, and a look-up after the last attempt did not find it."
            return end(.permanent(Failure(.serverError, message)), at: now)
        case .absent where route.isAtMostOnce:
            let message = "It may have taken effect already, a look-up did not find it, and it must not be sent twice."
            return end(.unknown(Failure(.refused, message, outcomeUnknown: true)), wasMade: true, at: now)
        case .absent: return go(.send)
        }
    }

    /// The send was answered.
    package mutating func answered(_ verdict: Verdict, at now: Date) -> Step {
        if blamesSession(verdict) { return renew(after: verdict) }
        return end(hasRenewed ? verdict.denied : verdict, wasSent: true, at: now)
    }

    /// The session is another one of the same account: the request goes once more.
    package mutating func renewed() -> Step {
        hasRenewed = true
        return next
    }

    /// There is nothing to renew the session by, and the profile does not declare the answer: it is judged like any other failure.
    package mutating func notRenewed(at now: Date) -> Step {
        guard let refusal = refusal?.denied else { return next }
        return next == .send ? end(refusal, wasSent: true, at: now) : missed(refusal, at: now)
    }

    private mutating func renew(after verdict: Verdict) -> Step {
        refusal = verdict
        return .renew
    }

    /// The request could not be made, or got no answer, or its session could not be renewed.
    package mutating func failed(_ verdict: Verdict, at now: Date) -> Step {
        guard next == .send else { return missed(verdict, at: now) }
        let wasSent = if case .unknown = verdict { true } else { false }
        return end(verdict, wasSent: wasSent, at: now)
    }

    // MARK: -

    private mutating func go(_ step: Step) -> Step {
        // A page further on goes under the session of the first.
        if case .send = step { hasRenewed = false }
        next = step
        return step
    }

    private func blamesSession(_ verdict: Verdict) -> Bool { if case .unauthorized = verdict { !hasRenewed } else { false } }

    private func isTooEarly(_ now: Date) -> Bool {
        guard let doubted = entry.doubtedAt else { return false }
        // As long ahead as it should lie behind: the clock was ahead then, and how long ago it is cannot be told.
        return abs(now.timeIntervalSince(doubted)) < RetryPolicy.lookupWait(entry, rules.lookupAfter)
    }

    /// A look-up without an answer leaves the entry as open as it was. Any answered error says nothing about the entry.
    private func missed(_ verdict: Verdict, at now: Date) -> Step {
        switch verdict {
        // The profile has changed: it waits, as open as it was, until the look can be asked for again.
        case .permanent(let failure) where failure.reason == .profile: return end(verdict.stillUncertain, at: now)
        case .permanent(let failure) where failure.reason == .tooLarge:
            // It can never be answered.
            return end(.unknown(Failure(.refused, status: failure.status, failure.message, outcomeUnknown: true)), at: now)
        case .unreachable(let failure) where failure.reason != .lostAnswer: return end(.unreachable(failure).stillUncertain, at: now)
        case .throttled: return end(verdict.stillUncertain, at: now)
        case .unauthorized where !hasRenewed: return end(verdict.stillUncertain, at: now)
        default:
            let reason: Failure.Reason = verdict.failure?.reason == .intercepted ? .intercepted : .serverError
            let message = "The look-up failed. \(verdict.failure?.message ?? "")"
            return end(.unknown(Failure(reason, status: verdict.failure?.status, message, outcomeUnknown: true)), at: now)
        }
    }

    private func end(_ verdict: Verdict, wasMade: Bool = true, wasSent: Bool = false, at now: Date) -> Step {
        .end(attempt(verdict, wasMade: wasMade, wasSent: wasSent, at: now))
    }

    private func attempt(_ verdict: Verdict, wasMade: Bool, wasSent: Bool = false, at now: Date) -> Attempt {
        let verdict = verdict.stillUncertain(if: entry.uncertain && !route.canLookUp)
        return Attempt(verdict, route: route, startedAt: startedAt, endedAt: now, wasMade: wasMade, wasSent: wasSent)
    }

    /// What forbids sending again what may have arrived and cannot be looked up; nil where nothing does.
    private func whyNotAgain(_ now: Date) -> String? {
        if route.isAtMostOnce { return "It may have taken effect already, it cannot be looked up, and it must not be sent twice." }
        if route.isBlind, entry.doubts >= RetryPolicy.mostDoubts {
            return "It was sent \(entry.doubts) times, each may have taken effect, and it cannot be looked up."
        }
        guard let lifetime = rules.keyLifetime, let since = entry.uncertainSince,
            // As above.
            abs(now.timeIntervalSince(since)) >= lifetime.seconds
        else { return nil }
        return "It may have taken effect already, and the backend no longer remembers its key, so that it would take effect twice."
    }
}
