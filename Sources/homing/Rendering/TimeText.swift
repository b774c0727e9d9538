import Foundation
import SyncModel

/// Times for people, relative to `now`.
struct TimeText: Sendable {
    let now: Date
    let timeZone: TimeZone

    /// `3 minutes ago (14:05)`, `in 2 hours (16:10)`; with a date if not today: `20 hours ago (11 Mar 18:05)`.
    func relative(_ date: Date) -> String { "\(distance(date)) (\(clock(date)))" }

    /// `14:05` today, `11 Mar 14:05` this year, otherwise `11 Mar 2024 14:05`.
    func clock(_ date: Date) -> String { day(date) + time(date) }

    func precise(_ date: Date) -> String {
        day(date) + time(date) + ":" + Self.twoDigits(calendar.component(.second, from: date))
    }

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

    private func day(_ date: Date) -> String {
        if calendar.isDate(date, inSameDayAs: now) { return "" }
        let parts = calendar.dateComponents([.year, .month, .day], from: date)
        guard let year = parts.year, let month = parts.month, let day = parts.day else { return "" }
        let sameYear = year == calendar.component(.year, from: now)
        return "\(day) \(Self.months[month - 1]) \(sameYear ? "" : "\(year) ")"
    }

    private func time(_ date: Date) -> String {
        let parts = calendar.dateComponents([.hour, .minute], from: date)
        return "\(Self.twoDigits(parts.hour ?? 0)):\(Self.twoDigits(parts.minute ?? 0))"
    }

    private var calendar: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        return calendar
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
