import Foundation
import JSON
import SyncModel

/// How a backend wants to know who we are: the table `auth`.
struct AuthRules: Sendable {
    let scheme: SchemeName
    /// By what people sign in, where it is for a person to say how.
    let means: SignInMeans
    let placement: TokenPlacement
    /// What a session that ended is renewed by, in this order; where all of it fails a person has to sign in.
    let renewals: [WayBack]
    /// How long before its end a token is renewed, at most, in seconds; never more than a fifth of its life.
    let skew: TimeInterval
    /// How long a token holds where nobody says, in seconds.
    let lifetime: TimeInterval?
    /// After so many seconds without one, a session that nobody uses is renewed, lest the server forget it.
    let keepalive: TimeInterval?
    let csrf: CSRFRules?
    /// Nil where a person brings a token that does not change.
    let login: LoginRules?
    let refresh: RefreshRules?
    let logout: LogoutRules

    enum SchemeName: String, CaseIterable { case cookie, bearer }
    enum WayBack: String, CaseIterable { case refresh, login }

    /// Whether a session that ended may be renewed with a kept password.
    var renewsByLogin: Bool { renewals.contains(.login) }

    /// Where a token goes.
    enum TokenPlacement: Hashable {
        /// `Authorization: Bearer …` (RFC 6750 2.1).
        case header
        /// A parameter of the address.
        case query(String)
    }

    /// A token that the server wants back with every request that changes something.
    struct CSRFRules: Sendable {
        let request: RequestTemplate
        let token: JSONPointer
        let header: String
    }

    struct LoginRules: Sendable {
        let request: RequestTemplate
        /// Nil for the scheme cookie.
        let tokens: TokenRules?
        /// Where the answer names the account.
        let account: [JSONPointer]
        /// Where the answer repeats the e-mail address.
        let email: [JSONPointer]
        /// What an answer without a token holds where the account needs a second factor.
        let secondFactor: [JSONPointer]
    }

    struct RefreshRules: Sendable {
        let request: RequestTemplate
        let tokens: TokenRules
        /// Where the answer names the account, if it does.
        let account: [JSONPointer]
    }

    /// Where an answer holds tokens.
    struct TokenRules: Sendable {
        let access: [JSONPointer]
        let refresh: [JSONPointer]
        /// Seconds, as a number or as text.
        let expiresIn: [JSONPointer]
    }

    struct LogoutRules: Sendable {
        /// Nil where the server is not told.
        let request: RequestTemplate?
        /// The same with the body that ends every device's session; nil where that is not offered.
        let requestForAll: RequestTemplate?
        let keepsOnFailure: Bool
        let outbox: OutboxOnSignOut
    }
}

/// By what people sign in at a backend.
package enum SignInMeans: String, Sendable, CaseIterable {
    case password
    /// People sign in elsewhere, and hand in what came of it.
    case refreshToken = "refresh_token"
    /// One that does not change: an API key.
    case token
}

/// What a profile wants done with a person's entries when they sign out.
package enum OutboxOnSignOut: String, Sendable, CaseIterable {
    /// They wait until the person is back.
    case hold
    /// They are destroyed for ever where whoever asks for the sign-out may administer; else they wait as with `hold`.
    case drop
    /// Signing out is refused while there are any.
    case refuse
}
