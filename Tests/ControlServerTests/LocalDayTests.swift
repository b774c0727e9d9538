import Foundation
import Testing

@testable import ControlAPI

@Suite struct LocalDayTests {
    private let prague = TimeZone(identifier: "Europe/Prague")

    @Test func beginsAtMidnightOfItsZone() throws {
        let zone = try #require(prague)
        #expect(LocalDay("2025-12-06")?.start(in: zone).map(JSONCoding.text) == "2025-12-05T23:00:00.000Z")
        #expect(LocalDay("2025-12-06")?.start(in: .gmt).map(JSONCoding.text) == "2025-12-06T00:00:00.000Z")
    }

    @Test func beginsLaterWhereTheClocksSkipMidnight() throws {
        let beirut = try #require(TimeZone(identifier: "Asia/Beirut"))
        #expect(LocalDay("2025-03-30")?.start(in: beirut).map(JSONCoding.text) == "2025-03-29T22:00:00.000Z")
    }

    @Test(arguments: ["", "2025-12", "2025-12-6", "2025-13-01", "2025-12-32", "+025-12-06", "2025-12-06T", "２025-12-06"])
    func refusesOtherTexts(text: String) { #expect(LocalDay(text) == nil) }

    @Test func unknownDayHasNoStart() { #expect(LocalDay("2025-02-30")?.start(in: .gmt) == nil && LocalDay("2025-02-30") != nil) }

    @Test func parametersTakeADay() throws {
        let query = try EntryQuery(parameters: ["since": "2025-12-06", "until": "2025-12-07T10:00Z"], body: nil)
        #expect(query.since == LocalDay("2025-12-06")?.start(in: .current))
        let problem = #expect(throws: Problem.self) { try EntryQuery(parameters: ["since": "2025-02-30"], body: nil) }
        #expect(problem?.detail.hasSuffix("set forward over that time.") == true, "\(problem?.detail ?? "")")
    }

    @Test(arguments: ["2016-12-31T23:59:60Z", "2025-12-06T10:00:60", "2025-12-06T10:00:60.5+07:00"])
    func secondSixtyIsAMistake(text: String) {
        #expect(JSONCoding.date(text, in: .gmt) == nil && JSONCoding.mistake(in: text, .gmt).hasSuffix("from 00 to 59."))
    }

    @Test func skippedTimeIsAMistake() throws {
        let zone = try #require(prague)
        #expect(JSONCoding.date("2025-03-30T02:30", in: zone) == nil)
        #expect(JSONCoding.mistake(in: "2025-03-30T02:30", zone).contains("set forward"))
        #expect(JSONCoding.mistake(in: "2025-03-30T03:30", zone).isEmpty && JSONCoding.mistake(in: "soon", zone).isEmpty)
    }
}
