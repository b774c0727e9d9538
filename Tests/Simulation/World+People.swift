import Delivery
import Foundation
import Outbox
import SyncModel
import TestSupport

extension World {
    func submit(
        _ backend: String, _ account: Int, _ lane: Int, _ route: RouteKind, halts: Bool, _ curse: Curse?, after: Int?, _ link: Link?,
        _ count: Int
    ) async throws {
        guard isRunning, !isDiskFull else { return }
        let destination = Destination(backend: backend, account: AccountID(String(account % plan.accounts + 1)))
        let after = after.map { Lane("lane\($0)") }
        let drafts = try await drafts(count, link, lane: Lane("lane\(lane)"), at: destination)
        let onDead: Mutation.OnDead = halts ? .halt : lane.isMultiple(of: 2) ? .skip : .skipFailed
        let mutations = drafts.map { mutation(of: $0, route, onDead, after: after, at: destination) }
        let results = try await outbox.enqueue(mutations, accountLabel: nil, at: now).results
        // Only the first is cursed.
        for (index, (draft, (mutation, result))) in zip(drafts, zip(mutations, results)).enumerated() {
            try accept(draft, mutation, result, route, index == 0 ? curse : nil)
        }
        happened()
        arrive()
    }

    func mutation(
        of draft: Draft, _ route: RouteKind, _ onDead: Mutation.OnDead, after: Lane?, at destination: Destination
    ) -> Mutation {
        let after = after == draft.lane ? nil : after
        return Mutation(
            id: draft.id, destination: destination, lane: draft.submittedLane, route: route.rawValue,
            fields: draft.fields, payload: Data("{}".utf8), onDead: onDead, capturedAt: now, after: after,
            subject: draft.storedSubject, reference: draft.storedSubject.map { _ in Wire.resource },
            creates: draft.createsRow ? Wire.resource : nil, subjectLanes: draft.subjectLanes(after: after))
    }

    func accept(
        _ draft: Draft, _ mutation: Mutation, _ result: Result<Enqueued, OutboxError>, _ route: RouteKind, _ curse: Curse?
    ) throws {
        if let refusal = model.refusal(of: draft.needsCreate ? draft.row : nil) {
            refused += 1
            guard case .failure(refusal) = result else {
                throw Violation("I12", "\(draft.id) should be refused (\(refusal)), and the outbox says \(result)")
            }
            return
        }
        guard case .new(let sequence, let lane) = try result.get() else { throw Violation("I1", "\(draft.id) is known already") }
        guard lane ?? mutation.lane == draft.lane else {
            throw Violation("I5", "entry \(sequence) belongs in lane \(draft.lane), and not in \(lane ?? mutation.lane)")
        }
        let parent = mutation.after.flatMap { model.last(of: $0, at: mutation.destination) }
        var item = Model.Item(
            sequence: sequence, id: draft.id, destination: mutation.destination, lane: draft.lane, route: route, onDead: mutation.onDead,
            curse: curse, after: mutation.after, parent: parent, createsRow: draft.createsRow, row: draft.row,
            needsCreate: draft.needsCreate, acceptedAt: time)
        if model.obstacle(item) != nil { (item.state, item.holdReason) = (.held, .dependency) }
        try model.add(item)
    }

    /// What a person does to an entry.
    func decide(_ step: Step) async throws {
        guard isRunning, !isDiskFull else { return }
        switch step {
        case .retry(let pick): if let item = candidate(pick, where: { $0.discard == nil }) { try await retry(item) }
        case .discard(let pick): if let item = candidate(pick) { try await discard(item) }
        case .resolve(let pick):
            if let item = candidate(pick, where: { $0.mayHaveTakenEffect && $0.discard == nil }) { try await resolve(item) }
        case .fix(let pick, let row, let isByID): try await fix(pick, row, isByID: isByID)
        case .repeatFix(let pick): if !fixes.isEmpty { try await repeatFix(fixes[pick % fixes.count]) }
        case .discardLater(let pick, let seconds):
            if let item = candidate(pick, where: { $0.discard == nil }) { try await discardLater(item, seconds) }
        case .restore(let pick): if let item = candidate(pick, where: { $0.discard != nil }) { try await restore(item) }
        case .discardDue: try await discardDue()
        default: break
        }
    }

    private func candidate(_ pick: Int, where isOne: (Model.Item) -> Bool = { _ in true }) -> Model.Item? {
        let items = model.open.filter { $0.state != .inflight && isOne($0) }.sorted { $0.sequence < $1.sequence }
        return items.isEmpty ? nil : items[pick % items.count]
    }

    /// If only a person can know the outcome, the person has checked that there was no effect.
    func retry(_ item: Model.Item) async throws {
        if let create = item.needs, let state = model.obstacle(item) { return try await retryInVain(item, .needs(create, state)) }
        let forgetsDoubt = !item.route.traits.canLookUp
        if forgetsDoubt, item.mayHaveTakenEffect {
            try arriveLate(item.id)
            if ledger.has(item.id) { return }
        }
        try await outbox.retry(item.id, forgetsDoubt: forgetsDoubt, by: "a person", at: now)
        model.retry(item, forgetsDoubt: forgetsDoubt)
        happened()
        arrive()
    }

    private func retryInVain(_ item: Model.Item, _ reason: OutboxError) async throws {
        do throws(OutboxError) {
            try await outbox.retry(item.id, forgetsDoubt: false, by: "a person", at: now)
        } catch {
            guard error == reason else { throw error }
            return happened()
        }
        throw Violation("I12", "entry \(item.sequence) was put back into its lane, but should be refused: \(reason)")
    }

    /// The person has looked at the backend.
    func resolve(_ item: Model.Item) async throws {
        try arriveLate(item.id)
        let id = ledger.effects[item.id]?.id
        let outcome = id.map { Outbox.Resolution.delivered(remoteID: item.createsRow ? $0 : nil) } ?? .notDelivered
        try await outbox.resolve(item.id, as: outcome, by: "a person", named: nil, at: now)
        if let id { model.resolve(item, as: id) } else { model.retry(item, forgetsDoubt: true) }
        happened()
        arrive()
    }

    func discardLater(_ item: Model.Item, _ seconds: TimeInterval) async throws {
        let due = Date(ms: now.addingTimeInterval(seconds).ms)
        try await outbox.discard(item.id, later: due, reason: nil, by: "a person", named: nil, at: now)
        model.discardLater(item, due: due.ms)
        happened()
        arrive()
    }

    func restore(_ item: Model.Item) async throws {
        try await outbox.restore(item.id, by: "a person", at: now)
        model.restore(item)
        happened()
        arrive()
    }

    func discardDue() async throws {
        _ = try await outbox.discardDue(at: now)
        model.discardDue(at: now)
        happened()
        arrive()
    }

    func discard(_ item: Model.Item) async throws {
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
