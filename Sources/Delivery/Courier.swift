import Backends
import Foundation
import SyncModel

/// Takes one entry to its backend and brings back a verdict. Never throws: what went wrong is the verdict.
package struct Courier: Sendable {
    private let keeper: SessionKeeper
    private let backend: Backend
    private let attempts: Int
    private let clock: any SyncClock

    /// - Parameter attempts: after so many counted ones an entry is looked up once more, and not sent again.
    package init(keeper: SessionKeeper, attempts: Int, clock: any SyncClock) {
        self.attempts = attempts
        self.keeper = keeper
        backend = keeper.backend
        self.clock = clock
    }

    /// Sends `entry` under the account that captured it. What may have been taken already is looked for first.
    package func attempt(_ entry: Entry) async -> Attempt {
        let startedAt = clock.now
        let route = RouteTraits(
            canLookUp: backend.canLookUp(route: entry.mutation.route), isAtMostOnce: backend.isAtMostOnce(route: entry.mutation.route))
        func end(_ verdict: Verdict, _ health: Attempt.Health = .noEvidence, wasMade: Bool = true) -> Attempt {
            let verdict = entry.uncertain && !route.canLookUp ? verdict.stillUncertain : verdict
            return Attempt(verdict, health: health, route: route, startedAt: startedAt, endedAt: clock.now, wasMade: wasMade)
        }

        var session: Session
        do { session = try await keeper.freshSession() } catch {
            return end(Self.verdict(error).stillUncertain(if: entry.uncertain), wasMade: false)
        }
        guard session.account.id == entry.mutation.destination.account else {
            let failure = Failure(.signInRequired, "Somebody else is signed in.", outcomeUnknown: entry.uncertain)
            return end(.unauthorized(failure), wasMade: false)
        }

        if entry.uncertain {
            if route.canLookUp {
                switch await lookUp(entry, &session) {
                case .found(let receipt): return end(.accepted(receipt))
                case .absent where entry.attempts >= attempts:
                    let message = "The backend failed at it each time, and a look after the last attempt did not find it."
                    return end(.permanent(Failure(.serverError, message)))
                case .absent: break
                case .failed(let verdict): return end(await afterLookUp(verdict))
                }
            } else if let message = whyNotAgain(entry, route) {
                return end(.unknown(Failure(.refused, message, outcomeUnknown: true)), wasMade: false)
            }
        }

        let verdict = await send(entry.mutation, &session).cautious(on: route)
        switch verdict {
        case .unknown(let failure) where failure.status != nil && route.canLookUp:
            // The server has answered, so it is done with this request: whether it took it can be seen now.
            switch await lookUp(entry, &session) {
            case .found(let receipt): return end(.accepted(receipt))
            case .absent:
                var failure = failure
                failure.outcomeUnknown = false
                return end(.transient(failure), .well)
            case .failed: return end(verdict)
            }
        case .transient:
            return end(verdict, await health())
        default:
            return end(verdict)
        }
    }

    /// What forbids sending again what may have arrived and cannot be looked up; nil where nothing does.
    private func whyNotAgain(_ entry: Entry, _ route: RouteTraits) -> String? {
        if route.isAtMostOnce { return "It may have taken effect already, it cannot be looked up, and it must not be sent twice." }
        guard let lifetime = backend.keyLifetime, let since = entry.uncertainSince,
            // As long ahead as it should lie behind: the clock was ahead, and nobody knows how long ago it is.
            abs(clock.now.timeIntervalSince(since)) >= TimeInterval(lifetime.components.seconds)
        else { return nil }
        return "It may have taken effect already, and the backend no longer remembers its key, so that it would take effect twice."
    }

    /// A look-up that brought no answer leaves the entry as open as it was; one that was refused can never bring one.
    ///
    /// What fails for this one entry, at a backend that is well, keeps only this entry waiting.
    private func afterLookUp(_ verdict: Verdict) async -> Verdict {
        switch verdict {
        case .permanent(let failure), .forbidden(let failure):
            return .unknown(Failure(.refused, status: failure.status, failure.message, outcomeUnknown: true))
        case .transient(let failure):
            return await (health() == .ill ? Verdict.unreachable(failure) : .unknown(failure)).stillUncertain
        case .unreachable(let failure) where failure.reason == .lostAnswer:
            return await (health() == .ill ? Verdict.unreachable(failure) : .unknown(failure)).stillUncertain
        default: return verdict.stillUncertain
        }
    }

    /// Whether `probe` has a route to ask.
    package var probesHealth: Bool { backend.hasHealth }

    /// Asks how the backend is, without any effect there.
    package func probe() async -> Probe {
        switch await keeper.probe() {
        case .well: .well
        case .ill(let failure), .intercepted(let failure), .unreachable(let failure): .failed(failure)
        }
    }

    private func health() async -> Attempt.Health {
        guard backend.hasHealth else { return .noEvidence }
        return await probe() == .well ? .well : .ill
    }

    private func send(_ mutation: Mutation, _ session: inout Session) async -> Verdict {
        let request: OutboundRequest
        do { request = try backend.request(for: mutation) } catch { return .permanent(error) }
        return await exchange(request, &session) {
            backend.verdict(on: $0, to: mutation, at: clock.now)
        } failed: {
            $0
        }
    }

    private func lookUp(_ entry: Entry, _ session: inout Session) async -> LookUp {
        do {
            guard let request = try backend.lookup(for: entry.mutation) else { return .absent }
            return await exchange(request, &session) {
                backend.lookedUp($0, for: entry.mutation, at: clock.now)
            } failed: {
                .failed($0)
            }
        } catch {
            return .failed(.unknown(Failure(.refused, error.message, outcomeUnknown: true)))
        }
    }

    /// Sends once, and once more where the session was at fault and could be renewed.
    private func exchange<Outcome: Unauthorizable>(
        _ request: OutboundRequest, _ session: inout Session, read: (InboundResponse) -> Outcome, failed: (Verdict) -> Outcome
    ) async -> Outcome {
        do {
            let answer = try await keeper.send(request, as: session)
            let outcome = read(answer.response)
            guard outcome.isUnauthorized else { return outcome }
            do { session = try await keeper.replace(answer.session) } catch { return failed(Self.verdict(error)) }
            // Signed in, and refused all the same: this account may not. The session stays.
            return read(try await keeper.send(request, as: session).response).denied
        } catch {
            return failed(Self.verdict(error, of: request))
        }
    }

    private static func verdict(_ error: TransportError, of request: OutboundRequest) -> Verdict {
        switch error {
        // The session ended between our asking for it and the sending.
        case .unreachable(let failure) where failure.reason == .signInRequired:
            return .unauthorized(failure)
        case .unreachable(var failure):
            if Task.isCancelled { failure.reason = .stopping }
            return .unreachable(failure)
        case .lost(var failure):
            if Task.isCancelled { failure.reason = .stopping }
            if request.isSafe {
                failure.outcomeUnknown = false
                return failure.reason == .tooLarge ? .permanent(failure) : .unreachable(failure)
            }
            failure.outcomeUnknown = true
            return .unknown(failure)
        }
    }

    private static func verdict(_ error: AuthenticationError) -> Verdict {
        switch error {
        // Whatever became of the renewal, the mutation itself was not sent by it.
        case .unavailable(let failure): .unreachable(Failure(failure.reason, status: failure.status, failure.message))
        // As if the backend had asked for quiet: a probe would tell nothing of the session.
        case .tooSoon(let until, let failure): .throttled(Failure(failure.reason, status: failure.status, failure.message), until: until)
        case .signInRequired(let reason): .unauthorized(Failure(.signInRequired, reason))
        case .refused(let words), .locked(let words), .misbehaved(let words), .unsupported(let words):
            .unauthorized(Failure(.signInRequired, words))
        case .signingOut: .unauthorized(Failure(.signInRequired, "Signing out."))
        case .secondFactor: .unauthorized(Failure(.signInRequired, "This account needs a second factor."))
        case .labelTaken(let label): .unauthorized(Failure(.signInRequired, "\(label) is the name of another account."))
        case .unnamed: .unauthorized(Failure(.signInRequired, "Nobody says whose the token is."))
        case .conflict: .unauthorized(Failure(.signInRequired, "Somebody else is signed in."))
        case .unsaved(let error): .unreachable(Failure(.unreadable, "\(error)"))
        }
    }
}

