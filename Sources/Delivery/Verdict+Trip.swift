import Backends
import Foundation
import SyncModel

extension Verdict {
    /// What is said of a try for which no session could be had, or none any more.
    package init(_ error: AuthenticationError) {
        self =
            switch error {
            // Whatever became of the renewal, the mutation itself was not sent by it.
            case .unavailable(let failure), .undeclared(let failure):
                .unreachable(Failure(failure.reason, status: failure.status, failure.message))
            // As if the backend had asked for quiet.
            case .tooSoon(let until, let failure):
                .throttled(Failure(failure.reason, status: failure.status, failure.message), until: until)
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

    /// What is said of a request that got no answer.
    ///
    /// - Parameters:
    ///   - isSafe: it has no effect, whether it arrived or not.
    ///   - isCut: it was cut short by ourselves.
    package init(_ error: TransportError, isSafe: Bool, isCut: Bool) {
        switch error {
        // The session ended between our asking for it and the sending.
        case .unreachable(let failure) where failure.reason == .signInRequired: self = .unauthorized(failure)
        case .unreachable(var failure):
            if isCut { failure.reason = .stopping }
            self = .unreachable(failure)
        case .lost(var failure):
            if isCut { failure.reason = .stopping }
            failure.outcomeUnknown = !isSafe
            self = !isSafe ? .unknown(failure) : failure.reason == .tooLarge ? .permanent(failure) : .unreachable(failure)
        }
    }

    /// The same, where the session was renewed and is refused all the same: no matter of the session any more.
    var denied: Verdict {
        guard case .unauthorized(var failure) = self else { return self }
        failure.reason = .stillUnauthorized
        return .transient(failure)
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
        case .unseen(let failure): .unseen(open(failure))
        }
    }

    func stillUncertain(if uncertain: Bool) -> Verdict { uncertain ? stillUncertain : self }
}
