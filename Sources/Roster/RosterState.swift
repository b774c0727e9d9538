import Foundation
import Outbox
import SyncModel

/// When to read which list: a pure state machine from events to actions, without clock, network or disk.
///
/// | rule | |
/// |---|---|
/// | one read at a time per backend | first a person's request, then touched, never read, longest overdue |
/// | after a sign-in | every list that is not stored is read at once; a renewed session changes nothing |
/// | age | read again after `max_age`, plus up to a tenth |
/// | touched | read again 5 s after the last delivery, at most 60 s after the first; also if an earlier run delivered it |
/// | load | after a read, the list rests for ten times as long as the read took, at least 30 s; after a short one that failed, not at all |
/// | asked | at once, also before the rest, the backoff or a cooling gate has ended; never during a pause of a person or the server |
/// | failed | backoff, which a new network, an opening gate and a person end |
/// | throttled, or no room | backoff, which only a person passes, for the list asked for |
/// | stored as changing, or as contradicting itself | read again by backoff |
/// | parent | a list with a parent is read after the first read of that, and again as if touched when the parent's rows change |
/// | child never seen whole | its parent is read again once, as a row of it may have gone |
/// | lost | an unreadable list that was deleted is read again as if touched |
/// | signed out | the read is cancelled and everything forgotten |
struct RosterState: Sendable {
    private var backends: [String: RosterBackend]
    private var generator: SplitMix64
    private var wakeAt: Date?
    private var isStopping = false
    private var hasFinished = false

    /// By backend: `resources` has the seconds after which each resource is read again, and `parents` the parent of each resource that has
    /// one.
    init(resources: [String: [String: TimeInterval]], parents: [String: [String: String]] = [:], seed: UInt64) {
        backends = [:]
        for (name, maxAges) in resources { backends[name] = RosterBackend(maxAges: maxAges, parents: parents[name] ?? [:]) }
        generator = SplitMix64(seed: seed)
    }

    mutating func on(_ event: RosterEvent, at now: Date) -> [RosterAction] {
        var actions = learn(event, now)
        actions += advance(now)
        return actions
    }

    /// By backend and resource.
    func conditions(at now: Date) -> [String: [String: RosterCondition]] {
        backends.mapValues { $0.conditions(isStopping: isStopping, at: now) }
    }

    private mutating func learn(_ event: RosterEvent, _ now: Date) -> [RosterAction] {
        switch event {
        case .session(let name, let account, let revision):
            guard var backend = backends[name], revision >= backend.sessionRevision else { return [] }
            backend.sessionRevision = revision
            guard account != backend.account else {
                backends[name] = backend
                return []
            }
            let actions = backend.change(to: account, of: name)
            backends[name] = backend
            return actions
        case .gate(let name, let gate): backends[name]?.gateChanged(to: gate)
        case .networkChanged: for name in backends.keys { backends[name]?.backoff.hurry() }
        case .hurried(let meant): for name in backends.keys where meant == nil || meant == name { backends[name]?.backoff.hurry() }
        case .touched(let name, let resource): backends[name]?.touch(resource, at: now)
        case .lost(let key):
            guard backends[key.destination.backend]?.account == key.destination.account else { return [] }
            backends[key.destination.backend]?.lose(key.resource, at: now)
        case .asked(let name, let resource, let id):
            guard backends[name]?.ask(resource, id) == true else { return [.answer([id], .impossible(.stopping))] }
        case .withdrawn(let id): for name in backends.keys { backends[name]?.withdraw(id) }
        case .known(let destination, let heads, let touched):
            guard backends[destination.backend]?.account == destination.account else { return [] }
            backends[destination.backend]?.know(heads, at: now, using: &generator)
            for resource in touched { backends[destination.backend]?.touch(resource, at: now) }
        case .ended(let key, let outcome, let took):
            return backends[key.destination.backend]?.ended(key, outcome, took: took, at: now, using: &generator) ?? []
        case .woke: wakeAt = nil
        case .stop: isStopping = true
        }
        return []
    }

    private mutating func advance(_ now: Date) -> [RosterAction] {
        var actions: [RosterAction] = []
        for name in backends.keys.sorted() {
            guard var backend = backends[name] else { continue }
            if let obstacle = backend.obstacle(isStopping: isStopping, at: now) {
                let asked = backend.takeAsked()
                if !asked.isEmpty { actions.append(.answer(asked, .impossible(obstacle))) }
            }
            if isStopping, backend.cancel() { actions.append(.cancel(backend: name)) }
            if let key = backend.begin(name, isStopping: isStopping, at: now) { actions.append(.read(key)) }
            backends[name] = backend
        }
        let next = backends.values.compactMap { $0.nextTime(isStopping: isStopping, at: now) }.min()
        if next != wakeAt {
            wakeAt = next
            actions.append(.wake(at: next))
        }
        if isStopping, !hasFinished, backends.values.allSatisfy(\.isIdle) {
            hasFinished = true
            actions.append(.finished)
        }
        return actions
    }
}
