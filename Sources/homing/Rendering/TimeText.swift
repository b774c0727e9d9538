import ControlAPI
import Foundation

/// Times for people, relative to `now`.
struct TimeText: Sendable {
    let now: Date
    let timeZone: TimeZone

    /// `3 minutes ago (14:05)`, `in 2 hours (16:10)`; if not today, `20 hours ago (11 Mar 18:05)`.
    func relative(_ date: Date) -> String { "\(moment.distance(date)) (\(clock(date)))" }

    /// The time of a next step; `now` once it has come.
    func next(_ date: Date) -> String { date.timeIntervalSince(now).rounded() > 0 ? relative(date) : "now" }

    /// `14:05` today, `11 Mar 14:05` this year, otherwise `11 Mar 2024 14:05`.
    func clock(_ date: Date) -> String { moment.text(date) }

    func precise(_ date: Date) -> String { moment.precise(date) }

    private var moment: Moment { Moment(now: now, timeZone: timeZone) }
}
