import Foundation
import Outbox
import SyncModel

/// The state of one resource in `RosterState`.
struct RosterResource: Sendable {
    let maxAge: TimeInterval
    /// The list for whose rows this one is read.
    let parent: String?
    /// Its rows are stored, all or some.
    private(set) var isStored = false
    /// This list has caused a read of its parent since it was last seen whole.
    var hasDoubtedParent = false
    /// Callers that wait for a read to begin.
    var asked: [UUID] = []
    /// Deliveries since the last read began; nil for none.
    var touch: Touch?
    /// Why the last read failed; nil if it succeeded.
    private(set) var failure: Failure?
    private(set) var failingSince: Date?
    /// Nil if it was never read, or never seen whole.
    private var readAt: Date?
    /// A part of `maxAge`, so that many devices do not return together.
    private var jitter = 0.0
    private var restsUntil: Date?

    struct Touch: Sendable, Equatable {
        var first, last: Date

        /// Collects the deliveries of a busy time, but not for ever.
        var due: Date { min(last.addingTimeInterval(RosterResource.calm), first.addingTimeInterval(RosterResource.patience)) }
    }

    /// Seconds after the last and the first delivery.
    static let calm: TimeInterval = 5
    static let patience: TimeInterval = 60
    /// The shortest and the longest rest between two reads, in seconds.
    static let shortestRest: TimeInterval = 30
    static let longestRest: TimeInterval = 86_400

    init(maxAge: TimeInterval, parent: String? = nil) { (self.maxAge, self.parent) = (maxAge, parent) }

    mutating func know(_ head: RosterHead, using generator: inout some RandomNumberGenerator) {
        isStored = true
        // A union of different passes, or a contradiction, is not kept until it is old.
        let isUnsettled = head.incomplete?.isUnsettled == true
        readAt = isUnsettled ? nil : head.readAt
        if !isUnsettled { hasDoubtedParent = false }
        jitter = Double.random(in: 0...0.1, using: &generator)
        (failure, failingSince) = (nil, nil)
    }

    /// The stored list was deleted.
    mutating func lose() { isStored = false }

    /// Each row may cost the server a lot, so long reads are rare. After a short one that failed, only the backoff counts, which a new
    /// network ends.
    mutating func rest(after took: Duration, hasFailed: Bool, at now: Date) {
        let rest = min(Self.longestRest, 10 * took.seconds)
        if !hasFailed || rest > Self.shortestRest { restsUntil = now.addingTimeInterval(max(Self.shortestRest, rest)) }
    }

    mutating func fail(_ failure: Failure, at now: Date) {
        self.failure = failure
        failingSince = failingSince ?? now
    }

    /// The next read shows the deliveries that a failed one missed.
    mutating func miss(_ missed: Touch?) {
        if let missed { touch = Touch(first: missed.first, last: touch?.last ?? missed.last) }
    }

    /// Until when no read is due; nil if one is. Ignores times in the future, from a clock that was ahead.
    func wait(at now: Date) -> Date? {
        let rest = restsUntil.flatMap { $0.hasCome(at: now, longest: Self.longestRest) ? nil : $0 }
        guard let aged = agesAt(now), !isTouched(now) else { return rest }
        return [rest, [aged, touch?.due].compactMap(\.self).min()].compactMap(\.self).max()
    }

    /// The urgency: smaller is more urgent, and 0 is for a list that a caller waits for.
    func rank(at now: Date) -> (Int, Date) {
        if isTouched(now) { return (1, now) }
        return readAt.map { (3, $0.addingTimeInterval(maxAge)) } ?? (2, now)
    }

    private func isTouched(_ now: Date) -> Bool { touch?.due.hasCome(at: now, longest: Self.patience) ?? false }

    /// When the stored list gets too old; nil if it is, or was never read.
    private func agesAt(_ now: Date) -> Date? {
        guard let readAt = readAt?.unlessAhead(of: now) else { return nil }
        let date = readAt.addingTimeInterval(maxAge * (1 + jitter))
        return date > now ? date : nil
    }
}
