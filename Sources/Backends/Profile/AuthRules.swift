import Foundation
import JSON
import SyncModel

/// The table `auth`.
package struct AuthRules: Sendable {
    package let scheme: SchemeName
    package let means: SignInMeans
    package let placement: TokenPlacement
    /// Ways to renew an ended session, in order; if all fail, a person must sign in.
    package let renewals: [WayBack]
    /// Renew this many seconds before expiry; at most a fifth of the lifetime.
    package let skew: TimeInterval
    /// Used if the server gives none, in seconds.
    package let lifetime: TimeInterval?
    /// Seconds after which to renew an unused session, so that the server keeps it.
    package let keepalive: TimeInterval?
    package let csrf: CSRFRules?
    /// Nil if people sign in with tokens only.
    package let login: LoginRules?
    package let refresh: RefreshRules?
    package let logout: LogoutRules

    package enum SchemeName: String, CaseIterable { case cookie, bearer }
    package enum WayBack: String, CaseIterable { case refresh, login }

    package var renewsByLogin: Bool { renewals.contains(.login) }

    package enum TokenPlacement: Hashable {
        /// `Authorization: Bearer …` (RFC 6750 2.1).
        case header
        /// A query parameter.
        case query(String)
    }

    /// A token required in every modifying request.
    package struct CSRFRules: Sendable {
        package let request: RequestTemplate
        package let token: JSONPointer
        package let header: String
    }

    package struct LoginRules: Sendable {
        package let request: RequestTemplate
        /// Nil for the scheme cookie.
        package let tokens: TokenRules?
        package let account: [JSONPointer]
        package let email: [JSONPointer]
        /// Present without a token when the account needs a second factor.
        package let secondFactor: [JSONPointer]
    }

    package struct RefreshRules: Sendable {
        package let request: RequestTemplate
        package let tokens: TokenRules
        /// Optional.
        package let account: [JSONPointer]
    }

    package struct TokenRules: Sendable {
        package let access: [JSONPointer]
        package let refresh: [JSONPointer]
        /// Seconds, as a number or as text.
        package let expiresIn: [JSONPointer]
    }

    package struct LogoutRules: Sendable {
        /// Nil when the server is not notified.
        package let request: RequestTemplate?
        /// Ends the sessions of all devices.
        package let requestForAll: RequestTemplate?
        package let keepsOnFailure: Bool
        /// A sign-out that did not reach the server is repeated for a day.
        package let retriesOwed: Bool
        package let outbox: OutboxOnSignOut
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
