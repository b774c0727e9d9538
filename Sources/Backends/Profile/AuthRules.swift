import Foundation
import JSON
import SyncModel

/// The table `auth`.
struct AuthRules: Sendable {
    let scheme: SchemeName
    let means: SignInMeans
    let placement: TokenPlacement
    /// Ways to renew an ended session, in order; if all fail, a person must sign in.
    let renewals: [WayBack]
    /// Renew this many seconds before expiry; at most a fifth of the lifetime.
    let skew: TimeInterval
    /// Used if the server gives none, in seconds.
    let lifetime: TimeInterval?
    /// Renew an unused session after this time, in seconds, so that the server keeps it.
    let keepalive: TimeInterval?
    let csrf: CSRFRules?
    /// Nil if people sign in with tokens only.
    let login: LoginRules?
    let refresh: RefreshRules?
    let logout: LogoutRules

    enum SchemeName: String, CaseIterable { case cookie, bearer }
    enum WayBack: String, CaseIterable { case refresh, login }

    var renewsByLogin: Bool { renewals.contains(.login) }

    enum TokenPlacement: Hashable {
        /// `Authorization: Bearer …` (RFC 6750 2.1).
        case header
        /// A query parameter.
        case query(String)
    }

    /// A token required in every modifying request.
    struct CSRFRules: Sendable {
        let request: RequestTemplate
        let token: JSONPointer
        let header: String
    }

    struct LoginRules: Sendable {
        let request: RequestTemplate
        /// Nil for the scheme cookie.
        let tokens: TokenRules?
        let account: [JSONPointer]
        let email: [JSONPointer]
        /// Present without a token when the account needs a second factor.
        let secondFactor: [JSONPointer]
    }

    struct RefreshRules: Sendable {
        let request: RequestTemplate
        let tokens: TokenRules
        /// Optional.
        let account: [JSONPointer]
    }

    struct TokenRules: Sendable {
        let access: [JSONPointer]
        let refresh: [JSONPointer]
        /// Seconds, as a number or as text.
        let expiresIn: [JSONPointer]
    }

    struct LogoutRules: Sendable {
        /// Nil when the server is not notified.
        let request: RequestTemplate?
        /// Ends the sessions of all devices.
        let requestForAll: RequestTemplate?
        let keepsOnFailure: Bool
        let outbox: OutboxOnSignOut
    }
}

package enum SignInMeans: String, Sendable, CaseIterable {
    case password
    /// The result of a sign-in at another service.
    case refreshToken = "refresh_token"
    /// A fixed token, such as an API key.
    case token
}

package enum OutboxOnSignOut: String, Sendable, CaseIterable {
    /// Wait until the account signs in again.
    case hold
    /// Discard if the caller is an administrator; otherwise `hold`.
    case drop
    /// Signing out fails while there are any.
    case refuse
}
