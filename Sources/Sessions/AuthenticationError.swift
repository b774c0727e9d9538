import Foundation
import Outbox
import SyncModel

/// Why there is no session.
package enum AuthenticationError: Error, Equatable, Sendable {
    /// Only a person can go on.
    case signInRequired(reason: String)
    /// Try again later; the account stays signed in.
    case unavailable(Failure)
    /// The session is not renewed before then.
    case tooSoon(until: Date, Failure)
    /// The profile declares that this answer refuses the credentials. In the server's words.
    case refused(String)
    /// The profile does not declare this refusal: it may be a gateway's, and the account stays signed in.
    case undeclared(Failure)
    /// The account is locked for a while, in the server's words: a further try may prolong it.
    case locked(String)
    /// The account needs a second factor, which Homing cannot provide.
    case secondFactor
    /// The server accepted the sign-in, and its answer is of no use.
    case misbehaved(String)
    /// This backend has no such sign-in method.
    case unsupported(String)
    case signingOut
    /// This account is signed in, and has to sign out first.
    case conflict(Account)
    /// The name given with a token is another account's.
    case labelTaken(String)
    /// The backend does not name a token's account, and it came without a name.
    case unnamed
    /// The session could not be stored, so it does not count.
    case unsaved(OutboxError)

    /// The caller was cancelled; the work goes on.
    static let cancelled = AuthenticationError.unavailable(Failure(.stopping, "The request was cancelled before the backend answered."))
}
