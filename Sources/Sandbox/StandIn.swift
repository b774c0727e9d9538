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

    /// The answer with which this backend reports an error; the code, if there is one, stands where its clients look for it.
    func errorPage(_ status: Int, code: String?, for request: SandboxRequest) -> SandboxResponse

    /// What this backend says to the same request from nobody, with status 401 and without any effect.
    func denial(of request: SandboxRequest, at now: Date) -> SandboxResponse

    /// The page on which a person would sign in.
    func loginPage(for request: SandboxRequest) -> SandboxResponse

    /// What about this backend can be changed while it runs, with its present values.
    var settings: JSONObject { get }

    /// Changes some of the settings, or none where one of them is not understood.
    func change(_ settings: JSONObject) throws(FaultProblem)
}

extension StandIn {
    package func denial(of request: SandboxRequest, at now: Date) -> SandboxResponse { errorPage(401, code: nil, for: request) }

    package func loginPage(for request: SandboxRequest) -> SandboxResponse { .html(200, title: "Log in") }

    package var settings: JSONObject { [:] }

    package func change(_ settings: JSONObject) throws(FaultProblem) {
        if let name = settings.keys.min() { throw FaultProblem(description: "this backend has no setting '\(name)': it has none") }
    }
}

/// The accounts whose credentials one request carried.
package struct CarriedAccounts: Sendable, Equatable {
    /// The user of the session cookie or access token, also when it has expired.
    package var session: Int?
    /// The user of the remember token or refresh token.
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
