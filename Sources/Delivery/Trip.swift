import Backends
import Foundation
import SyncModel

/// One try of one entry, as a pure step function: what to do next, told what came of the last step. `Courier` takes the steps.
///
/// What may have been taken already is looked for before it is sent again. A request that is refused for its session goes once more, where the
/// session can be renewed. An answer that leaves open whether the entry was taken is followed by a look.
package struct Trip: Sendable {
    package enum Step: Sendable, Equatable {
        /// Look whether the backend has the entry; tell by `lookedUp`, or by `failed`.
        case lookUp
        /// Tell by `answered`, or by `failed`.
        case send
        /// Renew the session with which the last request went; tell by `renewed`, or by `failed`.
        case renew
        /// Ask how the backend is, which has failed like this; tell by `felt`.
        case askHealth(Failure)
        case end(Attempt)
    }

    private let entry: Entry
    private let route: RouteTraits
    private let attempts: Int
    private let keyLifetime: Duration?
    private let startedAt: Date

    /// What the last request was for.
    private enum Errand {
        case lookUp, send
        /// After an answer to the send that left it open.
        case lookUpAfter(Failure)
    }
    private var errand = Errand.send
    private var hasRenewed = false

    /// - Parameters:
    ///   - attempts: after so many counted ones an entry is looked up once more, and not sent again.
    ///   - keyLifetime: for how long the backend remembers the key of a request; nil for ever.
    package init(_ entry: Entry, route: RouteTraits, attempts: Int, keyLifetime: Duration?, startedAt: Date) {
        self.entry = entry
        self.route = route
        self.attempts = attempts
        self.keyLifetime = keyLifetime
        self.startedAt = startedAt
    }

    /// What it comes to where no session can be had.
    package func withoutSession(_ error: AuthenticationError, at now: Date) -> Attempt {
        attempt(Verdict(error).stillUncertain(if: entry.uncertain), wasMade: false, at: now)
    }

    /// The first step, under the session of this account.
    package mutating func begin(as account: Account, at now: Date) -> Step {
        guard account.id == entry.mutation.destination.account else {
            let failure = Failure(.signInRequired, "Somebody else is signed in.", outcomeUnknown: entry.uncertain)
            return end(.unauthorized(failure), wasMade: false, at: now)
        }
        guard entry.uncertain else { return go(.send) }
        if route.canLookUp { return go(.lookUp) }
        guard let message = whyNotAgain(now) else { return go(.send) }
        return end(.unknown(Failure(.refused, message, outcomeUnknown: true)), wasMade: false, at: now)
    }

    /// A look was answered.
    package mutating func lookedUp(_ answer: LookUp, at now: Date) -> Step {
        guard case .failed(let verdict) = answer else { return concluded(answer, at: now) }
        return blamesSession(verdict) ? .renew : concluded(.failed(hasRenewed ? verdict.denied : verdict), at: now)
    }

    /// The send was answered.
    package mutating func answered(_ verdict: Verdict, at now: Date) -> Step {
        blamesSession(verdict) ? .renew : concluded(hasRenewed ? verdict.denied : verdict, at: now)
    }

    /// The session is another one of the same account: the request goes once more.
    package mutating func renewed() -> Step {
        hasRenewed = true
        return isSending ? .send : .lookUp
    }

    /// The request could not be made, or got no answer, or its session could not be renewed.
    package mutating func failed(_ verdict: Verdict, at now: Date) -> Step {
        isSending ? concluded(verdict, at: now) : concluded(.failed(verdict), at: now)
    }

    /// How the backend is that has failed like this.
    package func felt(_ health: Attempt.Health, after failure: Failure, at now: Date) -> Step {
        if isSending { return end(.transient(failure), health, at: now) }
        // What fails for this one entry, at a backend that is well, keeps only this entry waiting.
        return end((health == .ill ? Verdict.unreachable(failure) : .unknown(failure)).stillUncertain, health, at: now)
    }

    // MARK: -

    private var isSending: Bool { if case .send = errand { true } else { false } }

    private mutating func go(_ next: Errand) -> Step {
        errand = next
        hasRenewed = false
        return isSending ? .send : .lookUp
    }

    private func blamesSession(_ verdict: Verdict) -> Bool { if case .unauthorized = verdict { !hasRenewed } else { false } }

    private mutating func concluded(_ answer: LookUp, at now: Date) -> Step {
        switch (answer, errand) {
        case (.found(let receipt), _): return end(.accepted(receipt), at: now)
        case (.absent, .lookUpAfter(var failure)):
            failure.outcomeUnknown = false
            return end(.transient(failure), .well, at: now)
        case (.failed, .lookUpAfter(let failure)): return end(.unknown(failure), at: now)
        case (.absent, _) where entry.attempts >= attempts:
            let message = "The backend failed at it each time, and a look after the last attempt did not find it."
            return end(.permanent(Failure(.serverError, message)), at: now)
        case (.absent, _): return go(.send)
        case (.failed(let verdict), _): return missed(verdict, at: now)
        }
    }

    /// A look-up that brought no answer leaves the entry as open as it was; one that was refused can never bring one.
    private func missed(_ verdict: Verdict, at now: Date) -> Step {
        switch verdict {
        case .permanent(let failure), .forbidden(let failure):
            return end(.unknown(Failure(.refused, status: failure.status, failure.message, outcomeUnknown: true)), at: now)
        case .transient(let failure): return .askHealth(failure)
        case .unreachable(let failure) where failure.reason == .lostAnswer: return .askHealth(failure)
        default: return end(verdict.stillUncertain, at: now)
        }
    }

    private mutating func concluded(_ answer: Verdict, at now: Date) -> Step {
        let verdict = answer.cautious(on: route)
        switch verdict {
        // The server has answered, so it is done with this request: whether it took it can be seen now.
        case .unknown(let failure) where failure.status != nil && route.canLookUp: return go(.lookUpAfter(failure))
        case .transient(let failure): return .askHealth(failure)
        default: return end(verdict, at: now)
        }
    }

    private func end(_ verdict: Verdict, _ health: Attempt.Health = .noEvidence, wasMade: Bool = true, at now: Date) -> Step {
        .end(attempt(verdict, health, wasMade: wasMade, at: now))
    }

    private func attempt(_ verdict: Verdict, _ health: Attempt.Health = .noEvidence, wasMade: Bool, at now: Date) -> Attempt {
        let verdict = verdict.stillUncertain(if: entry.uncertain && !route.canLookUp)
        return Attempt(verdict, health: health, route: route, startedAt: startedAt, endedAt: now, wasMade: wasMade)
    }

    /// What forbids sending again what may have arrived and cannot be looked up; nil where nothing does.
    private func whyNotAgain(_ now: Date) -> String? {
        if route.isAtMostOnce { return "It may have taken effect already, it cannot be looked up, and it must not be sent twice." }
        guard let lifetime = keyLifetime, let since = entry.uncertainSince,
            // As long ahead as it should lie behind: the clock was ahead, and nobody knows how long ago it is.
            abs(now.timeIntervalSince(since)) >= lifetime.seconds
        else { return nil }
        return "It may have taken effect already, and the backend no longer remembers its key, so that it would take effect twice."
    }
}
