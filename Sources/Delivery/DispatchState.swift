import Foundation
import Outbox
import SyncModel

/// The core of delivery: a pure state machine from events to actions, without clock, network or disk.
///
/// Invariant: every eligible entry is being sent or claimed, or a timer is set for it.
package struct DispatchState: Sendable {
    package struct Policy: Sendable, Equatable {
        package var retry = RetryPolicy()
        package var breaker = CircuitBreaker.Policy()
        /// Concurrent sends per backend.
        package var inFlight = 4
        package var fullDiskPause: TimeInterval = 5
        package init() {}
    }

    let policy: Policy
    /// When to try each backend again without another event; only times in the future.
    package private(set) var nextTries: [String: Date] = [:]
    var states: [String: BackendState]
    private var generator: SplitMix64
    private var unwritten: [Settled] = []
    private var beingWritten: [Settled] = []
    private var isStoring = false
    private var arrivedWhileStoring = false
    private var storeAgainAt: Date?
    private var wakeAt: Date?
    private var isStopping = false
    private var hasFinished = false
    private var lastArrival: Date?

    /// Seconds without a submission after which a new one triggers a retry at once.
    private static let quietTime: TimeInterval = 60

    /// When a connection was last opened to a backend without a health route, if no entry has proven since that an outage is over.
    package var connections: [String: Date] {
        states.compactMapValues { if case .halfOpen = $0.breaker.state { $0.connectedAt } else { nil } }
    }

    /// - Parameter probed: for each backend, whether it has a health route.
    package init(backends probed: [String: Bool], policy: Policy, seed: UInt64) {
        self.policy = policy
        states = probed.mapValues { BackendState(hasHealthRoute: $0) }
        generator = SplitMix64(seed: seed)
    }

    package mutating func on(_ event: DispatchEvent, at now: Date) -> [DispatchAction] {
        for name in states.keys { states[name]?.forgetSuccess(ahead: now) }
        var actions = learn(event, now)
        actions += advance(now)
        return actions
    }

    private mutating func learn(_ event: DispatchEvent, _ now: Date) -> [DispatchAction] {
        switch event {
        case .arrived: return arrived(now)
        case .session(let backend, let account, let revision): sessionChanged(backend, account, revision, now)
        case .stored(let claimed): return stored(claimed)
        case .storeFailed: storeFailed(now)
        case .attempted(let entry, let attempt): return attempted(entry, attempt, now)
        case .probed(let backend, let probe): return probed(backend, probe, now)
        case .woke: wakeAt = nil
        case .hurried(let backend):
            forgetDueTimes()
            return retryNow(states.keys.filter { backend == nil || backend == $0 }, now)
        case .paused(let pause, let revision): setPause(pause, of: pause.backend, revision)
        case .resumed(let backend, let revision): setPause(nil, of: backend, revision)
        case .serverPaused(let backend, let until, let failure): states[backend]?.breaker.pauseAsRequested(until: until, failure)
        case .networkChanged: return retryNow(Array(states.keys), unless: .serverError, now)
        case .drain(let backend): states[backend]?.isDraining = true
        case .cut(let backend):
            let sending = states[backend].map { Array($0.sending.values) } ?? []
            return sending.isEmpty ? [] : [.cut(sending.sorted { $0.sequence < $1.sequence })]
        case .stop: isStopping = true
        }
        return []
    }

    private mutating func arrived(_ now: Date) -> [DispatchAction] {
        if isStoring { arrivedWhileStoring = true } else { forgetDueTimes() }
        defer { lastArrival = now }
        return lastArrival?.hasAged(Self.quietTime, at: now) == false ? [] : retryNow(Array(states.keys), now)
    }

    private mutating func sessionChanged(_ backend: String, _ account: Account?, _ revision: Int, _ now: Date) {
        guard let state = states[backend], revision >= state.sessionRevision else { return }
        if revision > state.sessionRevision {
            states[backend]?.breaker.sessionChanged(now: now)
            states[backend]?.retryRoutesNow(now: now)
        }
        states[backend]?.sessionRevision = revision
        states[backend]?.account = account
        states[backend]?.isCheckingSession = false
        states[backend]?.due = .unknown
    }

    private mutating func storeFailed(_ now: Date) {
        isStoring = false
        for name in states.keys { states[name]?.askedFor = nil }
        unwritten = beingWritten + unwritten
        beingWritten = []
        storeAgainAt = now.addingTimeInterval(policy.fullDiskPause)
        forgetDueTimes()
    }

    private mutating func probed(_ backend: String, _ probe: Probe, _ now: Date) -> [DispatchAction] {
        states[backend]?.isProbing = false
        switch probe {
        case .well: states[backend]?.probeSucceeded(now)
        case .failed(let failure, let seconds?):
            let until = now.addingTimeInterval(seconds)
            states[backend]?.breaker.pauseAsRequested(until: until, failure)
            return [.keepServerPause(backend: backend, until: until, failure)]
        // A cancelled probe says nothing about the backend.
        case .failed(let failure, nil):
            let cause = failure.reason == .stopping ? states[backend]?.breaker.failure ?? failure : failure
            states[backend]?.trip(cause, policy: policy.breaker, now: now, using: &generator)
        }
        return []
    }

    private mutating func retryNow(_ backends: [String], unless reason: Failure.Reason? = nil, _ now: Date) -> [DispatchAction] {
        backends.sorted().compactMap { name in
            let isLate = states[name]?.breaker.retryNow(now: now, unless: reason) == true
            states[name]?.retryRoutesNow(now: now, unless: reason)
            return isLate && states[name]?.isProbing == true ? .abandonProbe(backend: name) : nil
        }
    }

    private mutating func setPause(_ pause: Pause?, of backend: String, _ revision: Int64) {
        guard var state = states[backend], revision >= state.pauseRevision else { return }
        state.pauseRevision = revision
        state.pause = pause
        if pause == nil { state.due = .unknown }
        states[backend] = state
    }

    private mutating func stored(_ claimed: Claimed) -> [DispatchAction] {
        isStoring = false
        storeAgainAt = nil
        for item in beingWritten { states[item.entry.destination.backend]?.settling -= 1 }
        beingWritten = []
        for (name, state) in states {
            guard let asked = state.askedFor else { continue }
            states[name]?.askedFor = nil
            // Another account may have signed in since the claim.
            states[name]?.due = asked.account != state.account?.id ? .unknown : .known(claimed.nextDue[asked] ?? [:])
        }
        if arrivedWhileStoring {
            arrivedWhileStoring = false
            forgetDueTimes()
        }
        var actions: [DispatchAction] = []
        for entry in claimed.entries {
            let backend = entry.destination.backend
            if isStopping {
                handBack(entry, Failure(.stopping, "The daemon was stopped.", outcomeUnknown: entry.uncertain))
            } else if states[backend]?.pause != nil {
                handBack(entry, Failure(.paused, "Sending was paused.", outcomeUnknown: entry.uncertain))
            } else {
                states[backend]?.sending[entry.sequence] = entry
                actions.append(.attempt(entry))
            }
        }
        return actions
    }

    /// Releases an entry claimed before the stop or pause arrived.
    private mutating func handBack(_ entry: Entry, _ failure: Failure) {
        states[entry.destination.backend]?.settling += 1
        unwritten.append(Settled(entry, .released(until: entry.dueAt ?? .distantPast, failure), attempt: nil))
    }

    private mutating func attempted(_ entry: Entry, _ attempt: Attempt, _ now: Date) -> [DispatchAction] {
        let backend = entry.destination.backend
        guard var state = states[backend], state.sending.removeValue(forKey: entry.sequence) != nil else { return [] }
        var route = state.routes[entry.mutation.route] ?? RouteState()
        let blame = attempt.isThrottled ? route.blameForPause(entry) : route.blame(entry, policy.retry, now)
        let judgement = Judgement(
            entry: entry, attempt: attempt, blame: blame, hasContrast: route.hasSucceeded(since: entry.uncertainSince),
            stepsAside: route.stepsAside(entry, isThrottled: attempt.isThrottled), policy: policy.retry, now: now)
        let settled = judgement.settled(using: &generator)
        if attempt.isThrottled { route.throttle(entry, blame, at: now) }
        let actions = infer(from: attempt, of: entry, blame, &state, &route, now)
        state.routes[entry.mutation.route] = route
        unwritten.append(settled)
        state.settling += 1
        states[backend] = state
        return actions
    }

    /// Updates the backend and the route from the verdict.
    private mutating func infer(
        from attempt: Attempt, of entry: Entry, _ blame: Blame, _ state: inout BackendState, _ route: inout RouteState, _ now: Date
    ) -> [DispatchAction] {
        let backend = entry.destination.backend
        switch attempt.verdict {
        case .accepted(let receipt):
            state.breaker.succeed()
            // A look-up finds an earlier delivery, which says little about the route now.
            if receipt.foundByLookup {
                route.found(entry)
                break
            }
            route.succeed(entry, at: now)
            state.lastThrough = now
        case .permanent(let failure) where failure.reason == .profile || failure.status == nil: break
        case .permanent, .forbidden, .locked:
            state.breaker.succeed()
            route.works()
        case .unseen: state.breaker.succeed()
        case .unread(let failure, _): noteReach(failure, &state, now)
        case .throttled where attempt.isThrottled && blame == .entry:
            state.breaker.succeed()
            route.works()
        // A health probe may find the session usable again before it can be renewed.
        case .throttled(let failure, _) where failure.reason == .signInRequired && state.hasHealthRoute:
            state.trip(failure, policy: policy.breaker, now: now, using: &generator)
        case .throttled(let failure, let until) where failure.reason == .throttled || failure.reason == .signInRequired:
            // A send that may have taken effect is one of few: the backend must be well before the next one.
            if attempt.wasSent, failure.outcomeUnknown, attempt.route.isBlind, let status = failure.status, status >= 500 {
                route.trip(failure, policy: policy.breaker, now: now, using: &generator)
            }
            state.breaker.pauseAsRequested(until: until, failure)
            if failure.reason == .throttled { return [.keepServerPause(backend: backend, until: until, failure)] }
        case .throttled(let failure, let until): state.breaker.pauseForSession(until: until, failure, policy: policy.breaker, now: now)
        case .unreachable(let failure) where failure.reason == .stopping: break
        case .unreachable(let failure):
            if attempt.route.isElsewhere {
                route.trip(failure, policy: policy.breaker, now: now, using: &generator)
            } else {
                state.trip(failure, policy: policy.breaker, now: now, using: &generator)
            }
        case .unauthorized:
            if state.isCheckingSession { break }
            state.isCheckingSession = true
            return [.checkSession(backend: backend)]
        case .unknown(let failure) where [.stopping, .refused, .misplaced].contains(failure.reason): break
        case .transient(let failure), .intercepted(let failure), .unknown(let failure):
            judge(failure, attempt, of: entry, blame, &route, now)
            noteReach(failure, &state, now)
        }
        return []
    }

    /// Any status shows that the backend is reachable. Without one, a half-open breaker opens again.
    private mutating func noteReach(_ failure: Failure, _ state: inout BackendState, _ now: Date) {
        if failure.status != nil {
            state.breaker.succeed()
        } else if case .halfOpen = state.breaker.state {
            state.trip(failure, policy: policy.breaker, now: now, using: &generator)
        }
    }

    /// Decides whether an undeclared failure counts against its route.
    private mutating func judge(
        _ failure: Failure, _ attempt: Attempt, of entry: Entry, _ blame: Blame, _ route: inout RouteState, _ now: Date
    ) {
        if attempt.wasSent {
            route.suspect(entry, blame, at: now)
            if blame == .entry { return route.works() }
        }
        route.fail(entry.sequence)
        // A single lost answer is usually a network fault. A look-up can be the probe of the route.
        let isFirstLoss = failure.status == nil && !attempt.route.isBlind && entry.doubts == 0
        if isFirstLoss || !attempt.wasSent, route.breaker.isClosed, !route.failsForSeveral { return }
        route.trip(failure, policy: policy.breaker, now: now, using: &generator)
    }

    private mutating func forgetDueTimes() { for name in states.keys { states[name]?.due = .unknown } }

    private mutating func advance(_ now: Date) -> [DispatchAction] {
        var actions: [DispatchAction] = []
        let names = states.keys.sorted()
        if storeAgainAt?.hasCome(at: now, longest: policy.fullDiskPause) == true { storeAgainAt = nil }
        for name in names {
            guard var state = states[name] else { continue }
            if let change = state.review(now) { actions.append(change) }
            if !isStopping, state.endPauses(policy.breaker, now) {
                state.isProbing = true
                actions.append(.probe(backend: name))
            }
            // A full disk prevents writing but not draining.
            if state.isDraining, state.sending.isEmpty, state.askedFor == nil, state.settling == 0 || storeAgainAt != nil {
                state.isDraining = false
                actions.append(.drained(backend: name))
            }
            let gate = state.gate(at: now)
            if gate != state.shownGate {
                state.shownGate = gate
                actions.append(.gateChanged(backend: name, gate))
            }
            actions += state.routeChanges(of: name)
            states[name] = state
        }
        actions += store(names, now)
        actions += arm(now)
        if isStopping, !hasFinished, !isStoring, unwritten.isEmpty, states.values.allSatisfy(\.sending.isEmpty) {
            hasFinished = true
            actions.append(.finished)
        }
        return actions
    }

    private mutating func store(_ names: [String], _ now: Date) -> [DispatchAction] {
        guard !isStoring, storeAgainAt == nil else { return [] }
        var slots: [Destination: ClaimOrder] = [:]
        // Writing the settlements frees their lanes.
        for item in unwritten { states[item.entry.destination.backend]?.due = .unknown }
        if !isStopping {
            for name in names {
                guard let state = states[name], let destination = state.destination(name), let order = state.order(atMost: policy.inFlight),
                    state.hasDue(order, now)
                else { continue }
                slots[destination] = order
                states[name]?.askedFor = destination
            }
        }
        guard !slots.isEmpty || !unwritten.isEmpty else { return [] }
        isStoring = true
        beingWritten = unwritten
        unwritten = []
        return [.store(beingWritten, claim: slots)]
    }

    private mutating func arm(_ now: Date) -> [DispatchAction] {
        for (name, state) in states {
            let time = isStopping ? nil : state.nextTime(name, inFlight: policy.inFlight) ?? storeAgainAt
            // Entries already due wait for a running store, attempt or probe.
            nextTries[name] = time.flatMap { $0 > now ? $0 : nil }
        }
        var times = Array(nextTries.values)
        if let storeAgainAt { times.append(storeAgainAt) }
        let next = times.min()
        guard next != wakeAt else { return [] }
        wakeAt = next
        return [.wake(at: next)]
    }
}
