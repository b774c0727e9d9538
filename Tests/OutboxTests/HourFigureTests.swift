import Testing

@testable import Outbox

@Suite struct HourFigureTests {
    private static let hour = HourFigure.msPerHour

    @Test(arguments: [(0, 0), (3_599_999, 0), (3_600_000, 1), (-1, -1), (-3_600_000, -1)] as [(Int64, Int64)])
    func hoursBeginOnTheHour(ms: Int64, hour: Int64) { #expect(HourFigure.hour(ofMs: ms) == hour) }

    @Test func waitGrowsUntilTheDelivery() {
        let waits = HourWaits(ended: [2: (first: Self.hour / 2, longest: 2 * Self.hour)])
        let longest = waits.longest(in: 0...3, at: 4 * Self.hour)
        #expect(longest == [0: Self.hour / 2, 1: 3 * Self.hour / 2, 2: 2 * Self.hour])
    }

    @Test func entryThatStillWaitsCountsUpToNow() {
        let waits = HourWaits(beyond: Self.hour + 5)
        #expect(waits.longest(in: 0...2, at: 2 * Self.hour + 105) == [1: Self.hour - 5, 2: Self.hour + 100])
    }

    @Test func longestOfSeveralWaitsCounts() {
        let waits = HourWaits(ended: [1: (first: 10, longest: Self.hour), 2: (first: 20, longest: 30)], beyond: 2 * Self.hour)
        let longest = waits.longest(in: 0...2, at: 3 * Self.hour)
        #expect(longest == [0: Self.hour - 10, 1: 2 * Self.hour - 20, 2: Self.hour])
    }

    @Test func clockSetBackMakesNoNegativeWait() {
        #expect(HourWaits(ended: [0: (first: 50, longest: -20)]).longest(in: 0...0, at: 10) == [0: 0])
    }

    @Test func nothingWaitedWithoutEntries() { #expect(HourWaits().longest(in: 0...47, at: 48 * Self.hour).isEmpty) }
}
