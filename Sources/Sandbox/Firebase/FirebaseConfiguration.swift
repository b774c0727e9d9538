/// The initial data and settings of a simulated Firebase project.
package struct FirebaseConfiguration: Sendable {
    /// The `refresh_token` in a response of the token endpoint.
    package enum Renewal: String, Sendable, CaseIterable {
        case same
        /// A new token; the old one stays valid.
        case new
        case none
    }

    package var accounts = Self.labAccounts
    /// The web API key; nil accepts any.
    package var apiKey: String?
    /// The lifetime of an ID token in seconds.
    package var idTokenLifetime = 3600
    /// The lifetime in responses, if it differs from the real one.
    package var statedLifetime: Int?
    package var renewal = Renewal.same
    /// Initially valid refresh tokens, with email addresses.
    package var refreshTokens: [String: String] = [:]

    /// Two accounts and any API key.
    package init(_ adjust: (inout Self) -> Void = { _ in }) { adjust(&self) }

    /// Firebase-style identifiers.
    package static let labAccounts = SandboxAccount.lab("homingLabManager000000000001", "homingLabOther00000000000002")
}
