/// The initial data and settings of a simulated Lists, as its guide describes it.
package struct ListsConfiguration: Sendable {
    /// The error formats; the server switched between them without notice.
    package enum ErrorForm: String, Sendable, CaseIterable {
        /// `{"error": "text"}`
        case text
        /// `{"error": {message, status, timestamp, details}}`
        case object
    }

    package var accounts: [SandboxAccount]
    /// The lifetime of a token in seconds; it cannot be refreshed, and signing out does not invalidate it.
    package var tokenLifetime: Int
    /// The format of all errors except the rate limiter's.
    package var errorForm: ErrorForm
    /// The maximum number of sign-ins per minute; nil for no limit.
    package var mostLogIns: Int?

    package init(
        accounts: [SandboxAccount] = Self.labAccounts, tokenLifetime: Int = 30 * 24 * 3600, errorForm: ErrorForm = .text,
        mostLogIns: Int? = 5
    ) {
        self.accounts = accounts
        self.tokenLifetime = tokenLifetime
        self.errorForm = errorForm
        self.mostLogIns = mostLogIns
    }

    package static let labAccounts = SandboxAccount.lab(
        "5d0c1f6e-0000-4000-8000-000000000001", "5d0c1f6e-0000-4000-8000-000000000002")
}
