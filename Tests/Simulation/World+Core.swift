import Delivery
import Foundation
import Outbox
import SyncModel

extension World {
    /// Inputs and requests of the core, seen from outside.
    struct View {
        var accounts: [String: (account: AccountID?, revision: Int)] = [:]
        var pauses: [String: (pause: Pause?, revision: Int64)] = [:]
        var gates: [String: Gate] = [:]
        /// By backend and route, while not open.
        var routes: [String: [String: RouteGate]] = [:]
        var draining: Set<String> = []
        /// When a full disk is tried again.
        var storeAgainAt: Date?
        var wakeAt: Date?
        var isStopping = false
        var hasFinished = false
    }

    /// Feeds stored pauses first, then signed-in accounts.
    func boot() throws {
        core = DispatchState(
            backends: Dictionary(uniqueKeysWithValues: plan.backends.map { ($0.name, $0.hasHealthRoute) }), policy: policy,
            seed: plan.seed &+ UInt64(events))
        view = View()
        (underway, timer) = ([], nil)
        (through, failing) = ([:], [:])
        for name in names {
            keepers[name]?.revision = 0
            keepers[name]?.isLeaving = false
        }
        for pause in try outbox.pauses(at: now) { try feed(.paused(pause)) }
        for pause in try outbox.serverPauses(at: now) {
            try feed(.serverPaused(backend: pause.backend, until: pause.until, pause.failure))
        }
        for name in names { underway.append(.mail(news(name))) }
    }

    private var policy: DispatchState.Policy {
        var policy = DispatchState.Policy()
        policy.inFlight = plan.inFlight
        policy.retry = Self.retry
        return policy
    }

    func news(_ backend: String) -> DispatchEvent {
        .session(backend: backend, keepers[backend]?.account, revision: keepers[backend]?.revision ?? 0)
    }

    func setSession(_ backend: String, _ account: Account?) {
        guard keepers[backend]?.account != account else { return }
        keepers[backend]?.account = account
        keepers[backend]?.revision += 1
        happened()
        if isRunning { underway.append(.mail(news(backend))) }
    }

    func feed(_ event: DispatchEvent) throws {
        guard var running = core else { return }
        happened()
        note(event)
        let actions = running.on(event, at: now)
        core = running
        for action in actions { try perform(action) }
        if view.hasFinished { try finish() } else { try checkProgress() }
    }

    private func note(_ event: DispatchEvent) {
        switch event {
        case .session(let backend, let account, let revision) where revision >= view.accounts[backend]?.revision ?? 0:
            view.accounts[backend] = (account?.id, revision)
        case .paused(let pause, let revision) where revision >= view.pauses[pause.backend]?.revision ?? 0:
            view.pauses[pause.backend] = (pause, revision)
        case .resumed(let backend, let revision) where revision >= view.pauses[backend]?.revision ?? 0:
            view.pauses[backend] = (nil, revision)
        case .drain(let backend): view.draining.insert(backend)
        case .stored: view.storeAgainAt = nil
        case .storeFailed: view.storeAgainAt = now.addingTimeInterval(DispatchState.Policy().fullDiskPause)
        case .woke: view.wakeAt = nil
        case .stop: view.isStopping = true
        default: break
        }
        // Over, or longer than allowed because the clock was ahead.
        if let left = view.storeAgainAt?.timeIntervalSince(now), left <= 0 || left > DispatchState.Policy().fullDiskPause {
            view.storeAgainAt = nil
        }
    }

