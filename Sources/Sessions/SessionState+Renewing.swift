import Backends
import Foundation
import SyncModel

/// The methods that are left, in the profile's order.
struct Renewal: Equatable, Sendable {
    var methods: [AuthRules.WayBack]
    /// Why the session has ended, after a declared answer.
    var reason: String?
    /// False if there was nothing to renew the session by.
    let hasMethods: Bool
    /// When the kept password was sent before this renewal.
    var lastSignIn: Date?
}

enum RenewalEvent: Sendable {
    case begun
    case refreshed(RefreshAnswer)
    /// By the kept password.
    case signedIn(Account, Credentials)
    case notSignedIn(SignInError, mayHaveArrived: Bool, askedToWait: Date?)
}

enum RenewalStep: Equatable, Sendable {
    /// Store this, send the refresh, and report `refreshed`.
    case refresh(SessionTransition?)
    /// Store this, sign in with the kept password, and report `signedIn` or `notSignedIn`.
    case signIn(Credentials.KeptLogin, SessionTransition)
    /// Store this. Without an error the session is renewed.
    case end(SessionTransition?, SessionError? = nil)
}

extension SessionState {
    /// Seconds between two uses of a kept password.
    private static let passwordInterval: TimeInterval = 300

    /// One renewal, from `begun` to `end`.
    mutating func on(_ event: RenewalEvent, at now: Date) -> RenewalStep {
        // A check of another lane has ended the session meanwhile.
        if record.state == .signInRequired { return .end(nil, .signInRequired(reason: record.reason ?? "the session has ended")) }
        switch event {
        case .begun:
            var methods = methods
            let words = declared.flatMap { $0.generation == record.generation ? $0.words : nil }
            let isCookie = backend.profile.auth.scheme == .cookie
            let hasMethods = !methods.isEmpty || (words == nil && isCookie && backend.hasHealth)
            // Without a declared refusal, the health route shows whether the session has ended, before the password is used.
            if words == nil, isCookie, backend.hasHealth, !methods.contains(.refresh) { methods.insert(.refresh, at: 0) }
            renewal = Renewal(methods: methods, reason: words, hasMethods: hasMethods)
            return next(at: now)
        case .refreshed(let answer): return refreshed(answer, at: now)
        case .signedIn(let account, var credentials):
            guard account.id == record.account?.id else { return ended("the kept password signs in to another account", at: now) }
            credentials.kept = record.credentials.kept
            noteChecked(at: now)
            return .end(transition(toSignedIn: applyRenewal(credentials), by: nil, ifUnstored: .hold, at: now))
        case .notSignedIn(let error, let mayHaveArrived, let asked): return notSignedIn(error, mayHaveArrived, asked, at: now)
        }
    }

    /// The ways to renew this session, in the profile's order.
    var methods: [AuthRules.WayBack] {
        backend.profile.auth.renewals.filter { method in
            switch method {
            case .refresh: backend.profile.auth.scheme == .cookie ? backend.hasHealth : record.credentials.tokens?.refresh != nil
            case .login: record.credentials.kept != nil
            }
        }
    }

    private mutating func next(at now: Date) -> RenewalStep {
        guard let method = renewal?.methods.first else { return exhausted(at: now) }
        renewal?.methods.removeFirst()
        switch method {
        case .refresh: return .refresh(refreshBegins())
        case .login:
            // A sign-out in progress needs no new session.
            guard record.state == .signedIn, let kept = record.credentials.kept else { return next(at: now) }
            return signInBegins(kept, at: now)
        }
    }

    /// Begins a refresh. It is stored before it is sent, because it may rotate the token. Nil if nothing has to be stored.
    private mutating func refreshBegins() -> SessionTransition? {
        answerWasLost = record.awaitsRefresh
        guard record.credentials.tokens?.refresh != nil, !record.awaitsRefresh else { return nil }
        var next = record
        next.awaitsRefresh = true
        return SessionTransition(next)
    }

    private mutating func refreshed(_ answer: RefreshAnswer, at now: Date) -> RenewalStep {
        switch note(answer) {
        case .renewed(let credentials):
            requireCheck()
            return .end(SessionTransition(applyRenewal(credentials), ifUnstored: .hold))
        case .confirmed(let response, let request):
            noteChecked(at: now)
            var credentials = record.credentials
            _ = credentials.cookies.absorb(response, to: request, at: now)
            return .end(SessionTransition(applyRenewal(credentials), ifUnstored: .hold))
        case .foreign: return ended(Self.otherAccount, isForeign: true, at: now)
        case .impossible: return next(at: now)
        case .unavailable(let failure, let until): return .end(nil, pause(after: failure, asked: until, at: now))
        case .ended(let words):
            renewal?.reason = words
            if record.credentials.kept != nil {
                // A refused token is never sent again, not even after a restart.
                record.credentials.tokens?.refresh = nil
                record.awaitsRefresh = false
                isDirty = true
            }
            return next(at: now)
        }
    }

