import Foundation

/// A person's request to send nothing to a backend.
package struct Pause: Hashable, Sendable {
    package var backend: String
    /// May be empty.
    package var reason: String
    package var since: Date
    /// Nil if only a person can end it.
    package var until: Date?
    /// The person's name.
    package var by: String

    /// `by` of a pause after `homingd restore`.
    package static let restore = "homingd restore"

    /// `by` of a pause after an older copy of the store was put in its place.
    package static let olderCopy = "homingd"

    package init(backend: String, reason: String, since: Date, until: Date?, by: String) {
        self.backend = backend
        self.reason = reason
        self.since = since
        self.until = until
        self.by = by
    }

    package func isOver(at now: Date) -> Bool { until.map { $0 <= now } ?? false }

    /// The pause with a start in the future set to now: the clock was corrected, and the end would be too late.
    package func corrected(at now: Date) -> Pause {
        guard since > now else { return self }
        var pause = self
        pause.until = until.map { now.addingTimeInterval($0.timeIntervalSince(since)) }
        pause.since = now
        return pause
    }
}