    private func perform(_ action: DispatchAction) throws {
        switch action {
        case .store(let settled, let slots):
            if isStoring { throw Violation("I4", "a second store while one is under way") }
            view.storeAgainAt = nil
            underway.append(.store(settled, slots))
        case .attempt(let entry): try begin(entry)
        case .probe(let backend):
            if isProbing(backend) { throw Violation("probe", "a second probe of \(backend) while one is under way") }
            underway.append(.probe(backend: backend, isAbandoned: false))
        case .abandonProbe(let backend):
            for (index, item) in underway.enumerated() {
                if case .probe(backend, _) = item { underway[index] = .probe(backend: backend, isAbandoned: true) }
            }
        case .checkSession(let backend): underway.append(.checkSession(backend: backend))
        case .wake(let date):
            let date = date != nil && forgetsTimer() ? nil : date
            view.wakeAt = date
            timer = date.map { time + max(0, $0.timeIntervalSince(now)) }
        case .gateChanged(let backend, let gate): view.gates[backend] = gate
        case .routeChanged(let backend, let route, let gate): view.routes[backend, default: [:]][route] = gate
        case .keepServerPause(let backend, let until, let failure):
            underway.append(.keepServerPause(ServerPause(backend: backend, address: "", since: now, until: until, failure: failure)))
        case .pauseEnded(let pause):
            view.pauses[pause.backend]?.pause = nil
            underway.append(.expire(pause))
        case .pauseCorrected(let pause):
            view.pauses[pause.backend]?.pause = pause
            underway.append(.correct(pause))
        case .cut(let entries):
            let sequences = Set(entries.map(\.sequence))
            for (index, item) in underway.enumerated() {
                guard case .attempt(var attempt) = item, sequences.contains(attempt.entry.sequence) else { continue }
                attempt.isCut = true
                underway[index] = .attempt(attempt)
            }
        case .drained(let backend): try drained(backend)
        case .finished: view.hasFinished = true
        }
    }

    private func begin(_ entry: Entry) throws {
        let destination = entry.destination
        let others = tries
        if others.contains(where: { $0.entry.destination == destination && $0.entry.mutation.lane == entry.mutation.lane }) {
            throw Violation("I6", "two entries of lane \(entry.mutation.lane) at \(destination) are being sent")
        }
        if others.filter({ $0.backend == destination.backend }).count >= plan.inFlight {
            throw Violation("limit", "more than \(plan.inFlight) entries are being sent to \(destination.backend)")
        }
        if view.isStopping { throw Violation("stop", "entry \(entry.sequence) is sent after the stop") }
        if view.pauses[destination.backend]?.pause != nil { throw Violation("pause", "entry \(entry.sequence) is sent during a pause") }
        guard let item = model.items[entry.sequence], item.state == .inflight else {
            throw Violation("model", "entry \(entry.sequence) is sent, and not in flight")
        }
        if (item.attempts, item.releases, item.uncertain) != (entry.attempts, entry.releases, entry.uncertain)
            || (item.looks, item.doubts, item.aside) != (entry.looks, entry.doubts, entry.isAside)
        {
            throw Violation("model", "entry \(entry.sequence) is sent as \(entry), and is \(item)")
        }
        var told = entry
        if sabotage == .sendsWithoutLooking { told.uncertain = false }
        let trip = DeliveryAttempt(
            told, route: item.route.traits,
            rules: DeliveryAttempt.Rules(
                attempts: Model.attempts, lookupAfter: Self.lookupAfter,
                keyLifetime: backend(named: destination.backend).keyLifetime), startedAt: now)
        underway.append(.attempt(Try(entry: entry, mutation: try addressed(entry), trip: trip, began: time)))
    }

    private func drained(_ backend: String) throws {
        if tries.contains(where: { $0.backend == backend }) {
            throw Violation("drain", "\(backend) is said to be drained while it is sent to")
        }
        view.draining.remove(backend)
        guard let keeper = keepers[backend], keeper.isLeaving else { return }
        keepers[backend]?.isLeaving = false
        if let account = keeper.comesBack { setSession(backend, account) }
    }

    /// The loop has ended and must leave nothing behind.
    private func finish() throws {
        if isStoring || !tries.isEmpty { throw Violation("stop", "it has finished while something is under way") }
        if !model.inflight.isEmpty { throw Violation("stop", "it has finished, and \(model.inflight.sorted()) are left in flight") }
        core = nil
        underway = []
        timer = nil
    }
}
