import SyncModel
import Testing

@testable import Outbox

@Suite struct DelayHistogramTests {
    /// The oracle is a plain sort.
    @Test(arguments: [1, 2, 7, 100, 5000]) func quantilesAreWithinFivePercent(count: Int) throws {
        var generator = SplitMix64(seed: UInt64(count))
        var histogram = DelayHistogram()
        // From a millisecond to a month, evenly on a log scale.
        var delays: [Int64] = []
        for _ in 0..<count {
            let scale = Int64(1) << Int64.random(in: 0...31, using: &generator)
            delays.append(Int64.random(in: scale...2 * scale, using: &generator))
        }
        for delay in delays { histogram.add(ms: delay) }
        let sorted = delays.sorted()
        for share in [0.01, 0.5, 0.95, 1] {
            let rank = max(1, Int((share * Double(count)).rounded(.up)))
            let (expected, found) = (Double(sorted[rank - 1]), Double(try #require(histogram.quantile(share))))
            #expect(abs(found - expected) <= max(1, 0.05 * expected), "\(share): \(found) instead of \(expected)")
        }
    }

    @Test func mergedHistogramsCountLikeOne() {
        var (first, second, both) = (DelayHistogram(), DelayHistogram(), DelayHistogram())
        for delay in [5, 60_000, 3_600_000] as [Int64] {
            first.add(ms: delay)
            second.add(ms: delay * 3)
            both.add(ms: delay)
            both.add(ms: delay * 3)
        }
        first.add(second)
        #expect(first == both && first.count == 6)
    }

    @Test func negativeDelayCountsAsNone() {
        var histogram = DelayHistogram()
        histogram.add(ms: -5)
        histogram.add(ms: 0)
        #expect(histogram.quantile(0.95) == 0 && DelayHistogram().quantile(0.5) == nil)
    }
}
