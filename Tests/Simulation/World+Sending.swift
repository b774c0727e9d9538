import Backends
import Delivery
import Foundation
import Outbox
import SyncModel

/// The network and the backends: what becomes of each step of a trip, at the scheduler's choice.
extension World {
    /// A try goes one step on: it looks, and leaves; or its answer comes.
    func go(_ attempt: Try, _ fate: Fate) throws {
        var attempt = attempt
        var step = attempt.sent == nil ? begin(&attempt, fate) : try answer(&attempt, fate)
        while true {
            switch step {
            case .send where attempt.sent == nil:
                guard let keeper = keepers[attempt.backend], let account = keeper.account else {
                    throw Violation("I8", "entry \(attempt.entry.sequence) is sent in nobody's name")
                }
                attempt.sent = (account.id, keeper.revision, time)
                return underway.append(.attempt(attempt))
            case .send: step = try sendAgain(&attempt, fate)
            case .lookUp: step = try lookUp(&attempt, fate)
            case .renew: step = renew(&attempt, fate)
            case .askHealth(let failure): step = attempt.trip.felt(health(attempt, fate), after: failure, at: now)
            case .end(let result): return try end(attempt, result)
            }
        }
    }

    /// Whose session there is, or why none can be had.
    private func begin(_ attempt: inout Try, _ fate: Fate) -> Trip.Step {
        guard let account = keepers[attempt.backend]?.account else {
            return .end(attempt.trip.withoutSession(.signInRequired(reason: "nobody"), at: now))
        }
        if attempt.isCut { return .end(attempt.trip.withoutSession(.unavailable(Failure(.stopping, "called off")), at: now)) }
        if account.id == attempt.entry.mutation.destination.account, let error = noRenewal(fate) {
            met(fate.rawValue)
            return .end(attempt.trip.withoutSession(error, at: now))
        }
        let isMixed = sabotage == .mixesAccounts
        return attempt.trip.begin(as: isMixed ? Account(id: attempt.entry.mutation.destination.account, label: "") : account, at: now)
    }

    /// Why a session that has to be renewed is not.
    private func noRenewal(_ fate: Fate) -> AuthenticationError? {
        switch fate {
        case .renewalUnavailable: .unavailable(Failure(.offline, "no renewal"))
        case .tooSoon: .tooSoon(until: now.addingTimeInterval(120), Failure(.signInRequired, "too soon"))
        case .resting: .tooSoon(until: now.addingTimeInterval(120), Failure(.offline, "no renewal yet"))
        default: nil
        }
    }

    /// 401. A session that was renewed meanwhile serves; else it is over, and only a person can renew it.
    private func renew(_ attempt: inout Try, _ fate: Fate) -> Trip.Step {
        if let error = noRenewal(fate) { return attempt.trip.failed(Verdict(error), at: now) }
        let keeper = keepers[attempt.backend]
        let isTheirs = keeper?.account?.id == (attempt.sent?.account ?? attempt.entry.mutation.destination.account)
        let isRenewed = fate == .stillUnauthorized || keeper?.revision != attempt.sent?.revision
        if isTheirs, isRenewed, attempt.sent != nil || fate == .stillUnauthorized { return attempt.trip.renewed() }
        if isTheirs { setSession(attempt.backend, nil) }
        return attempt.trip.failed(Verdict(AuthenticationError.signInRequired(reason: "ended")), at: now)
    }

    private func health(_ attempt: Try, _ fate: Fate) -> Attempt.Health {
        guard backend(named: attempt.backend).hasHealthRoute else { return .noEvidence }
        switch fate {
        case .errorIll: return .ill
        // Whoever cannot be asked for the entry cannot be asked for anything.
        case .lostBefore, .lostAfter, .lostLate, .timeout: return attempt.sent == nil ? .ill : .well
        default: return .well
        }
    }

    private func transportFailed(_ attempt: inout Try, _ error: TransportError, isSafe: Bool) -> Trip.Step {
        attempt.trip.failed(Verdict(error, isSafe: isSafe, isCut: attempt.isCut), at: now)
    }