    /// The answer to a refresh, with the history of the token.
    private mutating func note(_ answer: RefreshAnswer) -> RefreshAnswer {
        guard record.credentials.tokens?.refresh != nil else { return answer }
        switch answer {
        case .ended(let words) where answerWasLost: return .ended(BearerScheme.lost(words))
        // The server has rotated nothing.
        case .unavailable(let failure, _) where !failure.outcomeUnknown && !answerWasLost:
            record.awaitsRefresh = false
            isDirty = true
        case .renewed, .confirmed, .ended, .foreign, .impossible, .unavailable: break
        }
        return answer
    }

    private mutating func signInBegins(_ kept: Credentials.KeptLogin, at now: Date) -> RenewalStep {
        if let last = record.renewedByLoginAt, !last.hasAged(Self.passwordInterval, at: now) {
            let failure = Failure(
                .signInRequired, "The session has ended. Homing uses the kept password at most once in five minutes.")
            let until = min(last, now).addingTimeInterval(Self.passwordInterval)
            return .end(isDirty ? SessionTransition(record, ifUnstored: .become) : nil, .tooSoon(until: until, failure))
        }
        renewal?.lastSignIn = record.renewedByLoginAt
        var next = record
        next.renewedByLoginAt = now
        // After a crash it must not be sent again at once, or the server locks the account.
        return .signIn(kept, SessionTransition(next))
    }

    private mutating func notSignedIn(
        _ error: SignInError, _ mayHaveArrived: Bool, _ asked: Date?, at now: Date
    ) -> RenewalStep {
        let sentAt = record.renewedByLoginAt ?? now
        // At least as long as the server asks.
        let earliest = max(sentAt.addingTimeInterval(Self.passwordInterval), asked ?? .distantPast)
        switch error {
        // Further refusals would lock the account.
        case .refused(let words), .locked(let words): return ended(words, at: now)
        case .secondFactor: return ended("the account now needs a second factor, which Homing cannot provide", at: now)
        case .undeclared(let failure):
            // 423: a further try may prolong the lock.
            let seconds = failure.status == 423 ? 3600 : backoff.passwordPause
            return .end(nil, pause(after: failure, asked: max(earliest, sentAt.addingTimeInterval(seconds)), at: now))
        case .unavailable(let failure):
            if mayHaveArrived { return .end(nil, pause(after: failure, asked: earliest, at: now)) }
            record.renewedByLoginAt = renewal?.lastSignIn
            isDirty = true
            return .end(nil, .unavailable(failure))
        default:
            let words = if case .misbehaved(let words) = error { words } else { "\(backend.name) does not take the kept password." }
            return .end(nil, pause(after: Failure(.profile, words), asked: earliest, at: now))
        }
    }

    /// All methods failed. Only a declared answer ends the session; any other may be a gateway's.
    private mutating func exhausted(at now: Date) -> RenewalStep {
        if let reason = renewal?.reason { return ended(reason, at: now) }
        let failure = Failure(.signInRequired, "\(backend.name) refuses the session with an answer that its profile does not declare.")
        if renewal?.hasMethods == true { return .end(nil, pause(after: failure, asked: nil, at: now)) }
        backoff.failure = failure
        noteFailing(at: now)
        return .end(nil, .undeclared(failure))
    }

    private func ended(_ reason: String, isForeign: Bool = false, at now: Date) -> RenewalStep {
        let transition = requireSignIn(reason, isForeign: isForeign, at: now)
        return .end(transition, transition == nil ? .signingOut : .signInRequired(reason: reason))
    }

    /// Applies renewed credentials. During a sign-out, they serve only to end the session at the server.
    private mutating func applyRenewal(_ credentials: Credentials) -> SessionRecord {
        var next = record
        next.credentials = credentials
        next.awaitsRefresh = false
        next.failingSince = nil
        if next.state == .signedIn { next.generation += 1 }
        forgetRefusal()
        backoff.end()
        return next
    }

    /// Pauses renewals. A request that never arrived needs no pause: the network reports its return.
    private mutating func pause(after failure: Failure, asked: Date?, at now: Date) -> SessionError {
        guard failure.reason != .stopping, !failure.neverArrived else { return .unavailable(failure) }
        noteFailing(at: now)
        var reported = failure
        // The server wants fewer renewals, not fewer requests: a person who signs in need not wait.
        if asked != nil || failure.reason == .throttled { reported.reason = .signInRequired }
        backoff.begin(reported, asked: asked, now: now)
        guard let until = backoff.running(at: now)?.until else { return .unavailable(failure) }
        return .tooSoon(until: until, reported)
    }

    private mutating func noteFailing(at now: Date) {
        guard record.failingSince == nil else { return }
        record.failingSince = now
        isDirty = true
    }
}

extension Failure {
    /// The request certainly reached no server.
    var neverArrived: Bool { !outcomeUnknown && [.offline, .tls, .clock].contains(reason) }
}
