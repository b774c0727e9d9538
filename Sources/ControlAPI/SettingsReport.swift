/// The settings that are numbers or truth values. It has no names, addresses or paths, so that it fits into a bug report.
public struct SettingsReport: Codable, Sendable, Equatable {
    /// True if a CA file is set.
    public var caFile = false
    /// True if a proxy is set.
    public var proxy = false
    public var proxyExceptions = 0
    /// True if the drop folder is on.
    public var dropFolder = false
    public var inFlight = 0
    public var attempts = 0
    /// In milliseconds, as all times here.
    public var firstDelay = 0
    public var longestDelay = 0
    public var lookupAfter = 0
    public var firstPause = 0
    public var longestPause = 0
    public var connectTimeout = 0
    public var requestTimeout = 0
    public var exchangeTimeout = 0
    public var keepDelivered = 0
    public var maxBytes = 0
    /// True if a group has this role.
    public var observers = false
    public var operators = false
    public var administrators = false
    /// True if notifications go to a webhook, or by mail.
    public var webhook = false
    public var mail = false
    /// In the order of the status.
    public var backends: [ProfileReport] = []

    public init() {}
}

/// The numbers and truth values of a profile.
public struct ProfileReport: Codable, Sendable, Equatable {
    /// True if requests have a token instead of a cookie.
    public var bearer = false
    /// True if the address begins with https.
    public var https = false
    /// True if there is a health route.
    public var health = false
    public var routes = 0
    public var lists = 0

    public init() {}
}
