import Foundation

/// Formats times for people: `15:20` today, else `22 Nov 15:20`, with the year if it differs.
package struct Moment: Sendable {
    package let now: Date
    package let timeZone: TimeZone

    package init(now: Date, timeZone: TimeZone = .current) {
        self.now = now
        self.timeZone = timeZone
    }

    package func text(_ date: Date) -> String {
        let parts = calendar.dateComponents([.year, .hour, .minute], from: date)
        let time = Self.twoDigits(parts.hour ?? 0) + ":" + Self.twoDigits(parts.minute ?? 0)
        if calendar.isDate(date, inSameDayAs: now) { return time }
        let isThisYear = parts.year == calendar.component(.year, from: now)
        return "\(day(date)) \(isThisYear ? "" : "\(parts.year ?? 0) ")\(time)"
    }

    /// `22 Nov`.
    package func day(_ date: Date) -> String {
        let parts = calendar.dateComponents([.month, .day], from: date)
        return "\(parts.day ?? 0) \(Self.months[((parts.month ?? 1) - 1) % 12])"
    }

    /// The date in the form of `text`, with seconds.
    package func precise(_ date: Date) -> String { text(date) + ":" + Self.twoDigits(calendar.component(.second, from: date)) }

    /// `3 minutes ago`, or `in 2 hours`.
    package func distance(_ date: Date) -> String {
        let seconds = now.timeIntervalSince(date).rounded()
        // In this order, `min` ignores NaN.
        let count = Int(min(1e15, seconds.magnitude))
        let length =
            switch count {
            case ..<60: "less than a minute"
            case ..<3600: Self.length(count / 60, "minute")
            case ..<(48 * 3600): Self.length(count / 3600, "hour")
            default: Self.length(count / 86400, "day")
            }
        return seconds >= 0 ? "\(length) ago" : "in \(length)"
    }

    private static func length(_ number: Int, _ unit: String) -> String { "\(number) \(unit)\(number == 1 ? "" : "s")" }

    private var calendar: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        return calendar
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
