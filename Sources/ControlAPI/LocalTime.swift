import Foundation

/// A date with a time of day but without an offset, such as `2025-03-11T14:00`; seconds may follow.
package struct LocalTime: Sendable, Equatable {
    package let year: Int
    private let month: Int
    private let day: Int
    private let hour: Int
    private let minute: Int
    /// With a fraction, to the millisecond.
    private let second: Double

    /// Nil if `text` is none.
    package init?(_ text: String) {
        let halves = text.split(omittingEmptySubsequences: false) { $0 == "T" || $0 == " " }
        guard halves.count == 2 else { return nil }
        let day = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        let time = halves[1].split(separator: ":", omittingEmptySubsequences: false)
        guard day.count == 3, let year = Self.number(day[0], digits: 4), let month = Self.number(day[1], digits: 2),
            let date = Self.number(day[2], digits: 2), (1...12).contains(month), (1...31).contains(date)
        else { return nil }
        guard (2...3).contains(time.count), let hour = Self.number(time[0], digits: 2), let minute = Self.number(time[1], digits: 2),
            let second = time.count == 3 ? Self.seconds(time[2]) : 0, hour < 24, minute < 60, second < 60
        else { return nil }
        (self.year, self.month, self.day) = (year, month, date)
        (self.hour, self.minute, self.second) = (hour, minute, second)
    }

    /// Nil if that zone has no such time.
    package func date(in timeZone: TimeZone) -> Date? {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let parts = DateComponents(year: year, month: month, day: day, hour: hour, minute: minute)
        // Foundation moves a time that the clocks skip.
        guard parts.isValidDate(in: calendar), let date = calendar.date(from: parts),
            calendar.dateComponents([.hour, .minute], from: date) == DateComponents(hour: hour, minute: minute)
        else { return nil }
        return date.addingTimeInterval(second)
    }

    private static func number(_ text: Substring, digits: Int) -> Int? {
        text.utf8.count == digits && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }

    private static func seconds(_ text: Substring) -> Double? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let whole = number(parts[0], digits: 2) else { return nil }
        guard parts.count == 2 else { return Double(whole) }
        guard (1...9).contains(parts[1].utf8.count), number(parts[1], digits: parts[1].utf8.count) != nil,
            let exact = Double("\(whole).\(parts[1])")
        else { return nil }
        return (exact * 1000).rounded() / 1000
    }
}
