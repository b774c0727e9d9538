import Backends
import Foundation
import Logging
import Outbox
import Roster
import Sessions
import SyncModel
import Synchronization

/// Runs the actions of `DispatchState`. One loop owns the state; all other code posts events to it.
package final class Dispatcher: Sendable {
    private let outbox: Outbox
    private let couriers: [String: Courier]
    private let keepers: [String: SessionKeeper]
    /// Learns of gates, deliveries and the network.
    private let rosters: RosterKeeper
    private let clock: any SyncClock
    private let policy: DispatchState.Policy
    private let seed: UInt64
    private let log: Logger
    private let messages: AsyncStream<Message>
    private let inbox: AsyncStream<Message>.Continuation
    private let shown: Mutex<Shown>
    /// Callers that wait for the loop; nil after it has ended.
    private let waiting = Mutex<Waiting?>(Waiting())
    /// The time limit of a stop, in seconds.
    private let patience = Mutex(grace)

    /// The default time limit of a stop or sign-out, in seconds.
    private static let grace: TimeInterval = 2

    private enum Message: Sendable {
        case event(DispatchEvent)
        case storeBroke(OutboxError)
        /// Checks that the loop responds.
        case echo
    }

    private struct Shown {
        var gates: [String: Gate] = [:]
        var routes: [String: [String: RouteGate]] = [:]
        var nextTries: [String: Date] = [:]
        var connections: [String: Date] = [:]
    }

    private struct Waiting {
        /// By backend.
        var drained: [String: [AsyncStream<Void>.Continuation]] = [:]
        var echoes: [CheckedContinuation<Bool, Never>] = []
        var ends: [AsyncStream<Void>.Continuation] = []
    }

    /// Sends through `keepers`. Continues the pauses that a person or a server requested in an earlier run.
    package init(
        outbox: Outbox, keepers: [SessionKeeper], rosters: RosterKeeper, clock: any SyncClock, policy: DispatchState.Policy, seed: UInt64,
        log: Logger
    ) throws(OutboxError) {
        let keepers = Dictionary(uniqueKeysWithValues: keepers.map { ($0.backend.name, $0) })
        let addresses = keepers.mapValues { $0.backend.address }
        let pauses = try outbox.pauses(at: clock.now).filter { addresses[$0.backend] != nil }
        let serverPauses = try outbox.serverPauses(at: clock.now).filter { addresses[$0.backend] == $0.address }
        self.outbox = outbox
        (self.rosters, self.keepers) = (rosters, keepers)
        couriers = keepers.mapValues { Courier(keeper: $0, policy: policy.retry, clock: clock) }
        self.clock = clock
        self.policy = policy
        self.seed = seed
        self.log = log
        (messages, inbox) = AsyncStream.makeStream()
        let gates = pauses.map { ($0.backend, Gate.paused(until: $0.until, reason: $0.reason)) }
        shown = Mutex(Shown(gates: Dictionary(uniqueKeysWithValues: gates)))
        // Post these before the first session event, which starts sending.
        for (backend, gate) in gates { rosters.gateChanged(of: backend, to: gate) }
        for pause in pauses { post(.paused(pause)) }
        for pause in serverPauses {
            rosters.gateChanged(of: pause.backend, to: .cooling(until: pause.until, pause.failure))
            post(.serverPaused(backend: pause.backend, until: pause.until, pause.failure))
        }
    }

    private func post(_ event: DispatchEvent) { inbox.yield(.event(event)) }

    package var gates: [String: Gate] { shown.withLock { $0.gates } }
    /// Suspended routes of a backend with an open gate.
    package func routeGates(of backend: String) -> [String: RouteGate] { shown.withLock { $0.routes[backend] ?? [:] } }
    /// Nil if none is scheduled.
    package func nextTry(of backend: String) -> Date? { shown.withLock { $0.nextTries[backend] } }
    /// When a connection showed that an outage may be over, if nothing has proven it since; nil otherwise.
    package func connection(to backend: String) -> Date? { shown.withLock { $0.connections[backend] } }
    package var attempts: Int { policy.retry.attempts }
    package var lookupAfter: TimeInterval { policy.retry.lookupAfter }

    package func sessionChanged(_ snapshot: SessionSnapshot) {
        post(.session(backend: snapshot.backend, snapshot.state == .signedIn ? snapshot.account : nil, revision: snapshot.revision))
    }

    package func hurry(backend: String?) {
        for (name, keeper) in keepers where backend == nil || name == backend { keeper.hurry() }
        rosters.hurry(backend: backend)
        post(.hurried(backend: backend))
    }

    /// Pauses a backend; requests in progress may finish.
    ///
    /// - Parameter revision: the greater of two is newer, in any order of arrival.
    package func pause(_ pause: Pause, revision: Int64) { post(.paused(pause, revision: revision)) }

    package func resume(backend: String, revision: Int64) { post(.resumed(backend: backend, revision: revision)) }

    /// Retries unreachable backends.
    package func networkChanged() {
        for keeper in keepers.values { keeper.hurry() }
        rosters.networkChanged()
        post(.networkChanged)
    }

    /// Returns when no request to `backend` is in progress, or when cancelled. Cancels requests after the grace period.
    package func drain(backend: String) async {
        async let _: Void = cut(after: Self.grace, [backend])
        let (drained, continuation) = AsyncStream.makeStream(of: Void.self)
        let isRunning = waiting.withLock { waiting in
            waiting?.drained[backend, default: []].append(continuation)
            return waiting != nil
        }
        guard isRunning else { return }
        post(.drain(backend: backend))
        for await _ in drained {}
        // Leaving the scope cancels `cut`.
    }

    /// Stops sending; `run` returns within seconds, with everything written.
    package func stop() { stop(within: Self.grace) }

    /// Stops sending, and returns when `run` has ended or when cancelled; requests in progress get this many seconds.
    package func finish(within seconds: TimeInterval) async {
        let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
        let isRunning = waiting.withLock { waiting in
            waiting?.ends.append(continuation)
            return waiting != nil
        }
        guard isRunning else { return }
        stop(within: seconds)
        for await _ in ended {}
    }

    private func stop(within seconds: TimeInterval) {
        patience.withLock { $0 = seconds }
        rosters.stop()
        post(.stop)
    }

    /// Returns true when the loop responds, false if it has ended; waits while it is stuck.
    package func echo() async -> Bool {
        await withCheckedContinuation { continuation in
            let isRunning = waiting.withLock { waiting in
                waiting?.echoes.append(continuation)
                return waiting != nil
            }
            if isRunning { inbox.yield(.echo) } else { continuation.resume(returning: false) }
        }
    }

    /// Delivers until stopped. Throws only if the outbox cannot be written, which ends the daemon.
    package func run() async throws(OutboxError) {
        let failure = await withDiscardingTaskGroup(returning: OutboxError?.self) { group in
            listen(&group)
            let (records, continuation) = AsyncStream.makeStream(of: Record.self)
            group.addTask { await self.write(records) }
            let state = DispatchState(backends: keepers.mapValues { $0.backend.hasHealth }, policy: policy, seed: seed)
            var loop = Loop(state: state, records: continuation)
            defer {
                loop.records.finish()
                group.cancelAll()
            }
            for await message in messages {
                switch message {
                case .event(let event):
                    apply(event, &loop, &group)
                    if loop.hasFinished { return nil }
                case .storeBroke(let error): return error
                case .echo:
                    answerEchoes()
                    // The wall clock may have been set since the last event.
                    apply(.woke, &loop, &group)
                }
            }
            return nil
        }
        let left = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        for continuation in left?.drained.values.flatMap(\.self) ?? [] { continuation.finish() }
        for continuation in left?.echoes ?? [] { continuation.resume(returning: false) }
        for continuation in left?.ends ?? [] { continuation.finish() }
        if let failure { throw failure }
    }

    private func answerEchoes() {
        let asked = waiting.withLock { waiting in
            defer { waiting?.echoes = [] }
            return waiting?.echoes ?? []
        }
        for continuation in asked { continuation.resume(returning: true) }
    }

    /// A small write that may be lost.
    private typealias Record = @Sendable () async throws -> Void
    private struct Loop {
        var state: DispatchState
        /// Written one at a time, in order.
        let records: AsyncStream<Record>.Continuation
        var tries: [Int64: CancellationToken] = [:]
        var probes: [String: CancellationToken] = [:]
        var timer: CancellationToken?
        var hasFinished = false
    }

    private func listen(_ group: inout DiscardingTaskGroup) {
        let arrivals = outbox.arrivals.listen()
        group.addTask { for await _ in arrivals { self.post(.arrived) } }
        for keeper in keepers.values { group.addTask { self.sessionChanged(await keeper.snapshot) } }
    }

    /// `try?`: a full disk loses an event, but no gate; the next start ends or corrects a pause; a server repeats its request.
    private func write(_ records: AsyncStream<Record>) async { for await record in records { try? await record() } }

    private func apply(_ event: DispatchEvent, _ loop: inout Loop, _ group: inout DiscardingTaskGroup) {
        switch event {
        case .attempted(let entry, _): loop.tries[entry.sequence] = nil
        case .probed(let backend, _): loop.probes[backend] = nil
        case .stop:
            let patience = patience.withLock(\.self)
            group.addTask { await self.cut(after: patience, Array(self.couriers.keys)) }
        default: break
        }
        let now = clock.now
        let actions = loop.state.on(event, at: now)
        let (nextTries, connections) = (loop.state.nextTries, loop.state.connections)
        shown.withLock { ($0.nextTries, $0.connections) = (nextTries, connections) }
        for action in actions { perform(action, at: now, &loop, &group) }
    }

    private func perform(_ action: DispatchAction, at now: Date, _ loop: inout Loop, _ group: inout DiscardingTaskGroup) {
        switch action {
        case .store(let settled, let slots): store(settled, slots, &group)
        case .attempt(let entry):
            guard let courier = couriers[entry.destination.backend] else { return }
            loop.tries[entry.sequence] = group.addCancellableTask { self.post(.attempted(entry, await courier.attempt(entry))) }
        case .probe(let backend):
            guard let courier = couriers[backend] else { return }
            loop.probes[backend] = group.addCancellableTask {
                let probe = await courier.probe()
                let isCancelled = Task.isCancelled && probe != .well
                self.post(.probed(backend: backend, isCancelled ? .failed(Failure(.stopping, "The probe was cancelled.")) : probe))
            }
        case .abandonProbe(let backend): loop.probes[backend]?.finish()
        case .checkSession(let backend):
            guard let keeper = keepers[backend] else { return }
            group.addTask { self.sessionChanged(await keeper.snapshot) }
        case .wake(let date):
            loop.timer?.finish()
            // `try?`: cancelled, because another timer replaced it.
            loop.timer = date.map { date in
                group.addCancellableTask { if (try? await self.clock.sleep(from: now, until: date)) != nil { self.post(.woke) } }
            }
        case .gateChanged(let backend, let gate):
            let before = shown.withLock { shown in
                defer { shown.gates[backend] = gate }
                return shown.gates[backend]
            }
            rosters.gateChanged(of: backend, to: gate)
            record(gate, after: before, backend, loop)
        case .routeChanged(let backend, let route, let gate): shown.withLock { $0.routes[backend, default: [:]][route] = gate }
        case .keepServerPause(let backend, let until, let failure):
            let address = keepers[backend]?.backend.address ?? ""
            let serverPause = ServerPause(
                backend: backend, address: address, since: now, until: until, failure: failure.withoutWords(at: backend))
            loop.records.yield { try await self.outbox.keep(serverPause) }
        case .pauseEnded(let pause):
            log.notice("A pause has ended", metadata: ["backend": "\(pause.backend)"])
            loop.records.yield { try await self.outbox.expire(pause, at: self.clock.now) }
        case .pauseCorrected(let pause): loop.records.yield { try await self.outbox.correct(pause) }
        case .cut(let entries): for entry in entries { loop.tries[entry.sequence]?.finish() }
        case .drained(let backend):
            for continuation in waiting.withLock({ $0?.drained.removeValue(forKey: backend) ?? [] }) { continuation.finish() }
        case .finished: loop.hasFinished = true
        }
    }

    private func store(_ settled: [Settled], _ slots: [Destination: ClaimOrder], _ group: inout DiscardingTaskGroup) {
        group.addTask {
            let begin = ContinuousClock.now
            for item in settled {
                if case .delivered = item.settlement { self.rosters.keepChange(of: item.entry.mutation) }
            }
            do throws(OutboxError) {
                let claimed = try await self.outbox.settle(settled, thenClaim: slots, at: self.clock.now)
                self.post(.stored(claimed))
                for item in settled {
                    switch item.settlement {
                    // A person looks in the list for what an unknown outcome has changed.
                    case .delivered, .held(.unknownOutcome, _): self.rosters.delivered(item.entry.mutation)
                    case .held, .dead, .retry, .released, .aside: break
                    }
                }
                self.logDecisions(settled, claimed.unreadable)
                self.log.trace(
                    "Settled and claimed",
                    metadata: [
                        "settled": "\(settled.count)", "claimed": "\(claimed.entries.count)",
                        "claimMicroseconds": "\(claimed.took / .microseconds(1))",
                        "microseconds": "\((ContinuousClock.now - begin) / .microseconds(1))",
                    ])
            } catch .full {
                self.log.error("The disk is full: the results of attempts cannot be stored yet")
                self.post(.storeFailed)
            } catch .gone {
                // The outbox reports it. To end the daemon would end its hold on the deleted file.
                self.post(.storeFailed)
            } catch {
                self.inbox.yield(.storeBroke(error))
            }
        }
    }

    /// Logs entries that need a person, without the backend's message, which may repeat the payload.
    private func logDecisions(_ settled: [Settled], _ unreadable: [MutationID]) {
        for item in settled {
            func warn(_ message: Logger.Message, _ reason: String) {
                let backend = item.entry.destination.backend
                log.warning(message, metadata: ["id": "\(item.entry.id)", "backend": "\(backend)", "reason": "\(reason)"])
            }
            switch item.settlement {
            case .dead(let failure): warn("An entry has failed", failure.reason.rawValue)
            case .held(let reason, _): warn("An entry is on hold and needs a decision", reason.rawValue)
            case .delivered, .retry, .released, .aside: break
            }
        }
        for id in unreadable { log.error("An entry is on hold: its stored data cannot be read", metadata: ["id": "\(id)"]) }
    }

    /// Cancels sends after the grace period; they are settled as released. Uses real time, because a person or systemd is waiting.
    private func cut(after grace: TimeInterval, _ backends: [String]) async {
        if (try? await Task.sleep(for: .seconds(grace))) == nil { return }  // `try?`: cancelled, nothing is left to cut
        for backend in backends { post(.cut(backend: backend)) }
    }

    private func record(_ gate: Gate, after before: Gate?, _ backend: String, _ loop: Loop) {
        // Another try with the same result is no news, unless the server asked for a longer pause.
        if case (.cooling(_, let earlier)?, .cooling(_, let failure)) = (before, gate), earlier == failure, failure.reason != .throttled {
            return
        }
        // Events and the journal outlive a payload that the server may have repeated.
        let gate = gate.withoutWords(at: backend)
        var detail = ["gate": gate.name]
        detail["message"] = gate.reason
        if case .cooling(let until, let failure) = gate {
            detail["reason"] = failure.reason.rawValue
            detail["until"] = until.formatted(.iso8601)
        }
        if case .paused(let until, _) = gate { detail["until"] = until?.formatted(.iso8601) }
        let event = SyncEvent(at: clock.now, .gateChanged, backend: backend, detail: detail)
        log.info(
            "The gate has changed", metadata: ["backend": "\(backend)", "gate": "\(gate.name)", "reason": "\(gate.reason ?? "")"])
        loop.records.yield { try await self.outbox.record([event]) }
    }
}
