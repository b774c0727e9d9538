import Foundation
import SyncModel

/// A way of proving to a backend who we are. It holds no state: credentials come in and go out as values.
protocol Scheme: Sendable {
    /// Adds to a request for the backend's own origin what proves who we are.
    func authorize(_ request: inout OutboundRequest, with credentials: Credentials)

    /// Takes over what the backend's answer to `request` renews; true where that changed anything.
    func absorb(_ response: InboundResponse, to request: OutboundRequest, into credentials: inout Credentials) -> Bool

    /// Proves from nothing who somebody is, and that the backend agrees on it.
    ///
    /// - Parameter keep: gets what a refresh token was exchanged for, before anything else is asked by it.
    func signIn(
        _ way: WayIn, over transport: any Transport, keep: @Sendable (Tokens) async throws(AuthenticationError) -> Void
    ) async throws(AuthenticationError) -> (Account, Credentials)

    /// Renews the session of `account` without its password.
    ///
    /// - Parameter mayAskAgain: whether a request whose answer was lost may be sent once more; asked when that has happened.
    func renew(
        _ credentials: Credentials, of account: Account?, over transport: any Transport, mayAskAgain: @Sendable () async -> Bool
    ) async -> Renewal

    /// Tells the server that these credentials are to end; nil where it calls them unauthorised.
    func signOut(_ credentials: Credentials, allDevices: Bool, over transport: any Transport) async -> SignOutOutcome.Server?
}

/// By what somebody signs in.
package enum WayIn: Hashable, Sendable {
    case password(email: String, Secret)
    /// For a backend at which people sign in with somebody else's account; `label` is the name by which people know theirs.
    case refreshToken(Secret, label: String?)
    /// A token that does not change: an API key.
    case accessToken(Secret, label: String?)

    /// Whether it can be sent: a token has to fit into a header (RFC 9110 5.5).
    package var canBeSent: Bool {
        switch self {
        case .password: true
        case .refreshToken(let token, _), .accessToken(let token, _): token.revealed.isFieldValue
        }
    }
}

/// What asking for a renewal came to.
enum Renewal {
    case renewed(Credentials)
    /// The backend takes these credentials no more, in an answer that the profile declares to mean that; in a sentence that goes on after "because".
    case ended(String)
    /// There is nothing to renew these credentials by.
    case impossible
    /// It takes them for another account's.
    case foreign
    /// Nobody knows; nobody is signed out by it. The failure's outcome is unknown where the token may have been turned over; with a date, the
    /// backend asks for nothing more before then.
    case unavailable(Failure, until: Date? = nil)
}
