import Foundation

/// One backend that the sandbox can stand in for: a function of its own state, the request and the time.
///
/// Faults, the ledger and the network are not its business.
package protocol StandIn: Sendable {
    /// Whose credentials a request carries, without any effect on them.
    func carriedAccounts(in request: SandboxRequest, at now: Date) -> CarriedAccounts

    /// Answers one request; calls `committed` before it lets the next request in when the request took effect.
    func answer(_ request: SandboxRequest, at now: Date, committed: (Commit) -> Void) -> SandboxResponse

    /// Ends every session that exists now; with `rememberTokens` also what would open a new one without a password.
    func expireSessions(rememberTokens: Bool)

    /// The page with which this backend reports a failure of its own.
    func errorPage(_ status: Int, for request: SandboxRequest) -> SandboxResponse

    /// The page on which a person would sign in.
    func loginPage(for request: SandboxRequest) -> SandboxResponse
}

/// The accounts whose credentials one request carried.
package struct CarriedAccounts: Sendable, Equatable {
    /// The user of the session cookie, also when the session is idle for too long.
    package var session: Int?
    /// The user of the remember token.
    package var remembered: Int?
    /// The e-mail of a request that signs in.
    package var signingIn: String?

    package init(session: Int? = nil, remembered: Int? = nil, signingIn: String? = nil) {
        self.session = session
        self.remembered = remembered
        self.signingIn = signingIn
    }

    /// The user in whose name the request speaks.
    package var account: Int? { session ?? remembered }
}
