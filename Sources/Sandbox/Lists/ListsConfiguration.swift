/// A simulated Lists, as its guide describes it.
package struct ListsConfiguration: Sendable {
    /// The error formats; the server switched between them without notice.
    package enum ErrorForm: String, Sendable, CaseIterable {
        /// `{"error": "text"}`
        case text
        /// `{"error": {message, status, timestamp, details}}`
        case object
    }

    package var accounts = Self.labAccounts
    /// The lifetime of a token in seconds; it cannot be refreshed, and signing out does not invalidate it.
    package var tokenLifetime = 30 * 24 * 3600
    /// The format of all errors except the rate limiter's.
    package var errorForm = ErrorForm.text
    /// The maximum number of sign-ins per minute; nil for no limit.
    package var mostLogIns: Int? = 5

    package init(_ adjust: (inout Self) -> Void = { _ in }) { adjust(&self) }

    package static let labAccounts = SandboxAccount.lab("5d0c1f6e-0000-4000-8000-000000000001", "5d0c1f6e-0000-4000-8000-000000000002")
}

/// The initial data and settings of a simulated Lists of 2026.
package struct Lists2026Configuration: Sendable {
    package enum Limits: Sendable { case real, none }

    package var accounts = ListsConfiguration.labAccounts
    /// The lifetime of an access token in seconds.
    package var accessLifetime = 3600
    /// The lifetime of a refresh token in seconds.
    package var refreshLifetime = 30 * 24 * 3600
    /// Seconds in which a used refresh token fails without revoking its family.
    package var grace = 10
    /// The rate limits.
    package var limits = Limits.real

    package init(_ adjust: (inout Self) -> Void = { _ in }) { adjust(&self) }
}