    /// Looks for what may have arrived already: before anything is sent, or once an answer has left it open.
    private func lookUp(_ attempt: inout Try, _ fate: Fate) throws -> Trip.Step {
        guard let item = model.items[attempt.entry.sequence] else {
            throw Violation("I1", "entry \(attempt.entry.sequence) is looked up, and unknown")
        }
        happened()
        // What was answered a moment ago is answered now, too.
        let isAfter = attempt.sent != nil
        let fate = item.curse == .hidden && (isAfter || isEffective(fate)) ? .errorWell : isAfter ? .fine : fate
        if isFaultOfLookUp(fate) { met("lookUp: \(fate)") }
        func failed(_ verdict: Verdict) -> Trip.Step { attempt.trip.lookedUp(.failed(verdict), at: now) }
        switch fate {
        case .offline: return transportFailed(&attempt, .unreachable(Failure(.offline, "offline")), isSafe: true)
        case .lostBefore, .lostAfter, .lostLate:
            return transportFailed(&attempt, .lost(Failure(.lostAnswer, "lost", outcomeUnknown: true)), isSafe: true)
        case .timeout: return failed(.transient(Failure(.serverError, status: 408, "timeout")))
        case .errorWell, .errorIll, .errorUnsaid, .errorAfter, .openBefore, .openAfter:
            return failed(.transient(Failure(.serverError, status: 500, "error")))
        case .refused: return failed(.permanent(Failure(.refused, status: 422, "no")))
        case .forbidden: return failed(.forbidden(Failure(.forbidden, status: 403, "no")))
        case .redirect, .pageBefore, .pageAfter: return failed(.intercepted(Failure(.intercepted, status: 200, "portal")))
        case .throttledBriefly, .throttledLong: return failed(throttled(fate))
        case .sessionEnds, .stillUnauthorized: return failed(.unauthorized(Failure(.signInRequired, status: 401, "ended")))
        case .fine, .renewalUnavailable, .tooSoon, .resting, .locked, .lockedLong:
            let receipt = Receipt(remoteID: "7", status: 200, foundByLookup: true, at: now)
            return attempt.trip.lookedUp(ledger.has(item.id) ? .found(receipt) : .absent, at: now)
        }
    }

    private func isFaultOfLookUp(_ fate: Fate) -> Bool {
        switch fate {
        case .fine, .renewalUnavailable, .tooSoon, .resting, .locked, .lockedLong: false
        default: true
        }
    }

    private func isEffective(_ fate: Fate) -> Bool {
        switch fate {
        case .fine, .lostAfter, .lostLate, .errorAfter, .openAfter, .pageAfter: true
        default: false
        }
    }

    private func throttled(_ fate: Fate) -> Verdict {
        .throttled(Failure(.throttled, "quiet"), until: now.addingTimeInterval(fate == .throttledLong ? 21_600 : 20))
    }

    /// What the backend does with the request, and what comes back of it.
    private func answer(_ attempt: inout Try, _ fate: Fate) throws -> Trip.Step {
        let backend = backend(named: attempt.backend)
        let item = try sent(attempt)
        let fate = item.curse == .poison && isEffective(fate) ? (backend.hasHealthRoute ? .errorWell : .errorUnsaid) : fate
        if fate != .fine { met(fate.rawValue) }
        if isEffective(fate), fate != .lostLate { try takeEffect(item, attempt) }
        func answered(_ verdict: Verdict) -> Trip.Step { attempt.trip.answered(verdict, at: now) }
        switch fate {
        case .fine: return answered(.accepted(Receipt(remoteID: "7", status: 201, at: now)))
        case .offline: return transportFailed(&attempt, .unreachable(Failure(.offline, "offline")), isSafe: false)
        case .lostBefore, .lostAfter, .lostLate:
            // But for the millisecond to which the outbox rounds when to look.
            if fate == .lostLate { ledger.expect(item, until: time + Self.lookupAfter - 0.001) }
            return transportFailed(&attempt, .lost(Failure(.lostAnswer, "lost")), isSafe: false)
        case .errorWell, .errorIll, .errorUnsaid, .errorAfter: return answered(.transient(Failure(.serverError, status: 500, "error")))
        // The backend has answered that it does not know.
        case .openBefore, .openAfter: return answered(.unknown(Failure(.serverError, status: 500, "open", outcomeUnknown: true)))
        case .timeout: return answered(.transient(Failure(.serverError, status: 408, "timeout")))
        case .throttledBriefly, .throttledLong: return answered(throttled(fate))
        case .sessionEnds, .stillUnauthorized, .renewalUnavailable, .tooSoon, .resting:
            return answered(.unauthorized(Failure(.signInRequired, status: 401, "ended")))
        case .locked: return answered(.locked(Failure(.refused, status: 423, "locked"), until: nil))
        case .lockedLong: return answered(.locked(Failure(.refused, status: 423, "locked"), until: now.addingTimeInterval(21_600)))
        case .forbidden: return answered(.forbidden(Failure(.forbidden, status: 403, "no")))
        case .refused: return answered(.permanent(Failure(.refused, status: 422, "no")))
        case .redirect: return answered(.intercepted(Failure(.intercepted, status: 302, "portal")))
        case .pageBefore, .pageAfter: return answered(.intercepted(Failure(.intercepted, status: 200, "portal")))
        }
    }

