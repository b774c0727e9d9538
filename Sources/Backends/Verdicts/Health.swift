import Foundation
import JSON
import SyncModel

package enum Health: Hashable, Sendable {
    /// `account`: the signed-in account; nil when signed out.
    case well(account: AccountID?)
    /// `retryAfter`: the requested pause, in seconds.
    case ill(Failure, retryAfter: TimeInterval? = nil)
    /// An undeclared 401, which may come from another party.
    case refused(Failure)
    case intercepted(Failure)
    case unreachable(Failure)
}

extension Backend {
    /// Nil without a health route.
    package var health: OutboundRequest? {
        // `try?`: a template without placeholders cannot fail.
        profile.health.flatMap { try? $0.request.render(TemplateValues(subject: "The health route")) }
    }

    package func health(_ response: InboundResponse) -> Health {
        if let interception = interception(in: response) { return .intercepted(interception) }
        if profile.errors.endsSession(response) { return .well(account: nil) }
        if response.status == 401 {
            let words = profile.errors.words(of: response).map { ": \($0)" } ?? "."
            return .refused(
                Failure(.signInRequired, status: 401, "\(name) refused the session but did not say that it has ended (401)\(words)"))
        }
        guard response.isSuccess, let json = response.json, let rules = profile.health else {
            let words = profile.errors.words(of: response) ?? "The backend failed its health check (\(response.status))."
            guard response.asksForPause else { return .ill(Failure(.serverError, status: response.status, words)) }
            return .ill(Failure(.throttled, status: response.status, words), retryAfter: RetryAfter.wait(response) ?? RetryAfter.fallback)
        }
        switch json.resolve(rules.account) {
        case .scalar(let account) where account.identifier != nil: return .well(account: account.identifier.map(AccountID.init))
        case .null: return .well(account: nil)
        case .scalar, .structure, .missing:
            return .ill(
                Failure(.profile, status: response.status, "The answer of the backend's health route does not name the signed-in account."))
        }
    }
}
