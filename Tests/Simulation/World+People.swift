import Delivery
import Foundation
import Outbox
import SyncModel
import TestSupport

extension World {
    func submit(
        _ backend: String, _ account: Int, _ lane: Int, _ route: RouteKind, halts: Bool, _ curse: Curse?, after: Int?, _ count: Int
    ) async throws {
        guard isRunning, !isDiskFull else { return }
        let destination = Destination(backend: backend, account: AccountID(String(account % plan.accounts + 1)))
        let lane = Lane("lane\(lane)")
        let onDead = halts ? Mutation.OnDead.halt : .skip
        let after = after.map { Lane("lane\($0)") }.flatMap { $0 == lane ? nil : $0 }
        let mutations = (0..<count).map { _ in
            Mutation(
                id: Samples.id(number()), destination: destination, lane: lane, route: route.rawValue, payload: Data("{}".utf8),
                onDead: onDead, capturedAt: now, after: after)
        }
        let results = try await outbox.enqueue(mutations, accountLabel: nil, at: now)
        let parent = after.flatMap { model.last(of: $0, at: destination) }
        // Only the first is cursed.
        for (index, (mutation, result)) in zip(mutations, results).enumerated() {
            guard case .new(let sequence) = try result.get() else { throw Violation("I1", "\(mutation.id) is known already") }
            try model.add(
                Model.Item(
                    sequence: sequence, id: mutation.id, destination: destination, lane: lane, route: route, onDead: onDead,
                    curse: index == 0 ? curse : nil,
                    after: after, parent: parent, acceptedAt: time))
        }
        happened()
        arrive()
    }

    private func candidate(_ pick: Int) -> Model.Item? {
        guard isRunning, !isDiskFull else { return nil }
        let items = model.open.filter { $0.state != .inflight }.sorted { $0.sequence < $1.sequence }
        return items.isEmpty ? nil : items[pick % items.count]
    }

    /// If only a person can know the outcome, the person has checked that there was no effect.
    func retry(_ pick: Int) async throws {
        guard let item = candidate(pick) else { return }
        let forgetsDoubt = !item.route.traits.canLookUp
        if forgetsDoubt, item.uncertain {
            try arriveLate(item.id)
            if ledger.has(item.id) { return }
        }
        try await outbox.retry(item.id, forgetsDoubt: forgetsDoubt, by: "a person", at: now)
        model.retry(item, forgetsDoubt: forgetsDoubt)
        happened()
        arrive()
    }

    func discard(_ pick: Int) async throws {
        guard let item = candidate(pick) else { return }
        try await outbox.discard(item.id, by: "a person", at: now)
        model.discard(item)
        happened()
        arrive()
    }

    /// `homing sync`.
    func sync(_ backend: String?) async throws {
        guard isRunning, !isDiskFull else { return }
        for name in names where backend == nil || backend == name {
            let routes = RouteKind.allCases.filter { $0.traits.canLookUp }.map(\.rawValue)
            try await outbox.makeDue(backend: name, lookingUp: Set(routes), at: now)
        }
        model.makeDue(backend: backend, at: now)
        arrive()
        try feed(.hurried(backend: backend))
    }

    func pause(_ backend: String, _ seconds: TimeInterval?) async throws {
        guard isRunning, !isDiskFull else { return }
        let pause = Pause(
            backend: backend, reason: "", since: Date(ms: now.ms), until: seconds.map { Date(ms: now.addingTimeInterval($0).ms) },
            by: "a person")
        let revision = try await outbox.pause([pause], by: "a person", at: now)
        happened()
        underway.append(.mail(.paused(pause, revision: revision)))
    }

    func resume(_ backend: String) async throws {
        guard isRunning, !isDiskFull else { return }
        let revision = try await outbox.resume(backend: backend, by: "a person", at: now).revision
        happened()
        underway.append(.mail(.resumed(backend: backend, revision: revision)))
    }

    /// First the local session ends, then requests in flight, then the backend's session.
    func signOut(_ backend: String, kept: Bool) throws {
        guard isRunning, let keeper = keepers[backend], let account = keeper.account, !keeper.isLeaving else { return }
        setSession(backend, nil)
        keepers[backend]?.isLeaving = true
        keepers[backend]?.comesBack = kept ? account : nil
        met("signOut")
        try feed(.drain(backend: backend))
    }

    func prune() async throws {
        guard isRunning, !isDiskFull else { return }
        try await outbox.prune(before: .distantFuture, at: .distantFuture)
        model.prune()
        happened()
    }
}
