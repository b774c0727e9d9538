import Backends
import Delivery
import Foundation
import Outbox
import Sessions
import SyncModel

/// The network and the backends. The scheduler chooses fates; profiles interpret responses.
extension World {
    func go(_ attempt: Try, _ fate: Fate) throws {
        var attempt = attempt
        var step = attempt.sent == nil ? begin(&attempt, fate) : try answer(&attempt, fate)
        while true {
            switch step {
            case .send where attempt.sent == nil:
                guard let keeper = keepers[attempt.backend], let account = keeper.account else {
                    throw Violation("I8", "entry \(attempt.entry.sequence) is sent in nobody's name")
                }
                try checkRow(attempt)
                attempt.sent = (account.id, keeper.revision, time)
                return underway.append(.attempt(attempt))
            case .send:
                // Sends again with the renewed session.
                let sender = keepers[attempt.backend]?.account?.id
                attempt.sent?.account = sender ?? ""
                step = try answer(&attempt, attempt.met == .stillUnauthorized ? .stillUnauthorized : .fine)
            case .lookUp(let page, let seen): step = try lookUp(&attempt, page, seen, fate)
            case .readRow, .findRow: throw Violation("I14", "no route of the simulation reads rows before a send")
            case .renew: step = renew(&attempt)
            case .end(let result): return try end(attempt, result)
            }
        }
    }

    private func begin(_ attempt: inout Try, _ fate: Fate) -> DeliveryAttempt.Step {
        guard let account = keepers[attempt.backend]?.account else {
            return .end(attempt.trip.withoutSession(.signInRequired(reason: "nobody"), at: now))
        }
        if attempt.isCut { return .end(attempt.trip.withoutSession(.unavailable(Failure(.stopping, "called off")), at: now)) }
        if account.id == attempt.entry.destination.account, let error = noRenewal(fate) {
            met(fate.rawValue)
            return .end(attempt.trip.withoutSession(error, at: now))
        }
        let isMixed = sabotage == .mixesAccounts
        return attempt.trip.begin(as: isMixed ? Account(id: attempt.entry.destination.account, label: "") : account, at: now)
    }

    private func noRenewal(_ fate: Fate?) -> SessionError? {
        switch fate {
        case .renewalUnavailable: .unavailable(Failure(.offline, "no renewal"))
        case .tooSoon: .tooSoon(until: now.addingTimeInterval(120), Failure(.signInRequired, "too soon"))
        case .resting: .tooSoon(until: now.addingTimeInterval(120), Failure(.offline, "no renewal yet"))
        default: nil
        }
    }

    /// Uses a session that was renewed meanwhile. Otherwise a person must sign in.
    private func renew(_ attempt: inout Try) -> DeliveryAttempt.Step {
        if let error = noRenewal(attempt.met) { return attempt.trip.failed(Verdict(error), at: now) }
        let keeper = keepers[attempt.backend]
        let isTheirs = keeper?.account?.id == (attempt.sent?.account ?? attempt.entry.destination.account)
        let isDenied = attempt.met == .stillUnauthorized
        let isRenewed = isDenied || attempt.sent.map { keeper?.revision != $0.revision } ?? false
        if isTheirs, isRenewed { return attempt.trip.renewed() }
        if isTheirs { setSession(attempt.backend, nil) }
        return attempt.trip.failed(Verdict(SessionError.signInRequired(reason: "ended")), at: now)
    }

    private func response(_ fate: Fate, content: String) throws(TransportError) -> InboundResponse {
        if let response = Wire.answer(fate, content: content) { return response }
        throw fate == .offline ? .unreachable(Failure(.offline, "offline")) : .lost(Failure(.lostAnswer, "lost"))
    }

    private func lookUp(_ attempt: inout Try, _ page: Int, _ seen: Int, _ fate: Fate) throws -> DeliveryAttempt.Step {
        let mutation = attempt.mutation
        guard let item = model.items[attempt.entry.sequence], let backend = profiles[attempt.backend] else {
            throw Violation("I1", "entry \(attempt.entry.sequence) is looked up, and unknown")
        }
        happened()
        let rows = ledger.rows(item.route, at: mutation.destination, Array(model.items.values), time: time)
        let pages = max(1, (rows.count + Wire.rowsPerPage - 1) / Wire.rowsPerPage)
        // The fault occurs on any of the pages.
        var fate = page == 1 + Int(item.sequence) % pages ? fate : .fine
        if let curse = item.curse, curse.isOfLookUps, fate == .fine { fate = curse.fate }
        attempt.met = fate
        if fate != .fine { met("lookUp: \(fate)") }
        do throws(TransportError) {
            let answer = try response(fate, content: Wire.list(rows, page: page))
            return attempt.trip.lookedUp(backend.lookedUp(answer, for: mutation, page: page, seen: seen, at: now), at: now)
        } catch {
            return attempt.trip.failed(Verdict(error, isSafe: true, isCut: attempt.isCut), at: now)
        }
    }

