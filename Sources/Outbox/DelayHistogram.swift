import Foundation

/// How many deliveries took how long, on a log scale: eight buckets for each doubling. A time read from it is within 5 % of the true one, or within a
/// millisecond.
package struct DelayHistogram: Sendable, Equatable {
    /// Numbers of deliveries by bucket. Bucket 0 is below 1 ms; bucket n begins at 2 to the power of (n - 1) / 8 ms.
    package private(set) var counts: [Int: Int]

    package init(counts: [Int: Int] = [:]) { self.counts = counts }

    private static let bucketsPerDoubling = 8.0

    /// - Parameter ms: negative if a clock was wrong; counts as 0.
    package mutating func add(ms: Int64) { counts[Self.bucket(of: ms), default: 0] += 1 }

    package mutating func add(_ other: DelayHistogram) { counts.merge(other.counts, uniquingKeysWith: +) }

    package var count: Int { counts.values.reduce(0, +) }

    /// The time in milliseconds that this share of the deliveries did not exceed; nil without deliveries.
    ///
    /// - Parameter share: from 0 to 1.
    package func quantile(_ share: Double) -> Int64? {
        let rank = max(1, Int((share * Double(count)).rounded(.up)))
        var passed = 0
        for (bucket, number) in counts.sorted(by: { $0.key < $1.key }) {
            passed += number
            if passed >= rank { return Self.middle(of: bucket) }
        }
        return nil
    }

    private static func bucket(of ms: Int64) -> Int { ms < 1 ? 0 : 1 + Int(bucketsPerDoubling * log2(Double(ms))) }

    private static func middle(of bucket: Int) -> Int64 {
        // Beyond `bucket(of:)` of any time only if the store was damaged.
        bucket < 1 ? 0 : Int64(exp2((Double(min(bucket, 500)) - 0.5) / bucketsPerDoubling).rounded())
    }
}
