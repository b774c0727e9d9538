import Foundation
import Outbox
import SyncModel

/// The state of one backend in `RosterState`.
struct RosterBackend: Sendable {
    /// Nil unless signed in.
    private(set) var account: AccountID?
    var sessionRevision = 0
    var backoff = RosterBackoff()
    private var gate = Gate.open
    private var serverPause: (until: Date, failure: Failure)?
    private var isKnown = false
    private var resources: [String: RosterResource]
    private var reading: Reading?

    private struct Reading: Sendable {
        let key: RosterKey
        /// Callers that wait for this read.
        var asked: [UUID]
        /// Deliveries that this read may show.
        let touch: RosterResource.Touch?
        var isCancelled = false
    }

    /// - Parameter parents: by resource.
    init(maxAges: [String: TimeInterval], parents: [String: String]) {
        resources = [:]
        for (name, maxAge) in maxAges { resources[name] = RosterResource(maxAge: maxAge, parent: parents[name]) }
    }

    var isIdle: Bool { reading == nil }

    // MARK: Learning

    /// Forgets everything about the previous account.
    mutating func change(to account: AccountID?, of name: String) -> [RosterAction] {
        var actions: [RosterAction] = []
        let asked = takeAsked() + (reading?.asked ?? [])
        reading?.asked = []
        if !asked.isEmpty { actions.append(.answer(asked, .impossible(.signedOut))) }
        if cancel() { actions.append(.cancel(backend: name)) }
        self.account = account
        (isKnown, backoff) = (false, RosterBackoff())
        resources = resources.mapValues { RosterResource(maxAge: $0.maxAge, parent: $0.parent) }
        if let account { actions.append(.loadHeads(Destination(backend: name, account: account))) }
        return actions
    }

    /// True if a read is to be cancelled.
    mutating func cancel() -> Bool {
        guard reading?.isCancelled == false else { return false }
        reading?.isCancelled = true
        return true
    }

    mutating func gateChanged(to new: Gate) {
        switch new {
        // The server's request ends by its time only.
        case .cooling(let until, let failure) where failure.reason == .throttled: keepServerPause(until: until, failure)
        case .open where gate != .open: backoff.hurry()
        case .open, .cooling, .paused, .signInRequired: break
        }
        gate = new
    }

    private mutating func keepServerPause(until: Date, _ failure: Failure) {
        if let serverPause, serverPause.until >= until { return }
        serverPause = (until, failure)
    }

    mutating func touch(_ name: String, at now: Date) {
        guard account != nil else { return }
        let first = resources[name]?.touch?.first ?? now
        resources[name]?.touch = RosterResource.Touch(first: first, last: now)
    }

    /// The stored list was deleted.
    mutating func lose(_ name: String, at now: Date) {
        resources[name]?.lose()
        touch(name, at: now)
    }

    /// False for an unknown resource.
    mutating func ask(_ name: String, _ id: UUID) -> Bool {
        guard let resource = resources[name] else { return false }
        backoff.hurry()
        if let reading, reading.key.resource == name, !reading.isCancelled, resource.touch == nil {
            self.reading?.asked.append(id)
        } else {
            resources[name]?.asked.append(id)
        }
        return true
    }

    mutating func withdraw(_ id: UUID) {
        reading?.asked.removeAll { $0 == id }
        for name in resources.keys { resources[name]?.asked.removeAll { $0 == id } }
    }

    /// Takes the callers that wait for a read to begin.
    mutating func takeAsked() -> [UUID] {
        let asked = resources.keys.sorted().flatMap { resources[$0]?.asked ?? [] }
        for name in resources.keys { resources[name]?.asked = [] }
        return asked
    }

    mutating func know(_ heads: [RosterHead], at now: Date, using generator: inout some RandomNumberGenerator) {
        isKnown = true
        for head in heads { resources[head.key.resource]?.know(head, using: &generator) }
        // The rows of the parent may have changed before the daemon stopped.
        for head in heads {
            guard let parent = resources[head.key.resource]?.parent, let other = heads.first(where: { $0.key.resource == parent }),
                head.beganAt < other.readAt
            else { continue }
            touch(head.key.resource, at: now)
        }
    }

    mutating func ended(
        _ key: RosterKey, _ outcome: RosterOutcome, took: Duration, at now: Date, using generator: inout some RandomNumberGenerator
    ) -> [RosterAction] {
        guard let reading, reading.key == key else { return [] }
        self.reading = nil
        // Its account has signed out, or the daemon stops.
        if reading.isCancelled { return reading.asked.isEmpty ? [] : [.answer(reading.asked, .impossible(.stopping))] }
        var answer = RosterAnswer.impossible(.signedOut)
        func fail(_ failure: Failure) {
            resources[key.resource]?.fail(failure, at: now)
            resources[key.resource]?.rest(after: took, hasFailed: true, at: now)
            answer = .failed(failure)
        }
        if case .stored = outcome {} else { resources[key.resource]?.miss(reading.touch) }
        switch outcome {
        case .stored(let head, let isChanged):
            if head.incomplete?.isUnsettled == true { backoff.begin(at: now, using: &generator) } else { backoff.end() }
            resources[key.resource]?.know(head, using: &generator)
            resources[key.resource]?.rest(after: took, hasFailed: false, at: now)
            if head.incomplete?.isUnsettled == true { doubtParent(of: key.resource, at: now) }
            if isChanged { for child in children(of: key.resource) { touch(child, at: now) } }
            answer = .done(head)
        case .failed(let failure):
            backoff.begin(at: now, using: &generator)
            fail(failure)
        case .unsettled(let failure):
            backoff.begin(at: now, using: &generator)
            fail(failure)
            doubtParent(of: key.resource, at: now)
        case .throttled(let failure, let until):
            // Only for reads: a server without time for lists may still take captures.
            backoff.begin(isFirm: true, at: now, using: &generator)
            keepServerPause(until: until, failure)
            fail(failure)
        case .notStored(let error):
            backoff.beginLongest(at: now)
            fail(Failure(.unreadable, "The list could not be stored: \(error)."))
        // The session's end arrives as an event of its own.
        case .sessionEnded, .cancelled: backoff.begin(at: now, using: &generator)
        }
        var asked = reading.asked
        if case .stored = outcome {} else { asked += takeAskedOfChildren(of: key.resource) }
        return asked.isEmpty ? [] : [.answer(asked, answer)]
    }