    private func answer(_ attempt: inout Try, _ fate: Fate) throws -> DeliveryAttempt.Step {
        let item = try sent(attempt)
        var fate = fate
        if let curse = item.curse, !curse.isOfLookUps, fate == .fine { fate = curse.fate }
        (attempt.met, attempt.fate) = (fate, fate)
        if fate != .fine { met(fate.rawValue) }
        if fate.isEffective { try takeEffect(item, attempt) }
        // Minus the outbox's rounding of the look-up time.
        if fate == .lostLate, let sender = attempt.sent?.account {
            ledger.expect(item, as: sender, until: time + Self.lookupAfter - plan.listLag - 0.001)
        }
        do throws(TransportError) {
            let isRefused = noRenewal(fate) != nil
            let answer = try response(isRefused ? .sessionEnds : fate, content: #"{"id":\#(Wire.remoteID(item.sequence))}"#)
            guard let backend = profiles[attempt.backend] else { throw .unreachable(Failure(.offline, "no such backend")) }
            return attempt.trip.answered(backend.verdict(on: answer, to: attempt.mutation, at: now), at: now)
        } catch {
            return attempt.trip.failed(Verdict(error, isSafe: false, isCut: attempt.isCut), at: now)
        }
    }

    private func sent(_ attempt: Try) throws -> Model.Item {
        let entry = attempt.entry
        guard let item = model.items[entry.sequence] else { throw Violation("I1", "entry \(entry.sequence) is sent, and unknown") }
        let account = attempt.sent?.account ?? ""
        if account != entry.destination.account {
            throw Violation("I8", "entry \(entry.sequence) of \(entry.destination) is sent in the name of \(account)")
        }
        return item
    }

    /// Applies the effect, and checks that no earlier entry of the lane was overtaken.
    func takeEffect(_ item: Model.Item, _ attempt: Try) throws {
        guard let sent = attempt.sent, sabotage != .answersWithoutEffect || item.sequence % 10 != 0 else { return }
        if let head = model.head(of: item), head < item.sequence {
            throw Violation("I5", "entry \(item.sequence) took effect before entry \(head) of its lane or row")
        }
        if let parent = item.parent.flatMap({ model.items[$0] }), parent.isOpen {
            throw Violation("I5", "entry \(item.sequence) took effect before entry \(parent.sequence), which it follows")
        }
        try checkNotReplaced(item)
        try ledger.take(
            item, as: sent.account, wasUncertain: attempt.entry.uncertain, keyLifetime: backend(named: attempt.backend).keyLifetime,
            lag: plan.listLag, at: sent.at)
    }

    private func end(_ attempt: Try, _ result: Attempt) throws {
        let entry = attempt.entry
        let evidence = evidence(attempt)
        // A cancelled try is no evidence.
        let isCalledOff = result.verdict.failure?.reason == .stopping
        model.tried(entry.sequence, attempt.fate, isCalledOff: isCalledOff, evidence, at: time)
        let route = RouteOfBackend(backend: attempt.backend, route: entry.mutation.route)
        switch (attempt.fate, result.verdict) {
        case (.fine, .accepted): through[route] = time
        case (nil, .accepted): failing[route]?.remove(entry.sequence)
        case (.deniedDeclared, _), (.refusedDeclared, _), (.locked, _), (.lockedLong, _): failing[route] = []
        case (_, .transient) where evidence != .contrast, (_, .intercepted) where evidence != .contrast,
            (_, .unknown(_)) where evidence != .contrast && attempt.fate != nil && !attempt.isCut:
            failing[route, default: []].insert(entry.sequence)
        default: break
        }
        if through[route] == time || evidence == .contrast { failing[route] = [] }
        try feed(.attempted(entry, result))
    }

    /// The evidence against the entry, if this try failed. A clock step since makes it uncertain.
    private func evidence(_ attempt: Try) -> Model.Evidence {
        let asksForPause = attempt.fate?.asksForPause ?? false
        guard let item = model.items[attempt.entry.sequence], let failedAt = asksForPause ? item.throttledAt : item.failedAt else {
            return .none
        }
        func hasJumped(since moment: TimeInterval) -> Bool { steppedAt.map { $0 >= moment } ?? false }
        let route = RouteOfBackend(backend: attempt.backend, route: item.route.rawValue)
        if let time = through[route], time > failedAt || hasJumped(since: failedAt) { return .contrast }
        guard failing[route, default: []].subtracting([item.sequence]).isEmpty else { return .none }
        let isLast = item.attempts + 1 >= Model.attempts
        guard let counted = item.countedAt ?? (isLast ? item.acceptedAt : nil), !hasJumped(since: counted) else { return .alone }
        return time - counted >= (isLast ? Self.retry.lastLoneEntryPeriod : Self.retry.loneEntryPeriod) - 1 ? .alone : .none
    }
}
