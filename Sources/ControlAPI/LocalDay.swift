import Foundation

/// A date without a time of day, such as `2025-03-11`.
package struct LocalDay: Sendable, Equatable {
    private let year, month, day: Int

    /// Nil if `text` is none.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let digits = parts.map(\.utf8.count)
        guard digits == [4, 2, 2], parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// Nil if no year has such a day.
    package init?(year: Int, month: Int, day: Int) {
        guard (1...12).contains(month), (1...31).contains(day) else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// The first moment of the day, which is later than 00:00 where the clocks are set forward at midnight. Nil if there is no such day.
    package func start(in timeZone: TimeZone) -> Date? {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let noon = DateComponents(year: year, month: month, day: day, hour: 12)
        guard noon.isValidDate(in: calendar), let date = calendar.date(from: noon) else { return nil }
        return calendar.startOfDay(for: date)
    }
}