/// What may say that the session was at fault.
private protocol Unauthorizable {
    var isUnauthorized: Bool { get }
    /// The same, where a session that is well was at fault no more.
    var denied: Self { get }
}

extension Verdict: Unauthorizable {
    fileprivate var denied: Verdict {
        guard case .unauthorized(var failure) = self else { return self }
        failure.reason = .stillUnauthorized
        return .forbidden(failure)
    }

    fileprivate var isUnauthorized: Bool { if case .unauthorized = self { true } else { false } }
}

extension LookUp: Unauthorizable {
    fileprivate var denied: LookUp { if case .failed(let verdict) = self { .failed(verdict.denied) } else { self } }

    fileprivate var isUnauthorized: Bool { if case .failed(let verdict) = self { verdict.isUnauthorized } else { false } }
}

extension Verdict {
    /// A server, or the proxy before it, that answers 5xx, or 2xx with something else than JSON, may have done the work all the same: look
    /// before sending again, and do not send again what must not arrive twice.
    fileprivate func cautious(on route: RouteTraits) -> Verdict {
        switch self {
        case .transient(var failure) where (failure.status ?? 0) >= 500:
            failure.outcomeUnknown = true
            return route.isAtMostOnce && !route.canLookUp ? .unknown(failure) : .transient(failure)
        case .intercepted(var failure) where (200..<300).contains(failure.status ?? 0):
            failure.outcomeUnknown = true
            return .intercepted(failure)
        default: return self
        }
    }

    /// The same verdict on an entry whose outcome was open before and still is.
    package var stillUncertain: Verdict {
        func open(_ failure: Failure) -> Failure {
            var failure = failure
            failure.outcomeUnknown = true
            return failure
        }
        return switch self {
        case .accepted: self
        case .transient(let failure): .transient(open(failure))
        case .throttled(let failure, let until): .throttled(open(failure), until: until)
        case .permanent(let failure): .permanent(open(failure))
        case .locked(let failure, let until): .locked(open(failure), until: until)
        case .forbidden(let failure): .forbidden(open(failure))
        case .unauthorized(let failure): .unauthorized(open(failure))
        case .unreachable(let failure): .unreachable(open(failure))
        case .intercepted(let failure): .intercepted(open(failure))
        case .unknown(let failure): .unknown(open(failure))
        }
    }

    fileprivate func stillUncertain(if uncertain: Bool) -> Verdict { uncertain ? stillUncertain : self }
}
