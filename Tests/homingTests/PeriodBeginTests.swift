import ControlAPI
import Foundation
import Testing

@testable import homing

@Suite struct PeriodBeginTests {
    private let times = TimeText(now: Sample.now, timeZone: .gmt)

    @Test(arguments: [("30d", 29.0), ("1d", 0), ("12h", 0), ("2w", 13)]) func figuresHaveAsManyDaysAsThePeriod(text: String, days: Double)
        throws
    {
        let begin = try #require(PeriodBegin(argument: text))
        #expect(try begin.firstDay(times) == Sample.now.addingTimeInterval(-days * 86_400))
    }

    @Test func figuresBeginOnTheGivenDay() throws {
        let begin = try #require(PeriodBegin(argument: "2025-03-01"))
        #expect(try begin.firstDay(times) == begin.date(times))
    }
}
