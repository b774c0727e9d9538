import Foundation

/// A time of each day, which may pass midnight, such as `22:00-07:00`.
package struct QuietHours: Equatable, Sendable {
    /// In minutes since midnight; `end` is not part of it.
    private let start, end: Int

    /// The form in the configuration, such as `22:00-07:00`.
    package var text: String { "\(Self.text(start))-\(Self.text(end))" }

    private static func text(_ minutes: Int) -> String {
        [minutes / 60, minutes % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    /// Nil for other text, and for two equal times.
    package init?(_ text: String) {
        guard let match = text.wholeMatch(of: /(\d\d):(\d\d)-(\d\d):(\d\d)/) else { return nil }
        let numbers = [match.1, match.2, match.3, match.4].compactMap { Int($0) }
        guard numbers.count == 4, numbers[0] < 24, numbers[1] < 60, numbers[2] < 24, numbers[3] < 60 else { return nil }
        (start, end) = (numbers[0] * 60 + numbers[1], numbers[2] * 60 + numbers[3])
        guard start != end else { return nil }
    }

    package func contain(_ date: Date, in zone: TimeZone) -> Bool {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let time = calendar.dateComponents([.hour, .minute], from: date)
        let minute = (time.hour ?? 0) * 60 + (time.minute ?? 0)
        return start < end ? (start..<end).contains(minute) : minute >= start || minute < end
    }
}
