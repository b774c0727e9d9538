import Foundation

/// A person's wish that nothing be sent to a backend for a while.
package struct Pause: Hashable, Sendable {
    package var backend: String
    /// In the person's own words; may be empty.
    package var reason: String
    package var since: Date
    /// When it ends by itself; nil where only a person ends it.
    package var until: Date?
    /// Who wished it, as people know them.
    package var by: String

    package init(backend: String, reason: String, since: Date, until: Date?, by: String) {
        self.backend = backend
        self.reason = reason
        self.since = since
        self.until = until
        self.by = by
    }

    package func isOver(at now: Date) -> Bool { until.map { $0 <= now } ?? false }

    /// The same pause, begun now where it seems to begin later: the clock was ahead and has been set right since, and without this the end
    /// would lie as far ahead as the clock did.
    package func corrected(at now: Date) -> Pause {
        guard since > now else { return self }
        var pause = self
        pause.until = until.map { now.addingTimeInterval($0.timeIntervalSince(since)) }
        pause.since = now
        return pause
    }
}
