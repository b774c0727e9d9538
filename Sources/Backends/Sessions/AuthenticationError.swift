import Foundation
import SyncModel
import Vault

/// Why there is no session.
package enum AuthenticationError: Error, Hashable, Sendable {
    /// Only a person can go on.
    case signInRequired(reason: String)
    /// To be tried later; nobody is signed out by it.
    case unavailable(Failure)
    /// The session is not to be renewed before then: the kept password rests, or whoever renews it does.
    case tooSoon(until: Date, Failure)
    /// The server's words about the person who tried to sign in, in an answer that the profile declares to refuse credentials.
    case refused(String)
    /// The server refused the sign-in, in an answer that the profile does not declare: it may be a gateway's, and nobody is signed out by it.
    case undeclared(Failure)
    /// The server's words about an account that it has locked for a while: a further try may prolong it.
    case locked(String)
    /// The account needs a second factor, which nobody can give here.
    case secondFactor
    /// The server said yes and did not mean it.
    case misbehaved(String)
    /// This backend has no such way in.
    case unsupported(String)
    case signingOut
    /// Somebody else is signed in, and has to sign out first.
    case conflict(Account)
    /// The name given with a token is another account's.
    case labelTaken(String)
    /// The backend does not say whose the token is, and it came without a name.
    case unnamed
    /// The session could not be stored, so it does not count.
    case unsaved(VaultError)

    /// Whoever waited was called off; what they waited for goes on.
    static let leftWaiting = AuthenticationError.unavailable(Failure(.stopping, "It was called off before the backend had answered."))
}
