import Backends
import Foundation
import SyncModel

/// An authentication scheme, without state.
protocol Scheme: Sendable {
    /// Adds credentials to a request; called only for the backend's own origin.
    func authorize(_ request: inout OutboundRequest, with credentials: Credentials)

    /// Applies renewed credentials; true on a change.
    func absorb(_ response: InboundResponse, to request: OutboundRequest, into credentials: inout Credentials) -> Bool

    /// Signs in and confirms the account. `keep` stores the exchanged tokens before they are used.
    func signIn(
        _ method: SignInMethod, over transport: any Transport, keep: @Sendable (Tokens) async throws(SignInError) -> Void
    ) async throws(SignInError) -> (Account, Credentials)

    /// Exchanges the refresh token of `account`'s session; with cookies, asks the health route instead. `mayAskAgain` is called after a
    /// lost answer, and permits one repetition.
    func refresh(
        _ credentials: Credentials, of account: Account?, over transport: any Transport, mayAskAgain: @Sendable () async -> Bool
    ) async -> RefreshAnswer

    /// Ends the session at the server; nil if the server calls the credentials unauthorised.
    func signOut(_ credentials: Credentials, allDevices: Bool, over transport: any Transport) async -> SignOutOutcome.Server?
}

enum RefreshAnswer {
    case renewed(Credentials)
    /// The backend still takes the cookies. Absorb the answer, which may set new ones.
    case confirmed(InboundResponse, to: OutboundRequest)
    /// The backend refused the credentials as the profile declares. The text continues a sentence after "because".
    case ended(String)
    /// There is nothing to refresh with.
    case impossible
    /// The backend assigns the credentials to another account.
    case foreign
    /// Unclear, so the account stays signed in, and the token may have been rotated. Send nothing before `until`.
    case unavailable(Failure, until: Date? = nil)
}
