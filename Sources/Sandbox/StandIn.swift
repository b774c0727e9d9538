import Foundation

/// A simulated backend: a function of its state, the request and the time. It knows no faults, ledger or network.
package protocol StandIn: Sendable {
    /// The accounts of a request's credentials. Changes nothing.
    func carriedAccounts(in request: SandboxRequest, at now: Date) -> CarriedAccounts

    /// Answers one request. If the request took effect, calls `committed` before the next request is handled.
    func answer(_ request: SandboxRequest, at now: Date, committed: (Commit) -> Void) -> SandboxResponse

    /// Expires every session; `rememberTokens` also expires remember and refresh tokens.
    func expireSessions(rememberTokens: Bool)

    /// This backend's error response; the code, if any, goes in the field that its clients read.
    func errorPage(_ status: Int, code: String?, for request: SandboxRequest) -> SandboxResponse

    /// The 401 response of this backend to the same request without credentials. Changes nothing.
    func denial(of request: SandboxRequest, at now: Date) -> SandboxResponse

    func loginPage(for request: SandboxRequest) -> SandboxResponse

    var settings: JSONObject { get }

    /// Changes settings; if any is invalid, changes none.
    func change(_ settings: JSONObject) throws(FaultProblem)
}

extension StandIn {
    package func denial(of request: SandboxRequest, at now: Date) -> SandboxResponse { errorPage(401, code: nil, for: request) }

    package func loginPage(for request: SandboxRequest) -> SandboxResponse { .html(200, title: "Log in") }

    package var settings: JSONObject { [:] }

    package func change(_ settings: JSONObject) throws(FaultProblem) {
        if let name = settings.keys.min() { throw FaultProblem(description: "this backend has no setting '\(name)': it has no settings") }
    }
}

/// The accounts of the credentials in one request.
package struct CarriedAccounts: Sendable, Equatable {
    /// The user of the session cookie or access token, even after expiry.
    package var session: Int?
    /// The user of the remember token or refresh token.
    package var remembered: Int?
    /// The e-mail address of a sign-in request.
    package var signingIn: String?

    package init(session: Int? = nil, remembered: Int? = nil, signingIn: String? = nil) {
        self.session = session
        self.remembered = remembered
        self.signingIn = signingIn
    }

    /// The user to whom the request is attributed.
    package var account: Int? { session ?? remembered }
}
