import Backends
import Foundation
import Roster
import Sessions
import SyncModel

/// One attempt as a pure step function; `Courier` performs the steps.
///
/// Looks up an entry that may have taken effect before sending it again. Repeats a request refused for its session once, after renewal. On a route with
/// `row`, reads the rows just before each send; see `DeliveryAttempt+Rows`.
package struct DeliveryAttempt: Sendable {
    package enum Step: Sendable, Equatable {
        /// Request this page, with `seen` rows on earlier pages; report `lookedUp` or `failed`.
        case lookUp(page: Int, seen: Int)
        /// Request this page of the route's rows, and have it repeated only if it has changed; report `readRow` or `failed`.
        case readRow(page: Int, unless: String?)
        /// Have the signed-in account confirmed and find the entry's row in all rows; report `found` or `failed`.
        case findRow(in: [RosterRow])
        /// Send with `row`; report `answered` or `failed`.
        case send
        /// Renew the session of the last request; report `renewed`, `notRenewed` or `failed`.
        case renew
        case end(Attempt)
    }

    let entry: Entry
    private let route: RouteTraits
    private let rules: Rules
    let rows: Rows?
    private let startedAt: Date

    package struct Rules: Sendable {
        /// After so many counted attempts, look up once more without sending.
        var attempts: Int
        /// Seconds for which a server may still process a request after its answer was lost.
        var lookupAfter: TimeInterval
        /// Seconds for which the backend remembers a key; nil for ever.
        var keyLifetime: TimeInterval?

        package init(attempts: Int, lookupAfter: TimeInterval, keyLifetime: TimeInterval?) {
            self.attempts = attempts
            self.lookupAfter = lookupAfter
            self.keyLifetime = keyLifetime
        }
    }

    private(set) var next = Step.send
    private var hasRenewed = false
    /// After the answer to a send.
    private var hasRenewedToSend = false
    /// The answer that refused the session.
    var refusal: Verdict?
    var search = Search()
    /// The row to send the entry to; nil for a route without `row`.
    package internal(set) var row: RosterRow?

    /// - Parameter rows: for a route with `row`.
    package init(_ entry: Entry, route: RouteTraits, rules: Rules, rows: Rows? = nil, startedAt: Date) {
        self.entry = entry
        self.route = route
        self.rules = rules
        self.rows = rows
        self.startedAt = startedAt
    }

    package func withoutSession(_ error: SessionError, at now: Date) -> Attempt {
        attempt(Verdict(error).stillUncertain(if: entry.uncertain), wasMade: false, at: now)
    }

    package mutating func begin(as account: Account, at now: Date) -> Step {
        guard account.id == entry.destination.account else {
            let failure = Failure(.signInRequired, "Another account is signed in.", outcomeUnknown: entry.uncertain)
            return end(.unauthorized(failure), wasMade: false, at: now)
        }
        guard entry.uncertain else { return goSend() }
        if route.canLookUp { return go(.lookUp(page: 1, seen: 0)) }
        guard let message = whyNotAgain(now) else { return goSend() }
        return end(.unknown(Failure(.refused, message, outcomeUnknown: true)), wasMade: false, at: now)
    }

    package mutating func lookedUp(_ answer: LookUp, at now: Date) -> Step {
        switch answer {
        case .found(let receipt): return end(.accepted(receipt), at: now)
        case .more(let rows):
            guard case .lookUp(let page, let seen) = next else { return next }
            return go(.lookUp(page: page + 1, seen: seen + rows))
        case .failed(let verdict): return blamesSession(verdict) ? renew(after: verdict) : missed(verdict, at: now)
        case .absent where isTooEarly(now):
            let message = "A look-up has not found the entry yet. Homing will look it up again."
            return end(.unseen(Failure(.lostAnswer, message, outcomeUnknown: true)), at: now)
        case .absent where entry.attempts >= rules.attempts:
            let message = "Every attempt failed at the backend, and a look-up after the last one did not find the entry."
            return end(.permanent(Failure(.serverError, message)), at: now)
        case .absent where route.isAtMostOnce:
            let message = "The entry may already have taken effect. A look-up did not find it, and it must not be sent twice."
            return end(.unknown(Failure(.refused, message, outcomeUnknown: true)), wasMade: true, at: now)
        case .absent: return goSend()
        }
    }

    package mutating func answered(_ verdict: Verdict, at now: Date) -> Step {
        if blamesSession(verdict) { return renew(after: verdict) }
        return end(hasRenewed ? verdict.denied : verdict, wasSent: true, at: now)
    }

    /// Repeats the request once.
    package mutating func renewed() -> Step {
        hasRenewed = true
        guard next == .send else { return next }
        hasRenewedToSend = true
        return rows == nil ? next : goSend()
    }

    /// The session cannot be renewed and the answer is undeclared: treats it like any other failure.
    package mutating func notRenewed(at now: Date) -> Step {
        guard let refusal = refusal?.denied else { return next }
        if isReading { return notRead(refusal, at: now) }
        return next == .send ? end(refusal, wasSent: true, at: now) : missed(refusal, at: now)
    }

    private mutating func renew(after verdict: Verdict) -> Step {
        refusal = verdict
        return .renew
    }

    /// No request, no answer, or no renewed session.
    package mutating func failed(_ verdict: Verdict, at now: Date) -> Step {
        if isReading { return notRead(verdict, at: now) }
        guard next == .send else { return missed(verdict, at: now) }
        let wasSent = if case .unknown = verdict { true } else { false }
        return end(verdict, wasSent: wasSent, at: now)
    }

    // MARK: -

    private mutating func goSend() -> Step { rows == nil ? go(.send) : searchAnew() }

    mutating func go(_ step: Step) -> Step {
        // Later look-up pages use the renewed session of the first.
        if case .send = step { hasRenewed = hasRenewedToSend }
        next = step
        return step
    }

    private func blamesSession(_ verdict: Verdict) -> Bool { if case .unauthorized = verdict { !hasRenewed } else { false } }

    private func isTooEarly(_ now: Date) -> Bool {
        guard let doubted = entry.doubtedAt else { return false }
        return !doubted.hasAged(RetryPolicy.lookupWait(entry, rules.lookupAfter), at: now)
    }

    /// A failed look-up leaves the outcome unknown.
    private func missed(_ verdict: Verdict, at now: Date) -> Step {
        switch verdict {
        // The outcome stays unknown until the profile allows the look-up again.
        case .permanent(let failure) where failure.reason == .profile: return end(verdict.stillUncertain, at: now)
        // The entry is there, but a person must say which row is its.
        case .unknown(let failure) where failure.reason == .refused: return end(verdict, at: now)
        case .permanent(let failure) where failure.reason == .tooLarge:
            // The list is too large to read, so no retry can help.
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

    func end(_ verdict: Verdict, wasMade: Bool = true, wasSent: Bool = false, at now: Date) -> Step {
        .end(attempt(verdict, wasMade: wasMade, wasSent: wasSent, at: now))
    }

    private func attempt(_ verdict: Verdict, wasMade: Bool, wasSent: Bool = false, at now: Date) -> Attempt {
        let verdict = verdict.stillUncertain(if: entry.uncertain && !route.canLookUp)
        return Attempt(verdict, route: route, startedAt: startedAt, endedAt: now, wasMade: wasMade, wasSent: wasSent)
    }

    /// Why a send that may have taken effect must not be repeated; nil if it may.
    private func whyNotAgain(_ now: Date) -> String? {
        if route.isAtMostOnce { return "The entry may already have taken effect. It cannot be looked up, and it must not be sent twice." }
        if route.isBlind, entry.doubts >= RetryPolicy.mostDoubts {
            return "The entry was sent \(entry.doubts) times, and each send may have taken effect. It cannot be looked up."
        }
        guard let lifetime = rules.keyLifetime, entry.uncertainSince?.hasAged(lifetime, at: now) == true else { return nil }
        return "The entry may already have taken effect. The backend has forgotten the idempotency key, so a resend could duplicate it."
    }
}
