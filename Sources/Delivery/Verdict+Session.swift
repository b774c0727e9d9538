import Backends
import Foundation
import Sessions
import SyncModel

extension Verdict {
    /// The verdict for an attempt without a usable session.
    package init(_ error: SessionError) {
        self =
            switch error {
            // The renewal may have had an effect, but the entry was not sent.
            case .unavailable(let failure), .undeclared(let failure):
                .unreachable(Failure(failure.reason, status: failure.status, failure.message))
            // Like a pause requested by the backend.
            case .tooSoon(let until, let failure):
                .throttled(Failure(failure.reason, status: failure.status, failure.message), until: until)
            case .signInRequired(let reason): .unauthorized(Failure(.signInRequired, reason))
            case .signingOut: .unauthorized(Failure(.signInRequired, "A sign-out is in progress."))
            case .unsaved(let error): .unreachable(Failure(.unreadable, "\(error)"))
            }
    }

    /// The verdict for a request without an answer.
    ///
    /// - Parameters:
    ///   - isSafe: the request has no effect.
    ///   - isCut: the daemon cancelled it.
    package init(_ error: TransportError, isSafe: Bool, isCut: Bool) {
        switch error {
        // The session ended before the request was sent.
        case .unreachable(let failure) where failure.reason == .signInRequired: self = .unauthorized(failure)
        case .unreachable(var failure):
            if isCut { failure.reason = .stopping }
            self = .unreachable(failure)
        case .lost(var failure):
            if isCut { failure.reason = .stopping }
            failure.outcomeUnknown = !isSafe
            // The head of an answer decides only in `Backend.verdict(onHeadOf:)`.
            failure.status = nil
            self = !isSafe ? .unknown(failure) : failure.reason == .tooLarge ? .permanent(failure) : .unreachable(failure)
        }
    }

    /// The verdict if a renewed session is refused too: the session is not the cause.
    var denied: Verdict {
        guard case .unauthorized(var failure) = self else { return self }
        failure.reason = .stillUnauthorized
        return .transient(failure)
    }

    /// Keeps an unknown outcome unknown.
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
        case .unread(let failure, let until): .unread(open(failure), until: until)
        }
    }

    func stillUncertain(if uncertain: Bool) -> Verdict { uncertain ? stillUncertain : self }
}