    /// Once more, under the renewed session.
    private func sendAgain(_ attempt: inout Try, _ fate: Fate) throws -> Trip.Step {
        guard let sender = keepers[attempt.backend]?.account?.id else {
            throw Violation("I8", "entry \(attempt.entry.sequence) is sent again in nobody's name")
        }
        attempt.sent?.account = sender
        let item = try sent(attempt)
        if fate == .stillUnauthorized {
            return attempt.trip.answered(.unauthorized(Failure(.signInRequired, status: 401, "still")), at: now)
        }
        try takeEffect(item, attempt)
        return attempt.trip.answered(.accepted(Receipt(remoteID: "7", status: 201, at: now)), at: now)
    }

    /// What is being sent, under the account that captured it.
    private func sent(_ attempt: Try) throws -> Model.Item {
        let entry = attempt.entry
        guard let item = model.items[entry.sequence] else { throw Violation("I1", "entry \(entry.sequence) is sent, and unknown") }
        let account = attempt.sent?.account ?? ""
        if account != entry.mutation.destination.account {
            throw Violation("I8", "entry \(entry.sequence) of \(entry.mutation.destination) is sent in the name of \(account)")
        }
        return item
    }

    /// The backend does what it is asked. Within a lane nothing goes before what is in line before it.
    func takeEffect(_ item: Model.Item, _ attempt: Try) throws {
        if sabotage == .answersWithoutEffect, item.sequence % 10 == 0 { return }
        if let head = model.head(of: item), head < item.sequence {
            throw Violation("I5", "entry \(item.sequence) took effect before entry \(head) of its lane")
        }
        try ledger.take(
            item, wasUncertain: attempt.entry.uncertain, keyLifetime: backend(named: attempt.backend).keyLifetime,
            at: attempt.sent?.at ?? time)
    }

    private func end(_ attempt: Try, _ result: Attempt) throws {
        let hasEvidence = isSeenWell(attempt, result)
        model.tried(attempt.entry.sequence, result, isSeenWell: hasEvidence, from: attempt.began)
        switch result.verdict {
        case .accepted, .permanent, .locked, .forbidden: answeredAt[attempt.backend] = time
        default: break
        }
        try feed(.attempted(attempt.entry, result))
    }

    /// What may count where nothing was learnt of the backend's health: somebody was answered since the last try, or it is so long since the
    /// last time that it counted as the policy says; where the clock has jumped since that, nobody can tell.
    private func isSeenWell(_ attempt: Try, _ result: Attempt) -> Bool {
        guard let item = model.items[attempt.entry.sequence], result.health == .noEvidence else { return result.health == .well }
        // But for the millisecond to which the outbox rounds when it was tried.
        if let answered = answeredAt[attempt.backend], let tried = item.triedAt, answered >= tried - 0.001 { return true }
        guard let counted = item.countedAt else { return true }
        let period = item.attempts + 1 < Model.attempts ? Self.retry.loneEntryPeriod : Self.retry.lastLoneEntryPeriod
        return time - counted >= period - 1 || steppedAt.map { $0 >= counted } ?? false
    }
}
