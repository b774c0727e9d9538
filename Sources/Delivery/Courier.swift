import Backends
import Foundation
import Sessions
import SyncModel

/// Sends one entry and returns the result; errors become verdicts. `DeliveryAttempt` decides each step.
package struct Courier: Sendable {
    private let keeper: SessionKeeper
    private let backend: Backend
    private let rules: DeliveryAttempt.Rules
    private let clock: any SyncClock

    package init(keeper: SessionKeeper, policy: RetryPolicy, clock: any SyncClock) {
        self.keeper = keeper
        backend = keeper.backend
        rules = DeliveryAttempt.Rules(
            attempts: policy.attempts, lookupAfter: policy.lookupAfter, keyLifetime: keeper.backend.keyLifetime?.seconds)
        self.clock = clock
    }

    /// Sends `entry` with the session of its account. If an earlier send may have taken effect, looks it up first.
    package func attempt(_ entry: Entry) async -> Attempt {
        let name = entry.mutation.route
        let route = backend.traits(route: name)
        var rules = rules
        if backend.isIdempotent(route: name) { rules.keyLifetime = nil }
        let rows = backend.freshResource(route: name).map {
            DeliveryAttempt.Rows(
                many: $0.title.many, absentIsDone: backend.isDoneIfAbsent(route: name), levels: backend.chain(to: $0).count)
        }
        var delivery = DeliveryAttempt(entry, route: route, rules: rules, rows: rows, startedAt: clock.now)
        var session: Session
        do { session = try await keeper.freshSession() } catch { return delivery.withoutSession(error, at: clock.now) }
        var step = delivery.begin(as: session.account, at: clock.now)
        while true {
            switch step {
            case .end(let attempt): return attempt
            case .readRow(let page, let etag): step = await readRow(entry, page, unless: etag, &session, &delivery)
            case .findRow(let rows): step = await findRow(of: entry, in: rows, session, &delivery)
            case .send: step = await send(entry, &session, &delivery)
            case .lookUp(let page, let seen): step = await lookUp(entry, page, seen, &session, &delivery)
            case .renew:
                do {
                    session = try await keeper.replace(session)
                    step = delivery.renewed()
                } catch .undeclared {
                    step = delivery.notRenewed(at: clock.now)
                } catch {
                    step = delivery.failed(Verdict(error), at: clock.now)
                }
            }
        }
    }

    /// With the server's ids. Throws for an entry that refers to a row whose id is unknown: it must not be sent.
    private func sendable(_ entry: Entry) throws(Failure) -> Mutation {
        var mutation = entry.mutation
        if let id = entry.bound { mutation = try backend.bound(mutation, to: id) }
        guard backend.isBound(mutation) else {
            throw Failure(.profile, "The entry refers to a row whose id at \(backend.name) is not known, so Homing does not send it.")
        }
        return mutation
    }

    private func send(_ entry: Entry, _ session: inout Session, _ delivery: inout DeliveryAttempt) async -> DeliveryAttempt.Step {
        do {
            let mutation = try sendable(entry)
            try backend.checkValues(of: mutation)
            let request = try backend.request(for: mutation, row: delivery.row)
            return await carry(request, &session, &delivery) { response, delivery in
                delivery.answered(backend.verdict(on: response, to: mutation, at: clock.now), at: clock.now)
            } broken: { status in
                backend.verdict(onHeadOf: status, to: mutation, at: clock.now)
            }
        } catch {
            return delivery.failed(.permanent(error), at: clock.now)
        }
    }

    private func lookUp(
        _ entry: Entry, _ page: Int, _ seen: Int, _ session: inout Session, _ delivery: inout DeliveryAttempt
    ) async -> DeliveryAttempt.Step {
        do {
            let mutation = try sendable(entry)
            guard let request = try backend.lookup(for: mutation, page: page) else { return delivery.lookedUp(.absent, at: clock.now) }
            return await carry(request, &session, &delivery) { response, delivery in
                delivery.lookedUp(backend.lookedUp(response, for: mutation, page: page, seen: seen, at: clock.now), at: clock.now)
            }
        } catch {
            return delivery.failed(.permanent(error), at: clock.now)
        }
    }

    private func readRow(
        _ entry: Entry, _ page: Int, unless etag: String?, _ session: inout Session, _ delivery: inout DeliveryAttempt
    ) async -> DeliveryAttempt.Step {
        do throws(Failure) {
            _ = try sendable(entry)
            let (level, parent) = delivery.place
            let chain = backend.freshResource(route: entry.mutation.route).map { backend.chain(to: $0) } ?? []
            guard chain.indices.contains(level) else {
                throw Failure(.profile, "The route \"\(entry.mutation.route)\" of \(backend.name) does not say which rows to read.")
            }
            let resource = chain[level]
            let request = try backend.read(resource, of: parent, page: page, unless: etag)
            return await carry(request, &session, &delivery) { response, delivery in
                let rows = backend.answer(to: resource, response, sentETag: etag, now: clock.now)
                return delivery.readRow(rows, status: response.status, at: clock.now)
            }
        } catch {
            return delivery.failed(.permanent(error), at: clock.now)
        }
    }

    /// Rows of another account would prove nothing.
    private func findRow(
        of entry: Entry, in rows: [RosterRow], _ session: Session, _ delivery: inout DeliveryAttempt
    ) async -> DeliveryAttempt.Step {
        do {
            try await keeper.vouch(for: session)
        } catch {
            return delivery.failed(Verdict(error, isSafe: true, isCut: Task.isCancelled), at: clock.now)
        }
        guard session.account.id == entry.destination.account else {
            return delivery.failed(.unauthorized(Failure(.signInRequired, "Another account is signed in.")), at: clock.now)
        }
        do {
            return delivery.found(try backend.row(for: try sendable(entry), in: rows), at: clock.now)
        } catch {
            return delivery.failed(.permanent(error), at: clock.now)
        }
    }

    /// - Parameter broken: the verdict on a success with this status whose body did not arrive whole; nil if the head decides nothing.
    private func carry(
        _ request: OutboundRequest, _ session: inout Session, _ delivery: inout DeliveryAttempt,
        report: (InboundResponse, inout DeliveryAttempt) -> DeliveryAttempt.Step, broken: (Int) -> Verdict? = { _ in nil }
    ) async -> DeliveryAttempt.Step {
        do {
            let answer = try await keeper.send(request, as: session)
            session = answer.session
            return report(answer.response, &delivery)
        } catch {
            if case .lost(let failure) = error, let status = failure.status, let verdict = broken(status) {
                return delivery.answered(verdict, at: clock.now)
            }
            return delivery.failed(Verdict(error, isSafe: request.isSafe, isCut: Task.isCancelled), at: clock.now)
        }
    }

    /// Requests the health route, which has no side effects. Without one, only opens a connection.
    package func probe() async -> Probe {
        switch await keeper.probe() {
        // The next entry renews a refused session or waits.
        case .well, .refused: .well
        case .ill(let failure, let wait): .failed(failure, retryAfter: wait)
        case .intercepted(let failure), .unreachable(let failure): .failed(failure)
        }
    }
}
