import ControlAPI
import Foundation
import Testing

@testable import homing

@Suite struct TimeArgumentsTests {
    @Test(arguments: [("90s", 90.0), ("30m", 1800), ("2h", 7200), ("1h30m", 5400), ("3D", 259_200), ("1w", 604_800)])
    func parsesLengthsOfTime(text: String, seconds: TimeInterval) {
        #expect(LengthOfTime(argument: text)?.seconds == seconds)
    }

    @Test(arguments: ["", "2", "h", "-2h", "2 h", "2y", "0s", "2.5h", "99999d", "٣h"])
    func refusesInvalidLengthsOfTime(text: String) { #expect(LengthOfTime(argument: text) == nil) }

    /// Relative to 14:15 on 11 March 2025 in Prague.
    @Test(arguments: [
        ("18:00", "2025-03-11T17:00:00.000Z"), ("14:00", "2025-03-12T13:00:00.000Z"), ("2025-03-12", "2025-03-11T23:00:00.000Z"),
        ("2025-03-12 08:30", "2025-03-12T07:30:00.000Z"), ("2025-03-12T08:30", "2025-03-12T07:30:00.000Z"),
        ("2025-03-12T08:30:00Z", "2025-03-12T08:30:00.000Z"), ("2025-03-12T08:30Z", "2025-03-12T08:30:00.000Z"),
        ("2025-03-12T08:30+07:00", "2025-03-12T01:30:00.000Z"), ("2025-03-12T08:30:15", "2025-03-12T07:30:15.000Z"),
        ("2025-3-12 8:30", "2025-03-12T07:30:00.000Z"),
    ])
    func parsesFuturePointsInTime(text: String, expected: String) throws {
        let point = try #require(PointInTime(argument: text))
        #expect(JSONCoding.text(try point.date(after: Sample.now, in: Sample.times.timeZone)) == expected)
    }

    @Test func refusesPastTimesAndInvalidDays() throws {
        for text in ["2025-03-11", "2025-02-30", "2024-12-31 23:59"] {
            let point = try #require(PointInTime(argument: text))
            #expect(throws: Problem.self) { try point.date(after: Sample.now, in: Sample.times.timeZone) }
        }
    }

    /// At 02:00 on 30 March 2025, the clocks in Prague are set forward to 03:00.
    @Test(arguments: ["2025-03-30 02:30", "2025-03-30T02:30", "2025-03-30T02:30:15"])
    func timeThatTheClocksSkipIsRefused(text: String) throws {
        let point = try #require(PointInTime(argument: text))
        let zone = try #require(TimeZone(identifier: "Europe/Prague"))
        let problem = #expect(throws: Problem.self) { try point.date(after: Sample.now, in: zone) }
        #expect(problem?.detail.contains("set forward over that time") == true)
    }

    @Test func dayBeginsWithItsFirstMoment() throws {
        // In Beirut, the clocks are set forward at midnight.
        let zone = try #require(TimeZone(identifier: "Asia/Beirut"))
        let point = try #require(PointInTime(argument: "2025-03-30"))
        #expect(JSONCoding.text(try point.date(after: Sample.now, in: zone)) == "2025-03-29T22:00:00.000Z")
    }

    @Test(arguments: ["2025-03-12T08:30:60", "2025-03-12T08:30:60Z", "2025-03-12 08:30:60"]) func secondSixtyIsRefused(text: String) {
        #expect(PointInTime(argument: text) == nil)
    }

    @Test func pastTimeOfDayIsToday() throws {
        let point = try #require(PointInTime(argument: "08:00"))
        #expect(JSONCoding.text(try point.date(before: Sample.now, in: Sample.times.timeZone)) == "2025-03-11T07:00:00.000Z")
        let midnight = try #require(PointInTime(argument: "00:00"))
        #expect(JSONCoding.text(try midnight.date(before: Sample.now, in: Sample.times.timeZone)) == "2025-03-10T23:00:00.000Z")
    }

    @Test(arguments: ["", "now", "25:00", "12:60", "12", "2025-13-01", "2025-01-01 x", "1999-01-01", "2025-01-01 10:00 11:00", ":"])
    func refusesInvalidPointsInTime(text: String) { #expect(PointInTime(argument: text) == nil) }
}
