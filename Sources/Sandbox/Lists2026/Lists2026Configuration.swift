/// The initial data and settings of a simulated Lists of 2026.
package struct Lists2026Configuration: Sendable {
    /// The maximum numbers of requests per minute; nil for no limit.
    package struct Limits: Sendable, Equatable {
        package var logIns: Int?
        package var refreshes: Int?
        package var requests: Int?
        package var requestsOfAnAccount: Int?
        package var writesOfAnAccount: Int?

        package init(
            logIns: Int? = 5, refreshes: Int? = 10, requests: Int? = 100, requestsOfAnAccount: Int? = 300, writesOfAnAccount: Int? = 60
        ) {
            self.logIns = logIns
            self.refreshes = refreshes
            self.requests = requests
            self.requestsOfAnAccount = requestsOfAnAccount
            self.writesOfAnAccount = writesOfAnAccount
        }

        package static let none = Limits(logIns: nil, refreshes: nil, requests: nil, requestsOfAnAccount: nil, writesOfAnAccount: nil)
    }

    package var accounts: [SandboxAccount]
    /// The lifetime of an access token in seconds.
    package var accessLifetime: Int
    /// The lifetime of a refresh token in seconds.
    package var refreshLifetime: Int
    /// Seconds in which a used refresh token may be sent again: the request fails, but its family stays valid.
    package var grace: Int
    package var limits: Limits

    /// Two accounts and the limits of the real server.
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
