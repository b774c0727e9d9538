import Foundation
import SyncModel

/// The state of one route, and the blame for its failures. See BlameByContrast.
struct RouteState: Sendable {
    var breaker = CircuitBreaker()
    /// The backend's probe succeeded after the breaker became half-open, so an entry may be the next probe.
    var isCleared = false
    /// A fault of the network is over, and no entry is due that could prove the route.
    var isBackOnline = false
    /// The last successful send.
    private(set) var lastThrough: Date?
    /// Entries that failed since, at most `most`.
    private var failing: Set<Int64> = []
    /// The next probe prefers another entry.
    private(set) var lastFailed: Int64?
    var shownGate: RouteGate?

    private var suspects = Suspects()
    /// Entries answered with 429, or with 503 and Retry-After.
    private var throttled = Suspects()

    var failsForSeveral: Bool { failing.count > 1 }

    private static let most = 16

    mutating func succeed(_ entry: Entry, at now: Date) {
        lastThrough = now
        suspects.succeed(entry)
        throttled.succeed(entry)
        works()
    }

    /// The backend processed an entry, with any result.
    mutating func works() {
        failing = []
        lastFailed = nil
        isCleared = false
        breaker.succeed()
    }

    /// A look-up found an entry that had failed: its send worked, and only the answer was lost. After a server error, the pause stays.
    mutating func found(_ entry: Entry) {
        guard breaker.failure?.status == nil, failing.remove(entry.sequence) != nil else { return }
        breaker.succeed()
    }

    /// A login page came back, or one answer was lost.
    var mayBlameNetwork: Bool {
        switch breaker.failure?.reason {
        case .intercepted: true
        case .lostAnswer: !failsForSeveral
        default: false
        }
    }

    mutating func fail(_ sequence: Int64) {
        if failing.count < Self.most { failing.insert(sequence) }
        lastFailed = sequence
    }

    mutating func suspect(_ entry: Entry, _ blame: Blame, at now: Date) { suspects.fail(entry, blame, at: now) }

    /// The next probe prefers another entry; earlier successes are no contrast to later failures.
    mutating func throttle(_ entry: Entry, _ blame: Blame, at now: Date) {
        throttled.fail(entry, blame, at: now)
        lastFailed = entry.sequence
        suspects.moveOn(entry, at: now)
    }

    /// True when sends of this entry keep failing, or the server keeps throttling it. If they may, others of its lane go first and provide contrast.
    func stepsAside(_ entry: Entry, isThrottled: Bool) -> Bool {
        (isThrottled ? throttled : suspects).times(entry) + 1 >= Self.mostFailures
    }

    private static let mostFailures = 3

    mutating func trip(_ failure: Failure, policy: CircuitBreaker.Policy, now: Date, using generator: inout some RandomNumberGenerator) {
        isCleared = false
        isBackOnline = false
        breaker.trip(failure, sends: true, policy: policy, now: now, using: &generator)
    }

    /// Forgets a success in the future, which would later seem newer than a failure.
    mutating func forgetSuccess(ahead now: Date) { lastThrough = lastThrough?.unlessAhead(of: now) }

    func hasSucceeded(since date: Date?) -> Bool {
        guard let lastThrough, let date else { return false }
        // The outbox rounds times to milliseconds.
        return lastThrough.timeIntervalSince(date) > 0.001
    }

    func blame(_ entry: Entry, _ policy: RetryPolicy, _ now: Date) -> Blame {
        // A retry by a person clears `failedAt`.
        if entry.failedAt != nil, suspects.isSteadilyAlone(entry, lastThrough) { return .entry }
        let othersFail = suspects.othersFail(entry) || !failing.subtracting([entry.sequence]).isEmpty
        let isAlone = entry.failedAt != nil && !othersFail
        return isAlone && policy.countsAlone(entry, now) ? .loneEntry : .backend
    }

    /// Throttling applies to all clients, until contrast shows that it applies to this entry.
    func blameForPause(_ entry: Entry) -> Blame { throttled.isSteadilyAlone(entry, lastThrough) ? .entry : .backend }
}

extension RouteState {
    var began: Date { breaker.began ?? .distantPast }

    var gate: RouteGate? {
        if isBackOnline { return nil }
        switch breaker.state {
        case .closed: return nil
        case .open(let until, let failure, _), .halfOpen(let until, let failure):
            return RouteGate(since: began, until: until, failure: failure, entry: failing.count == 1 ? failing.first : nil)
        }
    }
}

/// Why and until when one route is suspended.
package struct RouteGate: Sendable, Equatable {
    /// Start of the current run of failures.
    package var since: Date
    package var until: Date
    package var failure: Failure
    /// The sequence of the only entry that failed since a success; nil for several.
    package var entry: Int64?

    package init(since: Date, until: Date, failure: Failure, entry: Int64? = nil) {
        self.since = since
        self.until = until
        self.failure = failure
        self.entry = entry
    }
}

/// Entries that failed in one way, and the later first sends of others: a backend that fails intermittently lets others through too.
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
            // Drop the oldest: entries that ended in another way leave their record behind.
            if records.count > Self.most, let oldest = records.keys.min() { records[oldest] = nil }
            return
        }
        records[entry.sequence]?.last = now
        records[entry.sequence]?.times += 1
    }

    mutating func moveOn(_ entry: Entry, at now: Date) { records[entry.sequence]?.last = now }

    func times(_ entry: Entry) -> Int { records[entry.sequence]?.times ?? 0 }

    func othersFail(_ entry: Entry) -> Bool { records[entry.sequence].map { $0.failed > 0 } ?? false }

    /// True when others got through, the latest after its last failure, and at most a quarter failed.
    func isSteadilyAlone(_ entry: Entry, _ lastThrough: Date?) -> Bool {
        guard let record = records[entry.sequence], let lastThrough else { return false }
        return record.through >= 2 && record.failed * 3 <= record.through && lastThrough > record.last
    }
}

extension Entry {
    fileprivate var isFirstSend: Bool { failedAt == nil }
}
