import SyncModel

/// A way of proving to a backend who we are. It holds no state: credentials come in and go out as values.
protocol Scheme: Sendable {
    /// Adds to a request for the backend's own origin what proves who we are.
    func authorize(_ request: inout OutboundRequest, with credentials: Credentials)

    /// Takes over what an answer of the backend renews; true where that changed anything.
    func absorb(_ response: InboundResponse, into credentials: inout Credentials) -> Bool

    /// Proves from nothing who somebody is, and that the backend agrees on it.
    func signIn(email: String, password: Secret, over transport: any Transport) async throws(AuthenticationError) -> (Account, Credentials)

    /// Asks whom the backend takes the bearer of these credentials for: the account's id, nil for nobody; and the credentials, renewed.
    func identify(_ credentials: Credentials, over transport: any Transport) async throws(AuthenticationError) -> (String?, Credentials)

    /// Tells the server that these credentials are to end.
    func signOut(_ credentials: Credentials, allDevices: Bool, over transport: any Transport) async -> SignOutOutcome.Server
}
