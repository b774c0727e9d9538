/// The initial data and settings of a simulated LabLoop.
package struct LabLoopConfiguration: Sendable {
    /// The error formats of LabLoop's servers, documentation and tests.
    package enum ErrorForm: String, Sendable, CaseIterable {
        /// `{success, statusCode, message, error: {code, details}}`: the current server.
        case nested
        /// `{success, error: text, message, code, details, timestamp, request_id}`: the documentation.
        case flat
        /// `{success, error: {code, message, user_message, retryable}, timestamp}`: the tests.
        case retryable
    }

    package var accounts = Self.labAccounts
    /// The lifetime of an access token in seconds.
    package var accessLifetime = 900
    /// The lifetime of a refresh token in seconds.
    package var refreshLifetime = 7 * 24 * 3600
    /// The `expiresIn` of every response if it differs from the real lifetime; the current server always says 3600.
    package var statedLifetime: Int?
    /// The status for a locked account: 423 on the older server, 401 on the current one.
    package var lockedStatus = 423
    /// The limit in 15 minutes; 5 on the older server, nil for none.
    package var mostLogIns: Int?
    package var errorForm = ErrorForm.nested
    /// Empties the web refresh's `data`, as a serializer without properties in its schema does.
    package var emptiesWebRefresh = false

    /// Two accounts.
    package init(_ adjust: (inout Self) -> Void = { _ in }) { adjust(&self) }

    /// Identifiers of a document database.
    package static let labAccounts = SandboxAccount.lab("66f0a1b2c3d4e5f600000001", "66f0a1b2c3d4e5f600000002")
}
