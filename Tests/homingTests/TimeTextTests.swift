import Foundation
import Testing

@testable import homing

@Suite struct TimeTextTests {
    private static let hour: Double = 3600
    private static let told: [(Double, String)] = [
        (0, "less than a minute ago (14:15)"), (59, "less than a minute ago (14:14)"), (60, "1 minute ago (14:14)"),
        (600, "10 minutes ago (14:05)"), (hour, "1 hour ago (13:15)"), (20 * hour, "20 hours ago (10 Mar 18:15)"),
        (48 * hour, "2 days ago (9 Mar 14:15)"), (2400 * hour, "100 days ago (1 Dec 2024 14:15)"),
        (-30, "in less than a minute (14:15)"), (-120, "in 2 minutes (14:17)"), (-10 * hour, "in 10 hours (12 Mar 00:15)"),
    ]

    @Test(arguments: told)
    func formatsRelativeTimes(secondsAgo: Double, text: String) {
        #expect(Sample.times.relative(Sample.now.addingTimeInterval(-secondsAgo)) == text)
    }

    /// The clock of `now` may be some milliseconds behind the time that has just come.
    @Test(arguments: [(0.4, "now"), (0, "now"), (-600, "now"), (0.6, "in less than a minute (14:15)"), (120, "in 2 minutes (14:17)")])
    func nextStepIsNeverInThePast(seconds: Double, text: String) {
        #expect(Sample.times.next(Sample.now.addingTimeInterval(seconds)) == text)
    }

    @Test func clockUsesTimeZone() {
        let utc = TimeText(now: Sample.now, timeZone: .gmt)
        #expect(utc.clock(Sample.now) == "13:15")
        #expect(utc.precise(Sample.now.addingTimeInterval(-86400 + 7)) == "10 Mar 13:15:07")
    }

    @Test func theDayChangesAtMidnightOfTheTimeZone() {
        let midnight = Sample.now.addingTimeInterval(-(14 * 3600 + 15 * 60))
        #expect(Sample.times.clock(midnight) == "00:00")
        #expect(Sample.times.clock(midnight.addingTimeInterval(-1)) == "10 Mar 23:59")
    }
}
