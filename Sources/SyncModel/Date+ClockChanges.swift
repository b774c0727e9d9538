import Foundation

/// Comparisons of noted times with a clock that may have been set back since.
extension Date {
    /// True if at least `span` seconds lie between this time and `now`. A time in the future counts by its distance: its age is unknown, and it must
    /// not prolong a wait for ever.
    package func hasAged(_ span: TimeInterval, at now: Date) -> Bool { abs(now.timeIntervalSince(self)) >= span }

    /// True if this end of a wait has passed, or is more than `longest` seconds away: then a clock that was ahead set it.
    package func hasCome(at now: Date, longest: TimeInterval) -> Bool {
        let left = timeIntervalSince(now)
        return left <= 0 || left > longest
    }

    /// Nil if this time is in the future: a clock that was ahead noted it.
    package func unlessAhead(of now: Date) -> Date? { self <= now ? self : nil }
}
