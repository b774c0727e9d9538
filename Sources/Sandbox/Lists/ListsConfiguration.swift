/// What is in an imitated Lists, as its guide describes it, when it starts.
package struct ListsConfiguration: Sendable {
    /// The forms of an error: its server changed from one to the other without notice.
    package enum ErrorForm: String, Sendable, CaseIterable {
        /// `{"error": "text"}`
        case text
        /// `{"error": {message, status, timestamp, details}}`
        case object
    }

    /// Who can sign in.
    package var accounts: [SandboxAccount]
    /// Seconds for which a token works; there is no refresh, and signing out does not end one.
    package var tokenLifetime: Int
    /// How errors are written, but for those of the rate limiter.
    package var errorForm: ErrorForm
    /// How many sign-ins a minute sees; nil for any number.
    package var mostLogIns: Int?

    /// Two accounts, and tokens for thirty days.
    package init(
        accounts: [SandboxAccount] = Self.labAccounts, tokenLifetime: Int = 30 * 24 * 3600, errorForm: ErrorForm = .text,
        mostLogIns: Int? = 5
    ) {
        self.accounts = accounts
        self.tokenLifetime = tokenLifetime
        self.errorForm = errorForm
        self.mostLogIns = mostLogIns
    }

    /// manager@lab.test and other@lab.test.
    package static let labAccounts = SandboxAccount.lab(
        "5d0c1f6e-0000-4000-8000-000000000001", "5d0c1f6e-0000-4000-8000-000000000002")
}
