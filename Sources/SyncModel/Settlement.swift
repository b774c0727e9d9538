import Foundation

/// What a verdict does to its entry. The outbox writes it in one guarded statement.
package enum Settlement: Hashable, Sendable {
    case delivered(Receipt)
    /// Sent again not before `at`; counts as an attempt.
    case retry(at: Date, Failure)
    /// Handed back, not counted; sent again not before `until`.
    case released(until: Date, Failure)
    /// As `released`, and later entries of its lane go first, where the lane may skip it.
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

/// Whether, and when, a backend may be sent to.
package enum Gate: Hashable, Sendable {
    case open
    /// Nobody is signed in, or the session ended and only a person can renew it.
    case signInRequired
    /// The backend does not answer, or asked for quiet; one probe at `until`.
    case cooling(until: Date, Failure)
    /// A person wants nothing sent until then, or until a person says so where `until` is nil.
    case paused(until: Date?, reason: String)

    /// The word under which the gate is shown.
    package var name: String {
        switch self {
        case .open: "open"
        case .signInRequired: "signInRequired"
        case .cooling: "cooling"
        case .paused: "paused"
        }
    }

    /// Why sending has stopped: the message of the failure, or the reason that was given for the pause.
    package var reason: String? {
        switch self {
        case .cooling(_, let failure): failure.message
        case .paused(_, let reason): reason
        case .open, .signInRequired: nil
        }
    }
}
