import Delivery
import Foundation
import Outbox
import SyncModel

/// The courier, the network and the backends: what `Courier` makes of each answer, with the answers at the scheduler's choice.
extension World {
    /// A try goes one step on: it looks, and leaves; or its answer comes.
    func go(_ attempt: Try, _ fate: Fate) throws {
        guard let sent = attempt.sent else { return try leave(attempt, fate) }
        let backend = backend(named: attempt.backend)
        let verdict = try answer(attempt, sent, fate, backend)
        var health = Attempt.Health.noEvidence
        if case .transient(let failure) = verdict {
            // What was looked up and not found was asked of a backend that answers.
            let isLookedUp = failure.status == 500 && !failure.outcomeUnknown
            if backend.hasHealthRoute || isLookedUp { health = fate == .errorIll ? .ill : .well }
        }
        try end(attempt, verdict, health)
    }

    /// Before anything is sent: whose session it is, and whether what is sent may be there already.
    private func leave(_ attempt: Try, _ fate: Fate) throws {
        let entry = attempt.entry
        guard let keeper = keepers[attempt.backend], let account = keeper.account else {
            return try end(attempt, .unauthorized(failure(.signInRequired, entry)), wasMade: false)
        }
        if sabotage != .mixesAccounts, account.id != entry.mutation.destination.account {
            return try end(attempt, .unauthorized(failure(.signInRequired, entry)), wasMade: false)
        }
        if attempt.isCut { return try end(attempt, .unreachable(failure(.stopping, entry)), wasMade: false) }
        switch fate {
        case .renewalUnavailable:
            met(fate.rawValue)
            return try end(attempt, .unreachable(failure(.offline, entry)), wasMade: false)
        case .tooSoon:
            met(fate.rawValue)
            return try end(attempt, .throttled(failure(.signInRequired, entry), until: now.addingTimeInterval(120)), wasMade: false)
        case .resting:
            met(fate.rawValue)
            return try end(attempt, .throttled(failure(.offline, entry), until: now.addingTimeInterval(120)), wasMade: false)
        default: break
        }
        if entry.uncertain, sabotage != .sendsWithoutLooking, try look(attempt, fate) { return }
        var attempt = attempt
        attempt.sent = (account.id, keeper.revision, time)
        underway.append(.attempt(attempt))
    }

    /// Looks for what may have arrived already; true where that ends the try.
    private func look(_ attempt: Try, _ fate: Fate) throws -> Bool {
        let entry = attempt.entry
        guard let item = model.items[entry.sequence] else { return false }
        let backend = backend(named: attempt.backend)
        guard item.route.traits.canLookUp else {
            let age = entry.uncertainSince.map { now.timeIntervalSince($0) }
            let isForgotten = backend.keyLifetime.flatMap { lifetime in age.map { $0 >= lifetime } } ?? false
            guard item.route.traits.isAtMostOnce || isForgotten else { return false }
            try end(attempt, .unknown(failure(.refused, entry)), wasMade: false)
            return true
        }
        happened()
        let fate = item.curse == .hidden && isEffective(fate) ? .errorWell : fate
        let status = failure(.serverError, entry)
        switch fate {
        case .offline, .lostBefore, .lostAfter, .lostLate, .errorIll, .timeout:
            met("lookUp: \(fate)")
            let isIll = !backend.hasHealthRoute ? fate == .offline : true
            try end(attempt, isIll ? .unreachable(failure(.offline, entry)) : .unknown(failure(.lostAnswer, entry)))
        case .errorWell, .errorUnsaid, .errorAfter, .openBefore, .openAfter:
            met("lookUp: \(fate)")
            try end(attempt, .unknown(status))
        case .refused, .forbidden:
            met("lookUp: \(fate)")
            try end(attempt, .unknown(failure(.refused, entry)))
        case .redirect, .pageBefore, .pageAfter:
            met("lookUp: \(fate)")
            try end(attempt, .intercepted(failure(.intercepted, entry)))
        case .throttledBriefly, .throttledLong:
            met("lookUp: \(fate)")
            try end(attempt, .throttled(failure(.throttled, entry), until: now.addingTimeInterval(fate == .throttledLong ? 21_600 : 20)))
        case .sessionEnds:
            met("lookUp: \(fate)")
            setSession(attempt.backend, nil)
            try end(attempt, .unauthorized(failure(.signInRequired, entry)))
        case .fine, .stillUnauthorized, .renewalUnavailable, .tooSoon, .resting, .locked, .lockedLong:
            if ledger.has(item.id) {
                try end(attempt, .accepted(Receipt(remoteID: nil, status: 200, foundByLookup: true, at: now)))
                return true
            }
            guard entry.attempts >= Model.attempts else { return false }
            try end(attempt, .permanent(Failure(.serverError, "not there after the last attempt")))
        }
        return true
    }

    private func isEffective(_ fate: Fate) -> Bool {
        switch fate {
        case .fine, .lostAfter, .lostLate, .errorAfter, .openAfter, .pageAfter: true
        default: false
        }
    }

    /// A failure that leaves the entry as uncertain as it was.
    private func failure(_ reason: Failure.Reason, _ entry: Entry) -> Failure {
        Failure(reason, reason.rawValue, outcomeUnknown: entry.uncertain)
    }

