import Foundation

extension FixedWidthInteger {
    /// The nearest integer; 0 for NaN. `Int64(_:)` would trap, and external input may be any number.
    package init(clamping number: Double) {
        guard !number.isNaN else {
            self = 0
            return
        }
        // `Double(Self.max)` is rounded up, so it is out of range itself.
        self = number >= Double(Self.max) ? .max : number <= Double(Self.min) ? .min : Self(number)
    }

    package func addingClamped(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    package func multipliedClamped(by other: Self) -> Self {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) != (other < 0) ? .min : .max) : product
    }
}

extension Duration {
    /// At most 100 years, the longest safe sleep; zero for negative numbers and NaN.
    package init(clampingSeconds seconds: TimeInterval) {
        self = .seconds(seconds > 0 ? min(seconds, 100 * 365.25 * 86_400) : 0)
    }
}

extension Date {
    /// Unix milliseconds, clamped.
    package var ms: Int64 { Int64(clamping: (timeIntervalSince1970 * 1000).rounded()) }
    package init(ms: Int64) { self.init(timeIntervalSince1970: Double(ms) / 1000) }

    /// The time, if it is plausible: from the year 2000 to a day after `now`.
    package func asCaptureTime(at now: Date) -> Date? {
        // As a Date, NaN counts as later than all others.
        let seconds = timeIntervalSince1970
        return seconds >= Self.firstCapture && seconds <= now.timeIntervalSince1970 + 86_400 ? self : nil
    }

    /// 1 January 2000, UTC.
    private static let firstCapture: TimeInterval = 946_684_800
}
