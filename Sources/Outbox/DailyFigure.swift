/// The figures of one day in UTC, for one account of a backend, or for a backend as a whole.
package struct DailyFigure: Sendable, Equatable {
    package var captured = 0
    package var delivered = 0
    /// Refusals by `Failure.Reason`; an entry that is tried again and refused again counts again.
    package var refused: [String: Int] = [:]
    /// Failed sends that counted as attempts.
    package var retried = 0
    /// Entries that a person discarded or replaced, from when it can no longer be undone.
    package var discarded = 0
    /// From capture to delivery.
    package var delays = DelayHistogram()
    package var signedIn = 0
    package var signedOut = 0
    /// Counted for the backend alone: the account of a failed sign-in is not known.
    package var signInsFailed = 0
    /// The backend's outages that began on this day.
    package var outages = 0
    /// How long the backend was unreachable on this day, in milliseconds.
    package var outageTime: Int64 = 0

    package init() {}

    package mutating func add(_ other: DailyFigure) {
        captured += other.captured
        delivered += other.delivered
        refused.merge(other.refused, uniquingKeysWith: +)
        retried += other.retried
        discarded += other.discarded
        delays.add(other.delays)
        signedIn += other.signedIn
        signedOut += other.signedOut
        signInsFailed += other.signInsFailed
        outages += other.outages
        outageTime += other.outageTime
    }
}

/// The account, backend and day that a `DailyFigure` counts.
package struct FigureKey: Sendable, Hashable {
    /// Since 1970, in UTC.
    package let day: Int64
    package let backend: String
    /// Empty for the backend as a whole.
    package let account: String

    package init(day: Int64, backend: String, account: String = "") { (self.day, self.backend, self.account) = (day, backend, account) }

    package static let msPerDay: Int64 = 86_400_000

    /// - Parameter ms: a Unix time.
    package static func day(ofMs ms: Int64) -> Int64 { (ms - ((ms % msPerDay) + msPerDay) % msPerDay) / msPerDay }
}
