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

    /// Entries that failed.
    private var suspects = Suspects()
    /// Entries that were asked for quiet, by 429 or by 503 with Retry-After.
    private var quieted = Suspects()

    /// More than one entry failed since an entry last got through.
    var failsForSeveral: Bool { failing.count > 1 }

    /// So many are enough to tell one from several.
    private static let most = 16

    /// An entry got through.
    mutating func succeed(_ entry: Entry, at now: Date) {
        lastThrough = now
        suspects.succeed(entry)
        quieted.succeed(entry)
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
    mutating func suspect(_ entry: Entry, _ blame: Blame, at now: Date) { suspects.fail(entry, blame, at: now) }

    /// A send was asked for quiet, and `blame` is of it. Rather another entry is the next probe. What got through before this is no contrast to
    /// a later failure any more.
    mutating func quiet(_ entry: Entry, _ blame: Blame, at now: Date) {
        quieted.fail(entry, blame, at: now)
        lastFailed = entry.sequence
        suspects.moveOn(entry, at: now)
    }

    /// Whether the server keeps asking this entry for quiet after each pause. Others of its lane then go first, and show whether it is alone.
    func stepsAside(_ entry: Entry) -> Bool { quieted.times(entry) + 1 >= Self.mostQuiet }

    private static let mostQuiet = 3

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
        // A retry by a person starts over.
        if entry.failedAt != nil, suspects.isSteadilyAlone(entry, lastThrough) { return .entry }
        let othersFail = suspects.othersFail(entry) || !failing.subtracting([entry.sequence]).isEmpty
        let isAlone = entry.failedAt != nil && !othersFail
        return isAlone && policy.countsAlone(entry, now) ? .loneEntry : .backend
    }

    /// Who is meant by a server that asks for quiet: all of its clients, until contrast shows that it is this entry.
    func blameForQuiet(_ entry: Entry) -> Blame { quieted.isSteadilyAlone(entry, lastThrough) ? .entry : .backend }
}

/// Entries that failed in one way, and how the first sends of others have ended since then: a backend that fails at many entries now and then
/// has others get through as well.
private struct Suspects: Sendable {
    private struct Record {
        var last: Date
        var times = 1, through = 0, failed = 0
    }
    private var records: [Int64: Record] = [:]

    private static let most = 256

    mutating func succeed(_ entry: Entry) {
        records[entry.sequence] = nil
        if entry.isFirstSend { for other in records.keys { records[other]?.through += 1 } }
    }

    mutating func fail(_ entry: Entry, _ blame: Blame, at now: Date) {
        if entry.isFirstSend, records[entry.sequence] == nil { for other in records.keys { records[other]?.failed += 1 } }
        guard blame != .entry, records[entry.sequence] != nil else {
            records[entry.sequence] = Record(last: now)
            // Those that have ended otherwise are never heard of again.
            if records.count > Self.most, let oldest = records.keys.min() { records[oldest] = nil }
            return
        }
        records[entry.sequence]?.last = now
        records[entry.sequence]?.times += 1
    }

    mutating func moveOn(_ entry: Entry, at now: Date) { records[entry.sequence]?.last = now }

    func times(_ entry: Entry) -> Int { records[entry.sequence]?.times ?? 0 }

    func othersFail(_ entry: Entry) -> Bool { records[entry.sequence].map { $0.failed > 0 } ?? false }

    /// Whether others got through since then, the latest of them after its last failure, and at most a quarter of them failed.
    func isSteadilyAlone(_ entry: Entry, _ lastThrough: Date?) -> Bool {
        guard let record = records[entry.sequence], let lastThrough else { return false }
        return record.through >= 2 && record.failed * 3 <= record.through && lastThrough > record.last
    }
}

extension Entry {
    /// No send of it has failed before.
    fileprivate var isFirstSend: Bool { failedAt == nil }
}
