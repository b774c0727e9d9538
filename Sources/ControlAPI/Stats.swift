import Foundation

public struct StatsQuery: WireRequest {
    /// Nil for a period of 30 days.
    public var since: Date?
    /// Nil for now.
    public var until: Date?
    public var backend: String?

    public init(since: Date? = nil, until: Date? = nil, backend: String? = nil) {
        (self.since, self.until, self.backend) = (since, until, backend)
    }

    public init(parameters: [String: String], body: Data?) throws(Problem) {
        let reader = try ParameterReader(parameters, known: ["since", "until", "backend"])
        self.init(since: try reader.timeOrDay("since"), until: try reader.timeOrDay("until"), backend: reader.text("backend"))
    }

    public var parameters: [String: String] {
        var all: [String: String] = [:]
        all["since"] = since.map(JSONCoding.text)
        all["until"] = until.map(JSONCoding.text)
        all["backend"] = backend
        return all
    }
}

/// Figures of whole days in UTC.
public struct StatsReport: Codable, Sendable, Equatable {
    /// The begin of the first day.
    public var since: Date
    /// The end of the last day, or now.
    public var until: Date
    public var accounts: [AccountStats]
    public var backends: [BackendStats]
    /// Oldest first, without days that have no figures.
    public var days: [DayStats]
    /// Those of the last 48 hours that are in the period, oldest first.
    public var hours: [HourStats]

    public init(
        since: Date, until: Date, accounts: [AccountStats], backends: [BackendStats], days: [DayStats], hours: [HourStats] = []
    ) {
        (self.since, self.until) = (since, until)
        (self.accounts, self.backends, self.days, self.hours) = (accounts, backends, days, hours)
    }
}

/// The figures of one account.
public struct AccountStats: Codable, Sendable, Equatable {
    public var backend: String
    public var account: String
    /// The account's email address, if known.
    public var email: String?
    /// Accepted entries, without those that replaced another one.
    public var captured = 0
    public var delivered = 0
    /// Refusals by reason; an entry that is refused again counts again.
    public var refused: [String: Int] = [:]
    /// Failed sends that counted as attempts.
    public var retried = 0
    /// Entries that a person discarded, without replaced ones. One counts when its discard can no longer be undone.
    public var discarded = 0
    /// The delay from capture to delivery, in milliseconds, within 5 %.
    public var medianDelay: Int64?
    /// The delay within which 95 of 100 deliveries succeeded, in milliseconds; see `medianDelay`.
    public var p95Delay: Int64?
    public var signIns = 0
    public var signOuts = 0

    public init(backend: String, account: String, email: String? = nil) {
        (self.backend, self.account, self.email) = (backend, account, email)
    }
}

/// The figures of one backend that belong to no account.
public struct BackendStats: Codable, Sendable, Equatable {
    public var backend: String
    /// How many began.
    public var outages = 0
    /// How long the backend was unreachable, in milliseconds.
    public var outageTime: Int64 = 0
    /// When the current outage began; nil if there is none.
    public var outageSince: Date?
    public var signInsFailed = 0

    public init(backend: String) { self.backend = backend }
}

/// The figures of one day, of all accounts.
public struct DayStats: Codable, Sendable, Equatable {
    /// In UTC, such as `2025-03-11`.
    public var day: String
    public var captured: Int
    public var delivered: Int
    public var refused: Int
    public var signIns: Int
    public var signOuts: Int
    /// The outage time of all backends together, in milliseconds.
    public var outageTime: Int64

    public init(
        day: String, captured: Int = 0, delivered: Int = 0, refused: Int = 0, signIns: Int = 0, signOuts: Int = 0, outageTime: Int64 = 0
    ) {
        (self.day, self.captured, self.delivered, self.refused) = (day, captured, delivered, refused)
        (self.signIns, self.signOuts, self.outageTime) = (signIns, signOuts, outageTime)
    }
}

/// The figures of one hour, of all accounts.
public struct HourStats: Codable, Sendable, Equatable {
    /// When the hour begins, a full hour in UTC.
    public var hour: Date
    public var captured: Int
    public var delivered: Int
    /// The longest time, in milliseconds, that an entry had waited in this hour; nil if none waited. Counts from when Homing accepted the entry, or a
    /// person tried it again, and without entries that failed, are on hold or were discarded.
    public var longestWait: Int64?

    public init(hour: Date, captured: Int = 0, delivered: Int = 0, longestWait: Int64? = nil) {
        (self.hour, self.captured, self.delivered, self.longestWait) = (hour, captured, delivered, longestWait)
    }
}
