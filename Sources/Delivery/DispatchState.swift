import Foundation
import Outbox
import SyncModel

/// The delivering core: a pure state machine. Events go in, actions come out; it knows no clock, no network and no disk.
///
/// It holds at every instant that an eligible entry is being sent, or asked for, or that a time is set at which it will be.
package struct DispatchState: Sendable {
    package struct Policy: Sendable, Equatable {
        package var retry = RetryPolicy()
        package var breaker = CircuitBreaker.Policy()
        /// Sends at the same time, for each backend.
        package var inFlight = 4
        /// How long to wait before asking a full disk again, in seconds.
        package var fullDiskPause: TimeInterval = 5
        package init() {}
    }

    let policy: Policy
    var links: [String: Link]
    private var generator: SplitMix64
    private var unwritten: [Settled] = []
    private var beingWritten: [Settled] = []
    private var isStoring = false
    private var arrivedWhileStoring = false
    private var storeAgainAt: Date?
    private var wakeAt: Date?
    private var isStopping = false
    private var hasFinished = false

    /// - Parameter probed: for each backend, whether it has a health route to probe.
    package init(backends probed: [String: Bool], policy: Policy, seed: UInt64) {
        self.policy = policy
        links = probed.mapValues { Link(hasHealthRoute: $0) }
        generator = SplitMix64(seed: seed)
    }

    /// The one step: what `event` means, and what to do about it.
    package mutating func on(_ event: DispatchEvent, at now: Date) -> [DispatchAction] {
        var actions = learn(event, now)
        actions += advance(now)
        return actions
    }

    private mutating func learn(_ event: DispatchEvent, _ now: Date) -> [DispatchAction] {
        switch event {
        case .arrived:
            if isStoring { arrivedWhileStoring = true } else { forgetDueTimes() }
        case .session(let backend, let account, let revision):
            guard let link = links[backend], revision >= link.sessionRevision else { return [] }
            if revision > link.sessionRevision {
                links[backend]?.breaker.sessionChanged(now: now)
                links[backend]?.stillUnauthorized = ([], 0)
            }
            links[backend]?.sessionRevision = revision
            links[backend]?.account = account
            links[backend]?.isCheckingSession = false
            links[backend]?.due = .unknown
        case .stored(let claimed): return stored(claimed)
        case .storeFailed:
            isStoring = false
            for name in links.keys { links[name]?.askedFor = nil }
            unwritten = beingWritten + unwritten
            beingWritten = []
            storeAgainAt = now.addingTimeInterval(policy.fullDiskPause)
            forgetDueTimes()
        case .attempted(let entry, let attempt): return attempted(entry, attempt, now)
        case .probed(let backend, let probe):
            links[backend]?.isProbing = false
            switch probe {
            case .well: links[backend]?.breaker.succeed()
            // A probe that was called off has learnt nothing.
            case .failed(let failure):
                trip(backend, failure.reason == .stopping ? links[backend]?.breaker.failure ?? failure : failure, now)
            }
        case .woke: wakeAt = nil
        case .hurried(let backend):
            forgetDueTimes()
            return hurry(links.keys.filter { backend == nil || backend == $0 }, now)
        case .paused(let pause, let revision): setPause(pause, of: pause.backend, revision)
        case .resumed(let backend, let revision): setPause(nil, of: backend, revision)
        case .networkChanged:
            return hurry(Array(links.keys), unless: .serverError, now)
        case .drain(let backend):
            links[backend]?.isDraining = true
        case .cut(let backend):
            let sending = links[backend].map { Array($0.sending.values) } ?? []
            return sending.isEmpty ? [] : [.cut(sending.sorted { $0.sequence < $1.sequence })]
        case .stop: isStopping = true
        case .echo: break
        }
        return []
    }

    private mutating func hurry(_ backends: [String], unless reason: Failure.Reason? = nil, _ now: Date) -> [DispatchAction] {
        backends.sorted().compactMap { name in
            let isLate = links[name]?.breaker.hurry(now: now, unless: reason) == true
            return isLate && links[name]?.hasHealthRoute == true ? .abandonProbe(backend: name) : nil
        }
    }

    private mutating func setPause(_ pause: Pause?, of backend: String, _ revision: Int64) {
        guard var link = links[backend], revision >= link.pauseRevision else { return }
        link.pauseRevision = revision
        link.pause = pause
        if pause == nil { link.due = .unknown }
        links[backend] = link
    }

    private mutating func stored(_ claimed: Claimed) -> [DispatchAction] {
        isStoring = false
        storeAgainAt = nil
        for item in beingWritten { links[item.entry.mutation.destination.backend]?.settling -= 1 }
        beingWritten = []
        for (name, link) in links {
            guard let asked = link.askedFor else { continue }
            links[name]?.askedFor = nil
            // Somebody else may have signed in meanwhile.
            links[name]?.due = asked.account != link.account?.id ? .unknown : claimed.nextDue[asked].map(Link.Due.at) ?? .nothing
        }
        if arrivedWhileStoring {
            arrivedWhileStoring = false
            forgetDueTimes()
        }
        var actions: [DispatchAction] = []
        for entry in claimed.entries {
            let backend = entry.mutation.destination.backend
            if isStopping {
                handBack(entry, Failure(.stopping, "The daemon was stopped.", outcomeUnknown: entry.uncertain))
            } else if links[backend]?.pause != nil {
                handBack(entry, Failure(.paused, "Sending was paused.", outcomeUnknown: entry.uncertain))
            } else {
                links[backend]?.sending[entry.sequence] = entry
                actions.append(.attempt(entry))
            }
        }
        return actions
    }

    /// Claimed before the stop or the pause was known, and not sent.
    private mutating func handBack(_ entry: Entry, _ failure: Failure) {
        links[entry.mutation.destination.backend]?.settling += 1
        unwritten.append(Settled(entry, .released(until: entry.dueAt, failure), attempt: nil))
    }

    private mutating func attempted(_ entry: Entry, _ attempt: Attempt, _ now: Date) -> [DispatchAction] {
        let backend = entry.mutation.destination.backend
        guard var link = links[backend], link.sending.removeValue(forKey: entry.sequence) != nil else { return [] }
        var actions: [DispatchAction] = []
        let wellness = link.wellness(attempt, entry, policy.retry, now)
        var backendsFault: Settlement?
        switch attempt.verdict {
        case .forbidden(let failure) where failure.reason == .stillUnauthorized:
            link.stillUnauthorized.entries.insert(entry.sequence)
            link.stillUnauthorized.times += 1
            let more = link.stillUnauthorized.times - Link.mostUnauthorized
            if link.stillUnauthorized.entries.count >= Link.mostUnauthorized {
                // Whatever it is, it is the backend's: one entry at a time finds out when it is over, ever more seldom. The
                // third is still held by itself; those that find out wait.
                let pause = min(policy.breaker.ceiling, policy.breaker.first * pow(2, Double(min(more, 32))))
                link.breaker.wait(until: now.addingTimeInterval(pause), failure)
                if link.stillUnauthorized.entries.count > Link.mostUnauthorized {
                    backendsFault = .released(until: now.addingTimeInterval(pause), failure)
                }
            } else {
                // Whoever refuses is there: an outage before it is over.
                link.breaker.succeed()
            }
        case .accepted, .permanent, .locked, .forbidden:
            link.breaker.succeed()
            link.stillUnauthorized = ([], 0)
            link.lastAnswered = now
        case .throttled(let failure, let until) where failure.reason == .throttled || failure.reason == .signInRequired:
            link.breaker.wait(until: until, failure)
        case .throttled(let failure, let until): link.breaker.rest(until: until, failure, policy: policy.breaker, now: now)
        case .unreachable(let failure) where failure.reason != .stopping, .intercepted(let failure):
            link.breaker.trip(failure, policy: policy.breaker, now: now, using: &generator)
        case .transient(let failure):
            switch wellness {
            case .shown: link.breaker.succeed()
            case .ill, .presumed: link.breaker.trip(failure, policy: policy.breaker, now: now, using: &generator)
            }
        case .unauthorized:
            if !link.isCheckingSession { actions.append(.checkSession(backend: backend)) }
            link.isCheckingSession = true
        case .unknown, .unreachable:
            // A probe without a health route is an entry; if its answer is lost, the backend is still not known to be well.
            if case .halfOpen(_, let failure) = link.breaker.state {
                link.breaker.trip(attempt.verdict.failure ?? failure, policy: policy.breaker, now: now, using: &generator)
            }
        }
        let settlement =
            backendsFault
            ?? Settlement(
                attempt.verdict, of: entry, backendIsWell: wellness != .ill, isSeenWell: wellness == .shown, route: attempt.route,
                policy: policy.retry, now: now, using: &generator)
        let record = AttemptRecord(startedAt: attempt.startedAt, endedAt: attempt.endedAt, verdict: attempt.verdict)
        unwritten.append(Settled(entry, settlement, attempt: attempt.wasMade ? record : nil))
        link.settling += 1
        links[backend] = link
        return actions
    }

    private mutating func trip(_ backend: String, _ failure: Failure, _ now: Date) {
        guard var link = links[backend] else { return }
        link.breaker.trip(failure, policy: policy.breaker, now: now, using: &generator)
        links[backend] = link
    }

    private mutating func forgetDueTimes() { for name in links.keys { links[name]?.due = .unknown } }

    /// Everything that follows from the state as it is now.
    private mutating func advance(_ now: Date) -> [DispatchAction] {
        var actions: [DispatchAction] = []
        let names = links.keys.sorted()
        // Further ahead than the pause is long: the clock was ahead when it began, and has been set right since.
        if let left = storeAgainAt?.timeIntervalSince(now), left <= 0 || left > policy.fullDiskPause { storeAgainAt = nil }
        for name in names {
            guard var link = links[name] else { continue }
            link.forgetAnswer(ahead: now)
            if let change = link.review(now) { actions.append(change) }
            if !isStopping, link.startProbe(policy.breaker, now) { actions.append(.probe(backend: name)) }
            // On a full disk nothing can be written for now; that nothing is under way any more holds all the same.
            if link.isDraining, link.sending.isEmpty, link.settling == 0 || storeAgainAt != nil {
                link.isDraining = false
                actions.append(.drained(backend: name))
            }
            if link.gate != link.shownGate {
                link.shownGate = link.gate
                actions.append(.gateChanged(backend: name, link.gate))
            }
            links[name] = link
        }
        actions += store(names, now)
        actions += arm(now)
        if isStopping, !hasFinished, !isStoring, unwritten.isEmpty, links.values.allSatisfy(\.sending.isEmpty) {
            hasFinished = true
            actions.append(.finished)
        }
        return actions
    }

    private mutating func store(_ names: [String], _ now: Date) -> [DispatchAction] {
        guard !isStoring, storeAgainAt == nil else { return [] }
        var slots: [Destination: Int] = [:]
        // What is about to be written frees its lane.
        for item in unwritten { links[item.entry.mutation.destination.backend]?.due = .unknown }
        if !isStopping {
            for name in names {
                guard let link = links[name], let destination = link.destination(name), link.hasDue(now) else { continue }
                let free = link.slots(atMost: policy.inFlight)
                guard free > 0 else { continue }
                slots[destination] = free
                links[name]?.askedFor = destination
            }
        }
        guard !slots.isEmpty || !unwritten.isEmpty else { return [] }
        isStoring = true
        beingWritten = unwritten
        unwritten = []
        return [.store(beingWritten, claim: slots)]
    }

    private mutating func arm(_ now: Date) -> [DispatchAction] {
        var times = [storeAgainAt]
        if !isStopping { times += links.map { $1.nextTime($0, inFlight: policy.inFlight) } }
        // What is due already waits for an event that is on its way: a store, a try or a probe that has not come back.
        let next = times.compactMap { $0 }.filter { $0 > now }.min()
        guard next != wakeAt else { return [] }
        wakeAt = next
        return [.wake(at: next)]
    }
}
