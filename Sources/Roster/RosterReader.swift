import Backends
import Foundation
import Outbox
import Sessions
import SyncModel
import Synchronization

/// Reads and stores one backend's lists for the signed-in account. `RosterPasses` decides each step.
package struct RosterReader: Sendable {
    let keeper: SessionKeeper
    private let outbox: Outbox
    private let clock: any SyncClock

    package init(keeper: SessionKeeper, outbox: Outbox, clock: any SyncClock) {
        (self.keeper, self.outbox, self.clock) = (keeper, outbox, clock)
    }

    /// Stores nothing unless the backend confirms the account afterwards.
    package func read(_ key: RosterKey) async -> RosterOutcome {
        guard let resource = keeper.backend.resource(key.resource) else {
            return .failed(Failure(.profile, "The profile of \(keeper.backend.name) has no resource \"\(key.resource)\"."))
        }
        let beganAt = clock.now
        let stored: RosterHead?
        var passes: RosterPasses
        do throws(OutboxError) {
            stored = try await outbox.rosterHeads(of: key.destination).first { $0.key == key }
            passes = try await self.passes(of: resource, key, stored)
        } catch {
            return .notStored(error)
        }
        var session: Session?
        var step = passes.next
        while true {
            switch step {
            case .page(let page, let etag): step = await read(resource, page, unless: etag, of: key, &session, &passes)
            case .renew:
                guard let refused = session else { return .sessionEnded }
                do { session = try await keeper.replace(refused) } catch { return RosterOutcome(error) }
                step = passes.next
            case .denied(let failure):
                let message = "\(keeper.backend.name) refused to list your \(resource.title.many), although you are signed in."
                return .failed(Failure(.stillUnauthorized, status: failure.status, message))
            case .store(let rows):
                if let why = rows.incomplete, why.isUnsettled, let stored, stored.incomplete == nil {
                    return .unsettled(Failure(.serverError, "\(message(why, resource)) The earlier list is kept."))
                }
                // Without rows in the parent, there was no request.
                if session == nil { do { session = try await keeper.freshSession() } catch { return RosterOutcome(error) } }
                guard let session, session.account.id == key.destination.account else { return .sessionEnded }
                do { try await keeper.vouch(for: session) } catch { return RosterOutcome(error) }
                return await store(rows, of: key, rule: resource.source, beganAt: beganAt)
            case .end(let outcome): return outcome
            }
        }
    }

    private func passes(
        of resource: Resource, _ key: RosterKey, _ stored: RosterHead?
    ) async throws(OutboxError) -> RosterPasses {
        guard let parent = resource.parent else {
            return RosterPasses(RosterPass(etags: try await outbox.etags(of: key, rule: resource.source), total: stored?.total ?? 0))
        }
        let ids = Mutex<[RosterID]>([])
        let head = try await outbox.scanRoster(RosterKey(destination: key.destination, resource: parent)) { row in
            ids.withLock { $0.append(row.id) }
            return true
        }
        // A list that has gone is read again, and then this one.
        return RosterPasses(parents: ids.withLock { $0 }, incomplete: head == nil ? .changing : head?.incomplete)
    }

    private func message(_ why: Incompleteness, _ resource: Resource) -> String {
        why == .contradiction
            ? "The answers of \(keeper.backend.name) contradict each other: the rows that it lists do not fit the number of \(resource.title.many) that it states."
            : "The list changed while Homing read it."
    }

    private func read(
        _ resource: Resource, _ page: Int, unless etag: String?, of key: RosterKey, _ session: inout Session?,
        _ passes: inout RosterPasses
    ) async -> RosterPass.Step {
        let request: OutboundRequest
        do {
            request = try keeper.backend.read(resource, of: passes.parent, page: page, unless: etag)
        } catch {
            return .end(.failed(error))
        }
        // A long list may outlive a token.
        let fresh: Session
        do { fresh = try await keeper.freshSession() } catch { return .end(RosterOutcome(error)) }
        guard fresh.account.id == key.destination.account else { return .end(.sessionEnded) }
        session = fresh
        do {
            let answer = try await keeper.send(request, as: fresh)
            session = answer.session
            return passes.answered(keeper.backend.answer(to: resource, answer.response, sentETag: etag, now: clock.now))
        } catch {
            return .end(RosterOutcome(error))
        }
    }

    private func store(_ rows: RosterRows, of key: RosterKey, rule: Data, beganAt: Date) async -> RosterOutcome {
        let pages = rows.pages.map { page in page.map { (etag: $0.etag, rows: $0.rows) } }
        let now = clock.now
        let read = RosterRead(
            key: key, rule: rule, beganAt: beganAt, readAt: now, pages: pages, total: rows.total, incomplete: rows.incomplete)
        do throws(OutboxError) {
            let stored = try await outbox.store(read, at: now)
            let heads = try await outbox.rosterHeads(of: key.destination)
            guard stored != .notSignedIn, let head = heads.first(where: { $0.key == key }) else { return .sessionEnded }
            return .stored(head, changed: stored != .same)
        } catch {
            return .notStored(error)
        }
    }
}

extension RosterOutcome {
    /// The outcome without a usable session. A renewal that must wait is no request of the server for a pause.
    init(_ error: SessionError) {
        self =
            switch error {
            case .signInRequired, .signingOut: .sessionEnded
            case .unavailable(let failure), .undeclared(let failure), .tooSoon(_, let failure): .failed(failure)
            case .unsaved(let error): .failed(Failure(.unreadable, "The renewed session could not be stored: \(error)."))
            }
    }

    /// Without an answer.
    init(_ error: TransportError) {
        self = error.failure.reason == .signInRequired ? .sessionEnded : .failed(error.failure)
    }
}