    // MARK: Parents

    private func children(of name: String) -> [String] { resources.keys.filter { resources[$0]?.parent == name }.sorted() }

    /// The parent's rows may be gone. Read it again once, as that may not help.
    private mutating func doubtParent(of name: String, at now: Date) {
        guard let parent = resources[name]?.parent, resources[name]?.hasDoubtedParent == false else { return }
        resources[name]?.hasDoubtedParent = true
        touch(parent, at: now)
    }

    /// False for a list with a parent that is not stored.
    private func isReadable(_ name: String) -> Bool {
        guard let parent = resources[name]?.parent else { return true }
        return resources[parent]?.isStored ?? false
    }

    /// True if a caller waits for this list, or for one that needs it.
    private func isAsked(_ name: String) -> Bool {
        resources[name]?.asked.isEmpty == false || children(of: name).contains { !isReadable($0) && isAsked($0) }
    }

    /// Takes the callers that wait for lists which needed this one.
    private mutating func takeAskedOfChildren(of name: String) -> [UUID] {
        var asked: [UUID] = []
        for child in children(of: name) where !isReadable(child) {
            asked += (resources[child]?.asked ?? []) + takeAskedOfChildren(of: child)
            resources[child]?.asked = []
        }
        return asked
    }

    // MARK: Deciding

    /// Why not even a person can have a list read.
    func obstacle(isStopping: Bool, at now: Date) -> RosterObstacle? {
        if isStopping { return .stopping }
        if account == nil { return .signedOut }
        if case .paused = gate { return .paused }
        if let serverPause, !serverPause.until.hasCome(at: now, longest: ServerPause.horizon) {
            return .serverPaused(until: serverPause.until, serverPause.failure)
        }
        return nil
    }

    /// Begins the most urgent read that is due.
    mutating func begin(_ name: String, isStopping: Bool, at now: Date) -> RosterKey? {
        guard let account, reading == nil, isKnown, obstacle(isStopping: isStopping, at: now) == nil else { return nil }
        let due = resources.keys.sorted().filter { isReadable($0) && wait(for: $0, at: now) == nil }
        guard let resource = due.min(by: { rank($0, now) < rank($1, now) }) else { return nil }
        let key = RosterKey(destination: Destination(backend: name, account: account), resource: resource)
        reading = Reading(key: key, asked: resources[resource]?.asked ?? [], touch: resources[resource]?.touch)
        resources[resource]?.asked = []
        resources[resource]?.touch = nil
        return key
    }

    /// At the same urgency and time, a parent before its children.
    private func rank(_ name: String, _ now: Date) -> (Int, Date, Int) {
        let (urgency, since): (Int, Date) = isAsked(name) ? (0, now) : resources[name]?.rank(at: now) ?? (.max, now)
        return (urgency, since, depth(name))
    }

    private func depth(_ name: String) -> Int { resources[name]?.parent.map { 1 + depth($0) } ?? 0 }

    /// When the resource may be read; nil for now.
    private func wait(for name: String, at now: Date) -> Date? {
        guard let resource = resources[name], !isAsked(name) else { return nil }
        return [resource.wait(at: now), backoff.running(at: now), coolingUntil(now)].compactMap(\.self).max()
    }

    /// A gate stays cooling while no entry waits, so only its time counts.
    private func coolingUntil(_ now: Date) -> Date? {
        guard case .cooling(let until, _) = gate, !until.hasCome(at: now, longest: ServerPause.horizon) else { return nil }
        return until
    }

    /// When to act without another event; nil for never.
    func nextTime(isStopping: Bool, at now: Date) -> Date? {
        guard isKnown, reading == nil else { return nil }
        return resources.keys.compactMap { nextTry(of: $0, isStopping: isStopping, at: now) }.min()
    }

    private func nextTry(of name: String, isStopping: Bool, at now: Date) -> Date? {
        if !isReadable(name), let parent = resources[name]?.parent { return nextTry(of: parent, isStopping: isStopping, at: now) }
        return switch obstacle(isStopping: isStopping, at: now) {
        case .stopping, .signedOut, .paused: nil
        case .serverPaused(let until, _): [until, wait(for: name, at: now)].compactMap(\.self).max()
        case nil: wait(for: name, at: now)
        }
    }

    func conditions(isStopping: Bool, at now: Date) -> [String: RosterCondition] {
        var conditions: [String: RosterCondition] = [:]
        for (name, resource) in resources {
            var condition = RosterCondition()
            condition.isReading = reading.map { $0.key.resource == name && !$0.isCancelled } ?? false
            (condition.failure, condition.failingSince) = (resource.failure, resource.failingSince)
            condition.nextTry = nextTry(of: name, isStopping: isStopping, at: now)
            conditions[name] = condition
        }
        return conditions
    }
}
