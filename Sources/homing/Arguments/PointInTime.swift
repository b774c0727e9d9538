import ArgumentParser
import ControlAPI
import Foundation

/// A time such as `18:00`, `2025-03-11` or `2025-03-11 14:00`, or in a form of the API.
enum PointInTime: Equatable {
    case clock(hour: Int, minute: Int)
    case day(year: Int, month: Int, day: Int, hour: Int, minute: Int)
    case local(LocalTime)
    case exact(Date)

    /// Throws an error that names the accepted forms, for a command line.
    static func parse(_ argument: String) throws -> PointInTime {
        guard let time = PointInTime(argument: argument) else {
            throw ValidationError(
                """
                expected a time since the year 2000, such as 18:00, 2025-03-11, ‘2025-03-11 14:00’, 2025-03-11T14:00, 2025-03-11T14:00Z or \
                2025-03-11T21:00:00+07:00.
                """)
        }
        return time
    }

    init?(argument: String) {
        if let time = LocalTime(argument), time.year >= 2000 {
            self = .local(time)
            return
        }
        if let date = JSONCoding.date(argument) {
            self = .exact(date)
            return
        }
        let parts = argument.split(separator: argument.contains("T") ? "T" : " ").map(String.init)
        switch parts.count {
        case 1 where argument.contains(":"):
            guard let (hour, minute) = Self.clock(argument) else { return nil }
            self = .clock(hour: hour, minute: minute)
        case 1, 2:
            let day = parts[0].split(separator: "-").map { Int($0) }
            guard let (hour, minute) = parts.count == 2 ? Self.clock(parts[1]) : (0, 0), day.count == 3, let year = day[0],
                let month = day[1],
                let number = day[2], (2000...9999).contains(year), (1...12).contains(month), (1...31).contains(number)
            else { return nil }
            self = .day(year: year, month: month, day: number, hour: hour, minute: minute)
        default: return nil
        }
    }

    private static var noSuchTime: Problem {
        .invalid("That time does not exist. \(JSONCoding.noSuchTime)", next: "Check the date and the time.")
    }

    private static func clock(_ text: String) -> (Int, Int)? {
        let parts = text.split(separator: ":").map { Int($0) }
        guard parts.count == 2, let hour = parts[0], let minute = parts[1], (0...23).contains(hour), (0...59).contains(minute) else {
            return nil
        }
        return (hour, minute)
    }

    /// A time of day is its next occurrence. Throws if the date is in the past or does not exist.
    func date(after now: Date, in timeZone: TimeZone) throws(Problem) -> Date {
        guard let date = date(in: timeZone, after: now) else { throw Self.noSuchTime }
        guard date > now else { throw .invalid("That time is in the past.", next: "Give a time in the future.") }
        return date
    }

    /// A time of day is its next occurrence after `now`. Nil if the date does not exist.
    private func date(in timeZone: TimeZone, after now: Date) -> Date? {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        switch self {
        case .exact(let date): return date
        case .local(let time): return time.date(in: timeZone)
        case .clock(let hour, let minute):
            return calendar.nextDate(after: now, matching: DateComponents(hour: hour, minute: minute), matchingPolicy: .nextTime)
        case .day(let year, let month, let day, 0, 0): return LocalDay(year: year, month: month, day: day)?.start(in: timeZone)
        case .day(let year, let month, let day, let hour, let minute):
            let text = String(format: "%04d-%02d-%02dT%02d:%02d", year, month, day, hour, minute)
            return LocalTime(text)?.date(in: timeZone)
        }
    }

    /// A time of day is today's. Throws if the date does not exist.
    func date(before now: Date, in timeZone: TimeZone) throws(Problem) -> Date {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let start = calendar.startOfDay(for: now).addingTimeInterval(-1)
        guard let date = date(in: timeZone, after: start) else { throw Self.noSuchTime }
        return date
    }
}
