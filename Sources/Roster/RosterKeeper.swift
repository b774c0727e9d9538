import Backends
import Foundation
import Logging
import Outbox
import Sessions
import SyncModel
import Synchronization

/// Keeps the lists of signed-in accounts: runs the actions of `RosterState`. One loop owns the state; all other code posts events to it.
package final class RosterKeeper: Sendable {
    private let keepers: [String: SessionKeeper]
    private let readers: [String: RosterReader]
    private let outbox: Outbox
    private let clock: any SyncClock
    private let seed: UInt64
    private let log: Logger
    private let events: AsyncStream<RosterEvent>
    private let inbox: AsyncStream<RosterEvent>.Continuation
    /// By backend and resource.
    private let shown = Mutex<[String: [String: RosterCondition]]>([:])
    private let deliveries = Mutex(DeliveredChanges())
    /// The waiting callers; nil after the loop has ended.
    private let waiting = Mutex<[UUID: AsyncStream<RosterAnswer>.Continuation]?>([:])

    package init(outbox: Outbox, keepers: [SessionKeeper], clock: any SyncClock, seed: UInt64, log: Logger) {
        self.keepers = Dictionary(uniqueKeysWithValues: keepers.map { ($0.backend.name, $0) })
        readers = self.keepers.mapValues { RosterReader(keeper: $0, outbox: outbox, clock: clock) }
        (self.outbox, self.clock, self.seed, self.log) = (outbox, clock, seed, log)
        (events, inbox) = AsyncStream.makeStream()
    }

    private func post(_ event: RosterEvent) { inbox.yield(event) }

    package func condition(of backend: String, _ resource: String) -> RosterCondition {
        shown.withLock { $0[backend]?[resource] } ?? RosterCondition()
    }

    package func sessionChanged(_ snapshot: SessionSnapshot) {
        let account = snapshot.state == .signedIn ? snapshot.account?.id : nil
        deliveries.withLock { $0.sessionChanged(at: snapshot.backend, to: account, revision: snapshot.revision) }
        post(.session(backend: snapshot.backend, account, revision: snapshot.revision))
    }

    /// Reports a change of the backend's gate.
    package func gateChanged(of backend: String, to gate: Gate) { post(.gate(backend: backend, gate)) }

    package func networkChanged() { post(.networkChanged) }

    /// A person requests an attempt now; nil for every backend.
    package func hurry(backend: String?) { post(.hurried(backend: backend)) }

    /// Notes a delivery, or a send with unknown outcome, which may have changed the lists that its route names.
    package func delivered(_ mutation: Mutation) {
        let backend = mutation.destination.backend
        for resource in keepers[backend]?.backend.touches(route: mutation.route) ?? [] {
            post(.touched(backend: backend, resource: resource))
        }
    }

    /// Keeps a change for `changes` until the list is read again. Call after the server's answer, before the delivery is stored.
    package func keepChange(of mutation: Mutation) {
        guard let backend = keepers[mutation.destination.backend]?.backend else { return }
        deliveries.withLock { $0.add(mutation, of: backend) }
    }

    /// Changes of deliveries since the list was read, by entry. Empty after a restart, which reads such a list again.
    package func changes(in key: RosterKey) -> [MutationID: DeliveredChange] { deliveries.withLock { $0[key] } }

    /// The stored list could not be read and was deleted.
    package func lost(_ key: RosterKey) { post(.lost(key)) }

    /// Reads the list now. Returns when the read has ended or is impossible, or when cancelled.
    package func refresh(backend: String, resource: String) async -> RosterAnswer {
        let id = UUID()
        let (answers, continuation) = AsyncStream.makeStream(of: RosterAnswer.self)
        let isRunning = waiting.withLock { waiting in
            waiting?[id] = continuation
            return waiting != nil
        }
        guard isRunning else { return .impossible(.stopping) }
        post(.asked(backend: backend, resource: resource, id))
        if let answer = await answers.first(where: { _ in true }) { return answer }
        waiting.withLock { $0?[id] = nil }
        post(.withdrawn(id))
        return .impossible(.stopping)
    }

    /// Cancels the reads; `run` returns at once.
    package func stop() { post(.stop) }

    /// Reads until stopped.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for keeper in keepers.values { group.addTask { self.sessionChanged(await keeper.snapshot) } }
            let state = RosterState(
                resources: keepers.mapValues { $0.backend.maxAges }, parents: keepers.mapValues { $0.backend.parents }, seed: seed)
            var loop = Loop(state: state)
            for await event in events {
                apply(event, &loop, &group)
                if loop.hasFinished { break }
            }
            group.cancelAll()
        }
        let left = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        for continuation in left?.values.map(\.self) ?? [] { continuation.finish() }
    }

    private struct Loop {
        var state: RosterState
        /// By backend.
        var reads: [String: CancellationToken] = [:]
        var timer: CancellationToken?
        var hasFinished = false
    }

    private func apply(_ event: RosterEvent, _ loop: inout Loop, _ group: inout DiscardingTaskGroup) {
        switch event {
        case .ended(let key, let outcome, _):
            loop.reads[key.destination.backend] = nil
            report(outcome, of: key)
            if case .stored = outcome { deliveries.withLock { $0.endRead(of: key) } }
        default: break
        }
        let now = clock.now
        let actions = loop.state.on(event, at: now)
        let conditions = loop.state.conditions(at: now)
        shown.withLock { $0 = conditions }
        for action in actions { perform(action, at: now, &loop, &group) }
    }

    private func perform(_ action: RosterAction, at now: Date, _ loop: inout Loop, _ group: inout DiscardingTaskGroup) {
        switch action {
        case .loadHeads(let destination):
            group.addTask { await self.loadHeads(destination) }
        case .read(let key):
            guard let reader = readers[key.destination.backend] else { return }
            deliveries.withLock { $0.beginRead(of: key) }
            loop.reads[key.destination.backend] = group.addCancellableTask {
                let begin = ContinuousClock.now
                let outcome = await reader.read(key)
                self.post(.ended(key, outcome, took: ContinuousClock.now - begin))
            }
        case .cancel(let backend): loop.reads[backend]?.finish()
        case .answer(let callers, let answer):
            for continuation in waiting.withLock({ waiting in callers.compactMap { waiting?.removeValue(forKey: $0) } }) {
                continuation.yield(answer)
            }
        case .wake(let date):
            loop.timer?.finish()
            // `try?`: cancelled, because another timer replaced it.
            loop.timer = date.map { date in
                group.addCancellableTask { if (try? await self.clock.sleep(from: now, until: date)) != nil { self.post(.woke) } }
            }
        case .finished: loop.hasFinished = true
        }
    }

    private func loadHeads(_ destination: Destination) async {
        // `try?`: unreadable rosters are read again from the server.
        let heads = (try? await outbox.rosterHeads(of: destination)) ?? []
        var touched: Set<String> = []
        if let backend = keepers[destination.backend]?.backend {
            for head in heads {
                let routes = backend.routes.filter { backend.touches(route: $0).contains(head.key.resource) }
                // `try?`: a store that cannot be read delivers nothing either.
                if (try? await outbox.hasTouched(routes, at: destination, since: head.beganAt)) == true {
                    touched.insert(head.key.resource)
                }
            }
        }
        post(.known(destination, heads, touched: touched))
    }

    /// Logs each kind of failure once, without the server's message, which may repeat a row.
    private func report(_ outcome: RosterOutcome, of key: RosterKey) {
        var metadata: Logger.Metadata = ["backend": "\(key.destination.backend)", "list": "\(key.resource)"]
        switch outcome {
        case .stored(let head, let isChanged):
            metadata["rows"] = "\(head.count)"
            log.log(level: isChanged ? .info : .debug, "A list was read", metadata: metadata)
        case .failed(let failure), .unsettled(let failure), .throttled(let failure, _):
            let isKnown = condition(of: key.destination.backend, key.resource).failure?.reason == failure.reason
            metadata["reason"] = "\(failure.reason.rawValue)"
            metadata["status"] = failure.status.map { "\($0)" }
            log.log(level: isKnown ? .debug : .info, "A list could not be read; will retry", metadata: metadata)
        case .notStored(let error):
            metadata["error"] = "\(error)"
            log.warning("A list could not be stored; will retry within the hour", metadata: metadata)
        case .sessionEnded, .cancelled: break
        }
    }
}

extension Backend {
    /// By resource, in seconds.
    fileprivate var maxAges: [String: TimeInterval] { Dictionary(uniqueKeysWithValues: resources.map { ($0.name, $0.maxAge.seconds) }) }

    /// By resource.
    fileprivate var parents: [String: String] {
        Dictionary(uniqueKeysWithValues: resources.compactMap { resource in resource.parent.map { (resource.name, $0) } })
    }
}
