import Foundation
import SyncModel

/// What the dispatcher knows of one route of a backend: whether entries get through, and whom to blame where they do not.
struct RouteState: Sendable {
    var breaker = CircuitBreaker()
    /// The backend was found reachable since the breaker went half-open, so that an entry may be the probe.
    var isCleared = false
    /// When an entry last got through.
    private(set) var lastThrough: Date?
    /// Entries that failed since, up to `most` of them.
    private var failing: Set<Int64> = []
    /// The last of them: rather another one is the next probe.
    private(set) var lastFailed: Int64?
    /// What was last told of it.
    var shownGate: RouteGate?

    /// Entries that failed, and how the first sends of other entries have ended since then: a backend that fails at many entries now and then
    /// has others get through as well.
    private var suspects: [Int64: (through: Int, failed: Int)] = [:]

    /// More than one entry failed since an entry last got through.
    var failsForSeveral: Bool { failing.count > 1 }

    /// So many are enough to tell one from several.
    private static let most = 16

    /// An entry got through.
    mutating func succeed(_ entry: Entry, at now: Date) {
        lastThrough = now
        suspects[entry.sequence] = nil
        if entry.isFirstSend { for suspect in suspects.keys { suspects[suspect]?.through += 1 } }
        works()
    }

    /// The backend dealt with an entry of the route, whatever became of that.
    mutating func works() {
        failing = []
        lastFailed = nil
        isCleared = false
        breaker.succeed()
    }

    mutating func fail(_ sequence: Int64) {
        if failing.count < Self.most { failing.insert(sequence) }
        lastFailed = sequence
    }

    /// A send failed, and `blame` is of it.
    mutating func suspect(_ entry: Entry, _ blame: Blame) {
        if entry.isFirstSend { for suspect in suspects.keys where suspect != entry.sequence { suspects[suspect]?.failed += 1 } }
        guard blame == .entry || suspects[entry.sequence] == nil else { return }
        suspects[entry.sequence] = (0, 0)
        // Those that have ended otherwise are never heard of again.
        if suspects.count > Self.mostSuspects, let oldest = suspects.keys.min() { suspects[oldest] = nil }
    }

    private static let mostSuspects = 256

    mutating func trip(_ failure: Failure, policy: CircuitBreaker.Policy, now: Date, using generator: inout some RandomNumberGenerator) {
        isCleared = false
        breaker.trip(failure, policy: policy, now: now, using: &generator)
    }

    /// A success whose time lies ahead was noted by a clock that was: once that time comes, it would pass for one after later failures.
    mutating func forgetSuccess(ahead now: Date) { if let lastThrough, lastThrough > now { self.lastThrough = nil } }

    /// Whether another entry got through since then.
    func hasSucceeded(since date: Date?) -> Bool {
        guard let lastThrough, let date else { return false }
        // But for the millisecond to which the outbox rounds.
        return lastThrough.timeIntervalSince(date) > 0.001
    }

    func blame(_ entry: Entry, _ policy: RetryPolicy, _ now: Date) -> Blame {
        if let others = suspects[entry.sequence], others.through >= 2, others.failed * 3 <= others.through,
            hasSucceeded(since: entry.failedAt)
        {
            return .entry
        }
        let othersFail = (suspects[entry.sequence]?.failed ?? 0) > 0 || !failing.subtracting([entry.sequence]).isEmpty
        let isAlone = entry.failedAt != nil && !othersFail
        return isAlone && policy.countsAlone(entry, now) ? .loneEntry : .backend
    }
}

extension Entry {
    /// No send of it has failed before.
    fileprivate var isFirstSend: Bool { failedAt == nil }
}
