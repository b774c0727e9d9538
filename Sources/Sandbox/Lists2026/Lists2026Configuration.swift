/// What is in an imitated Lists of 2026 when it starts.
package struct Lists2026Configuration: Sendable {
    /// How many requests a minute sees; nil for any number.
    package struct Limits: Sendable, Equatable {
        package var logIns: Int?
        package var refreshes: Int?
        package var requests: Int?
        package var requestsOfAnAccount: Int?
        package var writesOfAnAccount: Int?

        /// The limits of the real server.
        package init(
            logIns: Int? = 5, refreshes: Int? = 10, requests: Int? = 100, requestsOfAnAccount: Int? = 300, writesOfAnAccount: Int? = 60
        ) {
            self.logIns = logIns
            self.refreshes = refreshes
            self.requests = requests
            self.requestsOfAnAccount = requestsOfAnAccount
            self.writesOfAnAccount = writesOfAnAccount
        }

        /// Any number of everything.
        package static let none = Limits(logIns: nil, refreshes: nil, requests: nil, requestsOfAnAccount: nil, writesOfAnAccount: nil)
    }

    /// Who can sign in.
    package var accounts: [SandboxAccount]
    /// Seconds for which an access token works.
    package var accessLifetime: Int
    /// Seconds for which a refresh token works.
    package var refreshLifetime: Int
    /// Seconds for which a refresh token may be sent again without harm: it gets no tokens, and its family lives.
    package var grace: Int
    /// How many requests a minute sees.
    package var limits: Limits

    /// Two accounts, access for an hour, refresh for thirty days, a grace of ten seconds and the limits of the real server.
    package init(
        accounts: [SandboxAccount] = ListsConfiguration.labAccounts, accessLifetime: Int = 3600, refreshLifetime: Int = 30 * 24 * 3600,
        grace: Int = 10, limits: Limits = Limits()
    ) {
        self.accounts = accounts
        self.accessLifetime = accessLifetime
        self.refreshLifetime = refreshLifetime
        self.grace = grace
        self.limits = limits
    }
}
