import Backends
import Crypto
import Foundation
import Outbox
import SyncModel

package enum SignInMethod: Hashable, Sendable {
    case password(email: String, Secret)
    /// `label` is the name people use for the account.
    case refreshToken(Secret, label: String?)
    /// A fixed token, such as an API key.
    case accessToken(Secret, label: String?)

    /// False for a token that does not fit into a header (RFC 9110 5.5).
    package var canBeSent: Bool {
        switch self {
        case .password: true
        case .refreshToken(let token, _), .accessToken(let token, _): token.revealed.isFieldValue
        }
    }

    /// Identifies a submitted refresh token.
    var digest: String? {
        guard case .refreshToken(let token, _) = self else { return nil }
        return SHA256.hash(data: Data(token.revealed.utf8)).map { String(format: "%02x", $0) }.joined()
    }

    /// The name by which people know the account; nil if only the backend knows it.
    var label: String? {
        switch self {
        case .password(let email, _): email
        case .refreshToken(_, let label), .accessToken(_, let label): label
        }
    }
}

/// A sign-in that the server has accepted, and that is not stored yet.
struct AcceptedSignIn: Sendable {
    /// The account under the backend's id.
    let account: Account
    let credentials: Credentials
    let method: SignInMethod
    /// The person allows it, and so does the profile.
    let keepsPassword: Bool
}

/// Why a sign-in failed. Everything is as it was.
package enum SignInError: Error, Equatable, Sendable {
    /// The server refused the credentials as the profile declares. The text is the server's.
    case refused(String)
    /// The refusal is not declared, so it may be a gateway's.
    case undeclared(Failure)
    /// The account is locked for a while, in the server's words; a further try may prolong the lock.
    case locked(String)
    /// The account needs a second factor, which Homing cannot provide.
    case secondFactor
    /// The server accepted the sign-in with a useless answer.
    case misbehaved(String)
    /// Try again later.
    case unavailable(Failure)
    /// This backend has no such sign-in method.
    case unsupported(String)
    /// The backend does not name a token's account, and the caller gave no name.
    case unnamed
    /// The name given with a token is another account's.
    case labelTaken(String)
    /// This account is signed in, and has to sign out first.
    case conflict(Account)
    case signingOut
    /// The session could not be stored, so it does not count.
    case unsaved(OutboxError)
}