    /// What the backend does with the request, and what comes back of it.
    private func answer(_ attempt: Try, _ sent: (account: String, revision: Int, at: TimeInterval), _ fate: Fate, _ backend: Plan.Backend)
        throws -> Verdict
    {
        let entry = attempt.entry
        guard let item = model.items[entry.sequence] else { throw Violation("I1", "entry \(entry.sequence) is sent, and unknown") }
        let fate = item.curse == .poison && isEffective(fate) ? (backend.hasHealthRoute ? .errorWell : .errorUnsaid) : fate
        if sent.account != entry.mutation.destination.account {
            throw Violation("I8", "entry \(entry.sequence) of \(entry.mutation.destination) is sent in the name of \(sent.account)")
        }
        if fate != .fine { met(fate.rawValue) }
        if isEffective(fate), fate != .lostLate { try takeEffect(item, attempt) }
        let lost = Failure(attempt.isCut ? .stopping : .lostAnswer, "lost", outcomeUnknown: true)
        switch fate {
        case .fine: return .accepted(Receipt(remoteID: "7", status: 201, at: now))
        case .offline: return .unreachable(Failure(attempt.isCut ? .stopping : .offline, "offline"))
        case .lostLate:
            // But for the millisecond to which the outbox rounds when to look.
            ledger.expect(item, until: time + Self.lookupAfter - 0.001)
            return .unknown(lost)
        case .lostBefore, .lostAfter: return .unknown(lost)
        case .errorWell, .errorIll, .errorUnsaid, .errorAfter:
            let error = Failure(.serverError, status: 500, "error", outcomeUnknown: true)
            return item.route == .once ? .unknown(error) : .transient(error)
        case .openBefore, .openAfter: return opened(item)
        case .timeout: return .transient(Failure(.serverError, status: 408, "timeout"))
        case .throttledBriefly, .throttledLong:
            return .throttled(Failure(.throttled, "quiet"), until: now.addingTimeInterval(fate == .throttledLong ? 21_600 : 20))
        case .sessionEnds: return try expired(attempt, sent, item)
        case .stillUnauthorized: return .forbidden(Failure(.stillUnauthorized, status: 401, "still unauthorised"))
        case .renewalUnavailable: return .unreachable(Failure(.offline, "no renewal"))
        case .tooSoon: return .throttled(Failure(.signInRequired, "too soon"), until: now.addingTimeInterval(120))
        case .resting: return .throttled(Failure(.offline, "no renewal yet"), until: now.addingTimeInterval(120))
        case .locked: return .locked(Failure(.refused, status: 423, "locked"), until: nil)
        case .lockedLong: return .locked(Failure(.refused, status: 423, "locked"), until: now.addingTimeInterval(21_600))
        case .forbidden: return .forbidden(Failure(.forbidden, status: 403, "no"))
        case .refused: return .permanent(Failure(.refused, status: 422, "no"))
        case .redirect: return .intercepted(Failure(.intercepted, status: 302, "portal"))
        case .pageBefore, .pageAfter: return .intercepted(Failure(.intercepted, status: 200, "portal", outcomeUnknown: true))
        }
    }

    /// The backend has answered that it does not know: whether it took it can be seen at once, where it can be seen at all.
    private func opened(_ item: Model.Item) -> Verdict {
        let failure = Failure(.serverError, status: 500, "open", outcomeUnknown: true)
        guard item.route.traits.canLookUp, item.curse != .hidden else { return .unknown(failure) }
        if ledger.has(item.id) { return .accepted(Receipt(remoteID: "7", status: 200, foundByLookup: true, at: now)) }
        return .transient(Failure(.serverError, status: 500, "not taken"))
    }

    /// 401. A session that was renewed meanwhile sends it once more; else the session is over, and only a person can renew it.
    private func expired(_ attempt: Try, _ sent: (account: String, revision: Int, at: TimeInterval), _ item: Model.Item) throws -> Verdict {
        guard let keeper = keepers[attempt.backend], keeper.account?.id == sent.account else {
            return .unauthorized(Failure(.signInRequired, "somebody else"))
        }
        if keeper.revision != sent.revision {
            try takeEffect(item, attempt)
            return .accepted(Receipt(remoteID: "7", status: 201, at: now))
        }
        setSession(attempt.backend, nil)
        return .unauthorized(Failure(.signInRequired, status: 401, "ended"))
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

    private func end(_ attempt: Try, _ verdict: Verdict, _ health: Attempt.Health = .noEvidence, wasMade: Bool = true) throws {
        let route = model.items[attempt.entry.sequence]?.route.traits ?? RouteKind.blind.traits
        let verdict = attempt.entry.uncertain && !route.canLookUp ? verdict.stillUncertain : verdict
        let result = Attempt(
            verdict, health: health, route: route, startedAt: attempt.startedAt, endedAt: now, wasMade: wasMade)
        let hasEvidence = isSeenWell(attempt, result)
        model.tried(attempt.entry.sequence, result, isSeenWell: hasEvidence, from: attempt.began)
        switch verdict {
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
