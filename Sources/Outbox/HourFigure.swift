/// The figures of one hour in UTC.
package struct HourFigure: Sendable, Equatable {
    /// Since 1970.
    package let hour: Int64
    package var captured = 0
    package var delivered = 0
    /// The longest time, in milliseconds, that an entry had waited in this hour; nil if none waited.
    package var longestWait: Int64?

    package static let msPerHour: Int64 = 3_600_000

    /// - Parameter ms: a Unix time.
    package static func hour(ofMs ms: Int64) -> Int64 { (ms - ((ms % msPerHour) + msPerHour) % msPerHour) / msPerHour }
}

/// Finds the longest wait in each hour. Pure. Times are Unix milliseconds.
struct HourWaits {
    /// By hour, of the entries delivered in it: when the first of them began to wait, and the longest of their waits.
    var ended: [Int64: (first: Int64, longest: Int64)] = [:]
    /// When the first of the entries that wait beyond the last hour began to wait.
    var beyond: Int64?

    /// By hour, without hours in which nothing waited.
    func longest(in hours: ClosedRange<Int64>, at now: Int64) -> [Int64: Int64] {
        var longest: [Int64: Int64] = [:]
        var first = beyond
        for hour in hours.reversed() {
            let end = min(now, (hour + 1) * HourFigure.msPerHour)
            var wait = ended[hour]?.longest
            if let first, first < end { wait = max(wait ?? 0, end - first) }
            if let wait { longest[hour] = max(0, wait) }
            if let began = ended[hour]?.first { first = min(first ?? began, began) }
        }
        return longest
    }
}
