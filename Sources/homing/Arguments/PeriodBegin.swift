import ArgumentParser
import ControlAPI
import Foundation

/// The begin of a period that ends now: how long ago, such as `30d`, or a time, such as `2025-03-11`.
enum PeriodBegin: Equatable {
    case ago(LengthOfTime)
    case at(PointInTime)

    /// Throws an error that names the accepted forms, for a command line.
    static func parse(_ argument: String) throws -> PeriodBegin {
        guard let begin = PeriodBegin(argument: argument) else {
            throw ValidationError(
                """
                expected how long ago, from 1s to ten years, such as 12h, 30d or 12w, or a time since the year 2000, such as 2025-03-11, \
                ‘2025-03-11 14:00’, 2025-03-11T14:00, 2025-03-11T14:00Z or 2025-03-11T21:00:00+07:00.
                """)
        }
        return begin
    }

    init?(argument: String) {
        if let length = LengthOfTime(argument: argument) {
            self = .ago(length)
        } else if let time = PointInTime(argument: argument) {
            self = .at(time)
        } else {
            return nil
        }
    }

    /// Throws if the date does not exist or is in the future.
    func date(_ times: TimeText) throws(Problem) -> Date {
        switch self {
        case .ago(let length): return times.now.addingTimeInterval(-length.seconds)
        case .at(let time):
            let date = try time.date(before: times.now, in: times.timeZone)
            guard date <= times.now else { throw .invalid("That time is in the future.", next: "Give a time in the past.") }
            return date
        }
    }

    /// The first day of a period in whole days: 30 days include today.
    func firstDay(_ times: TimeText) throws(Problem) -> Date {
        guard case .ago(let length) = self else { return try date(times) }
        return times.now.addingTimeInterval(-max(0, length.seconds - 86_400))
    }

    /// 30 days before now.
    static func standard(_ times: TimeText) -> Date { times.now.addingTimeInterval(-30 * 86_400) }
}
