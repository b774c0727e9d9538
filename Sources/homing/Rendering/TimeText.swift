import ControlAPI
import Foundation
import SyncModel

/// Times for people, relative to `now`.
struct TimeText: Sendable {
    let now: Date
    let timeZone: TimeZone

    /// `3 minutes ago (14:05)`, `in 2 hours (16:10)`; with a date if not today: `20 hours ago (11 Mar 18:05)`.
    func relative(_ date: Date) -> String { "\(distance(date)) (\(clock(date)))" }

    /// `14:05` today, `11 Mar 14:05` this year, otherwise `11 Mar 2024 14:05`.
    func clock(_ date: Date) -> String { moment.text(date) }

    func precise(_ date: Date) -> String { moment.precise(date) }

    private func distance(_ date: Date) -> String {
        let seconds = Int(clamping: now.timeIntervalSince(date).rounded())
        let count = Int(clamping: seconds.magnitude)
        let length =
            switch count {
            case ..<60: "less than a minute"
            case ..<3600: Words.count(count / 60, "minute", "minutes")
            case ..<(48 * 3600): Words.count(count / 3600, "hour", "hours")
            default: Words.count(count / 86400, "day", "days")
            }
        return seconds >= 0 ? "\(length) ago" : "in \(length)"
    }

    private var moment: Moment { Moment(now: now, timeZone: timeZone) }
}
