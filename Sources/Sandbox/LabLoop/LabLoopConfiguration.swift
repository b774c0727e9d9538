/// What is in an imitated LabLoop when it starts.
package struct LabLoopConfiguration: Sendable {
    /// The forms of an error that its servers and documents have shown.
    package enum ErrorForm: String, Sendable, CaseIterable {
        /// `{success, statusCode, message, error: {code, details}}`, today's server.
        case nested
        /// `{success, error: text, message, code, details, timestamp, request_id}`, the documents.
        case flat
        /// `{success, error: {code, message, user_message, retryable}, timestamp}`, the tests.
        case retryable
    }

    /// Who can sign in.
    package var accounts: [SandboxAccount]
    /// Seconds for which an access token works.
    package var accessLifetime: Int
    /// Seconds for which a refresh token works.
    package var refreshLifetime: Int
    /// The `expiresIn` of every answer where it is not the truth, as on today's server, which always says 3600.
    package var statedLifetime: Int?
    /// How many devices an account has at most.
    package var mostDevices: Int
    /// How many wrong passwords lock an account, for two hours.
    package var mostFailedLogIns: Int
    /// The status with which a locked account is refused: 423 of the older server, 401 of today's.
    package var lockedStatus: Int
    /// How many sign-ins a quarter of an hour sees, 5 on the older server; nil for any number.
    package var mostLogIns: Int?
    /// How errors are written.
    package var errorForm: ErrorForm
    /// Whether the web module's refresh answers with empty `data`, as a serializer without properties in its schema would.
    package var emptiesWebRefresh: Bool

    /// Two accounts, access for a quarter of an hour and refresh for a week.
    package init(
        accounts: [SandboxAccount] = Self.labAccounts, accessLifetime: Int = 900, refreshLifetime: Int = 7 * 24 * 3600,
        statedLifetime: Int? = nil, mostDevices: Int = 5, mostFailedLogIns: Int = 5, lockedStatus: Int = 423, mostLogIns: Int? = nil,
        errorForm: ErrorForm = .nested, emptiesWebRefresh: Bool = false
    ) {
        self.accounts = accounts
        self.accessLifetime = accessLifetime
        self.refreshLifetime = refreshLifetime
        self.statedLifetime = statedLifetime
        self.mostDevices = mostDevices
        self.mostFailedLogIns = mostFailedLogIns
        self.lockedStatus = lockedStatus
        self.mostLogIns = mostLogIns
        self.errorForm = errorForm
        self.emptiesWebRefresh = emptiesWebRefresh
    }

    /// manager@lab.test and other@lab.test, with the identifiers of a document database.
    package static let labAccounts = SandboxAccount.lab("66f0a1b2c3d4e5f600000001", "66f0a1b2c3d4e5f600000002")
}
