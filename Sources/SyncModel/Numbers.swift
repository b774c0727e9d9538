import Foundation

extension FixedWidthInteger {
    /// The nearest number there is, also for an infinity and for one that is out of range; 0 for what is not a number.
    ///
    /// `Int64(_:)` ends the process with such a number, and numbers that come from outside may be any.
    package init(clamping number: Double) {
        guard !number.isNaN else {
            self = 0
            return
        }
        // The greatest number is rounded up on its way to a Double, to one that is out of range.
        self = number >= Double(Self.max) ? .max : number <= Double(Self.min) ? .min : Self(number)
    }

    /// The sum, or the greatest or least number where there is no room for it.
    package func addingClamped(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    /// The product, or the greatest or least number where there is no room for it.
    package func multipliedClamped(by other: Self) -> Self {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) != (other < 0) ? .min : .max) : product
    }
}

extension Duration {
    /// So many seconds, at most 100 years, which the runtime can still sleep for; none for what is below 0 or not a number.
    package init(clampingSeconds seconds: TimeInterval) {
        self = .seconds(seconds > 0 ? min(seconds, 100 * 365.25 * 86_400) : 0)
    }
}

extension Date {
    /// Unix milliseconds, as tables and ids hold times; the greatest or least number where there is no room for them.
    package var ms: Int64 { Int64(clamping: (timeIntervalSince1970 * 1000).rounded()) }
    package init(ms: Int64) { self.init(timeIntervalSince1970: Double(ms) / 1000) }

    /// The time itself where something may have been captured then, from the year 2000 to a day ahead of `now`; otherwise nil.
    package func asCaptureTime(at now: Date) -> Date? {
        // As numbers: a time that is not one counts as later than all others.
        let seconds = timeIntervalSince1970
        return seconds >= Self.firstCapture && seconds <= now.timeIntervalSince1970 + 86_400 ? self : nil
    }

    /// 1 January 2000, UTC.
    private static let firstCapture: TimeInterval = 946_684_800
}
