import Foundation

/// Comparisons of stored times with a clock that may have been set back.
extension Date {
    /// True if at least `span` seconds lie between this time and `now`. A time in the future counts by its distance: its age is unknown,
    /// and it must not prolong a wait for ever.
    package func hasAged(_ span: TimeInterval, at now: Date) -> Bool { abs(now.timeIntervalSince(self)) >= span }

    /// True if this end of a wait has passed, or is more than `longest` seconds away, and so was set by a clock that was ahead.
    package func hasCome(at now: Date, longest: TimeInterval) -> Bool {
        let left = timeIntervalSince(now)
        return left <= 0 || left > longest
    }

    /// The time; nil if it is in the future, written by a clock that was ahead.
    package func unlessAhead(of now: Date) -> Date? { self <= now ? self : nil }
}
