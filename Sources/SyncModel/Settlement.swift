import Foundation

/// The effect of a verdict on its entry.
package enum Settlement: Hashable, Sendable {
    case delivered(Receipt)
    /// Counts as an attempt; not sent before `at`.
    case retry(at: Date, Failure)
    /// Not counted; not sent before `until`.
    case released(until: Date, Failure)
    /// Like `released`, but later entries go first if the lane may skip.
    case aside(until: Date, Failure)
    case held(HoldReason, Failure)
    case dead(Failure)

    package var failure: Failure? {
        switch self {
        case .delivered: nil
        case .retry(_, let failure), .released(_, let failure), .aside(_, let failure), .held(_, let failure), .dead(let failure): failure
        }
    }
}

package enum Gate: Hashable, Sendable {
    case open
    /// Signed out, or only a person can renew the session.
    case signInRequired
    /// Unreachable, or a pause requested by the server; one probe follows at `until`.
    case cooling(until: Date, Failure)
    /// Nil until a person resumes.
    case paused(until: Date?, reason: String)

    package var name: String {
        switch self {
        case .open: "open"
        case .signInRequired: "signInRequired"
        case .cooling: "cooling"
        case .paused: "paused"
        }
    }

    package var reason: String? {
        switch self {
        case .cooling(_, let failure): failure.message
        case .paused(_, let reason): reason
        case .open, .signInRequired: nil
        }
    }

    /// Removes the server's words like `Failure.withoutWords`.
    package func withoutWords(at backend: String) -> Gate {
        guard case .cooling(let until, let failure) = self else { return self }
        return .cooling(until: until, failure.withoutWords(at: backend))
    }
}
