/// What is in an imitated Firebase project when it starts.
package struct FirebaseConfiguration: Sendable {
    /// What the token endpoint answers in `refresh_token`.
    package enum Renewal: String, Sendable, CaseIterable {
        /// The token that was sent.
        case same
        /// A new one, while the old one goes on working.
        case new
        /// Nothing.
        case none
    }

    /// Who can sign in.
    package var accounts: [SandboxAccount]
    /// The identifier of the project.
    package var project: String
    /// The web API key; nil takes any.
    package var apiKey: String?
    /// Seconds for which an ID token works.
    package var idTokenLifetime: Int
    /// What the answers say of that, where it is not the truth.
    package var statedLifetime: Int?
    /// What becomes of a refresh token that is used.
    package var renewal: Renewal
    /// Refresh tokens that work from the start, with the e-mail of their accounts: for clients that import one.
    package var refreshTokens: [String: String]

    /// Two accounts, any API key, and ID tokens for an hour.
    package init(
        accounts: [SandboxAccount] = Self.labAccounts, project: String = "homing-lab", apiKey: String? = nil, idTokenLifetime: Int = 3600,
        statedLifetime: Int? = nil, renewal: Renewal = .same, refreshTokens: [String: String] = [:]
    ) {
        self.accounts = accounts
        self.project = project
        self.apiKey = apiKey
        self.idTokenLifetime = idTokenLifetime
        self.statedLifetime = statedLifetime
        self.renewal = renewal
        self.refreshTokens = refreshTokens
    }

    /// manager@lab.test and other@lab.test, with the identifiers of Firebase.
    package static let labAccounts = SandboxAccount.lab("homingLabManager000000000001", "homingLabOther00000000000002")
}
