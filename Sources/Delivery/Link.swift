import Foundation
import SyncModel

/// What the dispatcher knows of one backend.
struct Link: Sendable {
    let hasHealthRoute: Bool
    /// Who is signed in there, able to send; nil for nobody.
    var account: Account?
    var sessionRevision = 0
    var isCheckingSession = false
    var breaker = CircuitBreaker()
    /// A probe of the health route is on its way, whatever has become of the breaker since.
    var isProbing = false
    /// Being sent, by sequence.
    var sending: [Int64: Entry] = [:]
    /// Tried, and not yet written.
    var settling = 0
    var due = Due.unknown
    /// For whom the outbox is being asked at this moment.
    var askedFor: Destination?
    var isDraining = false
    /// What a person wished; nil where sending is allowed.
    var pause: Pause?
    var pauseRevision: Int64 = 0
    var lastAnswered: Date?
    /// Entries, one after the other, that were refused as if nobody were signed in, right after the session was renewed; and how often that
    /// was in a row.
    var stillUnauthorized: (entries: Set<Int64>, times: Int) = ([], 0)
    /// So many of them are no fault of theirs.
    static let mostUnauthorized = 3
    var shownGate = Gate.signInRequired

    enum Due: Sendable, Equatable {
        /// Ask the outbox.
        case unknown
        case nothing
        case at(Date)
    }

    init(hasHealthRoute: Bool) { self.hasHealthRoute = hasHealthRoute }

    var gate: Gate {
        if let pause { return .paused(until: pause.until, reason: pause.reason) }
        if account == nil { return .signInRequired }
        switch breaker.state {
        case .closed: return .open
        // The pause is over and nothing waits that could find out more: the next entry does, and need not wait.
        case .halfOpen where !hasHealthRoute && due == .nothing && alone > 0: return .open
        case .open(let until, let failure, _), .halfOpen(let until, let failure): return .cooling(until: until, failure)
        }
    }

    /// Where entries may be sent now; nil while a person, the session or the breaker forbids it.
    func destination(_ name: String) -> Destination? {
        guard let account, pause == nil, !isCheckingSession, !isDraining else { return nil }
        switch breaker.state {
        case .closed: break
        case .halfOpen where !hasHealthRoute: break
        case .halfOpen, .open: return nil
        }
        return Destination(backend: name, account: account.id)
    }

    /// How many more may be sent: one alone where an entry itself has to be the probe.
    func slots(atMost limit: Int) -> Int {
        if case .halfOpen = breaker.state { return alone }
        if stillUnauthorized.entries.count >= Self.mostUnauthorized { return alone }
        return limit - sending.count
    }

    private var alone: Int { sending.isEmpty && settling == 0 ? 1 : 0 }

    /// Ends a pause whose time is over, and sets one right whose start lies ahead because the clock was; what the outbox has to keep of it.
    mutating func review(_ now: Date) -> DispatchAction? {
        guard let asked = pause else { return nil }
        let corrected = asked.corrected(at: now)
        if corrected.isOver(at: now) {
            pause = nil
            due = .unknown
            return .pauseEnded(asked)
        }
        pause = corrected
        return corrected == asked ? nil : .pauseCorrected(corrected)
    }

    /// Whether to send a probe now: never a second one while the answer to the first may still come.
    mutating func startProbe(_ policy: CircuitBreaker.Policy, _ now: Date) -> Bool {
        guard wantsProbe(policy, now), breaker.elapse(), hasHealthRoute, !isProbing else { return false }
        isProbing = true
        return true
    }

    func hasDue(_ now: Date) -> Bool {
        switch due {
        case .unknown: true
        case .nothing: false
        // A time further ahead than anything waits was set by a clock that was ahead: the outbox sets it right when it is asked.
        case .at(let date): date <= now || date > now.addingTimeInterval(6 * 3600 + 60)
        }
    }

    private func wantsProbe(_ policy: CircuitBreaker.Policy, _ now: Date) -> Bool {
        account != nil && pause == nil && due != .nothing && breaker.isOver(policy: policy, now: now)
    }

    /// When there will be something to do without any other event; nil where only an event can bring it.
    func nextTime(_ name: String, inFlight: Int) -> Date? {
        if let pause { return pause.until }
        if case .open(let until, _, _) = breaker.state { return account != nil && due != .nothing ? until : nil }
        guard destination(name) != nil, askedFor == nil, slots(atMost: inFlight) > 0, case .at(let date) = due else { return nil }
        return date
    }

    enum Wellness: Sendable {
        case shown, ill
        /// For want of any evidence, so that a poison entry ends and an outage kills nothing.
        case presumed
    }

    /// An answer whose time lies ahead was noted by a clock that was: once that time comes, it would pass for one that came after later tries.
    mutating func forgetAnswer(ahead now: Date) { if let lastAnswered, lastAnswered > now { self.lastAnswered = nil } }

    /// How the backend was when a try failed. Without a health route: well if somebody else was answered since this entry's last try;
    /// without that evidence it is presumed to be well once an entry's last count is as long ago as the policy says.
    func wellness(_ attempt: Attempt, _ entry: Entry, _ policy: RetryPolicy, _ now: Date) -> Wellness {
        switch attempt.health {
        case .well: return .shown
        case .ill: return .ill
        case .noEvidence:
            // A time that lies ahead was set by a clock that was: as evidence it is worth nothing, and a long wait for it would be for ever.
            if let lastAnswered, lastAnswered <= now, let tried = entry.triedAt, lastAnswered > tried { return .shown }
            return policy.countsWithoutEvidence(entry, now) ? .presumed : .ill
        }
    }
}
