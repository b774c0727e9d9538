import Foundation
import Outbox
import SyncModel

/// Who is to blame for a send that failed, as far as contrast tells.
package enum Blame: Sendable, Equatable {
    /// Another entry of the same route got through after this one had failed before.
    case entry
    /// Nothing shows it, and no other entry has been tried that could: it is counted, rarely.
    case loneEntry
    /// The backend's, for want of contrast: nothing is counted.
    case backend
}

extension Settled {
    /// What a try does to its entry: the whole table, and nothing but the table.
    ///
    /// - Parameters:
    ///   - blame: of a failure that the profile does not declare.
    ///   - hasContrast: another entry of the route got through since the outcome of this one became unknown.
    ///   - stepsAside: the server has asked it for quiet so often that others of its lane go first.
    package init(
        _ entry: Entry, _ attempt: Attempt, blame: Blame, hasContrast: Bool, stepsAside: Bool = false, policy: RetryPolicy, now: Date,
        using generator: inout some RandomNumberGenerator
    ) {
        let record = AttemptRecord(
            startedAt: attempt.startedAt, endedAt: attempt.endedAt, verdict: attempt.verdict, wasSent: attempt.wasSent)
        var judge = Judge(
            entry: entry, attempt: attempt, blame: blame, hasContrast: hasContrast, stepsAside: stepsAside, policy: policy, now: now)
        let settlement = judge.settlement(using: &generator)
        self.init(entry, settlement, attempt: attempt.wasMade ? record : nil, counts: judge.counts)
    }
}

private struct Judge {
    let entry: Entry
    let attempt: Attempt
    let blame: Blame
    let hasContrast: Bool
    let stepsAside: Bool
    let policy: RetryPolicy
    let now: Date
    var counts = false

    private var route: RouteTraits { attempt.route }

    mutating func settlement(using generator: inout some RandomNumberGenerator) -> Settlement {
        switch attempt.verdict {
        case .accepted(let receipt): .delivered(receipt)
        case .permanent(let failure) where failure.reason == .profile: .held(.profile, failure)
        case .permanent(let failure): given(up: failure)
        case .forbidden(let failure): .held(.forbidden, failure)
        case .unseen(let failure) where entry.isAside: .aside(until: nextLook(using: &generator), failure)
        case .unseen(let failure): .released(until: nextLook(using: &generator), failure)
        // The gate waits for the session; a person who signs in meanwhile ends that, and the entry is ready.
        case .throttled(let failure, _) where failure.reason != .throttled: handedBack(failure)
        case .throttled(let failure, let until) where attempt.isQuieted && blame == .entry:
            failed(failure, blame, notBefore: until, using: &generator)
        case .throttled(let failure, let until): throttled(failure, until)
        // A lock at the server is not ours to hurry: the longest of our own pauses, where the server names none.
        case .locked(let failure, let until): .released(until: until ?? now.addingTimeInterval(policy.ceiling), failure)
        // The gate decides when the way is free again; the entry itself is ready.
        case .unauthorized(let failure), .unreachable(let failure): handedBack(failure)
        case .unknown(let failure) where failure.reason == .refused: .held(.unknownOutcome, failure)
        case .unknown(let failure) where !attempt.wasSent: missed(failure, using: &generator)
        case .unknown(let failure) where failure.reason == .stopping:
            .released(until: route.canLookUp ? firstLook : now, failure)
        case .unknown(let failure) where failure.status == nil && route.canLookUp && blame != .entry: lost(failure)
        case .unknown(let failure), .transient(let failure): failed(failure, blame, using: &generator)
        // A captive portal is no attempt: only contrast shows that it is not one.
        case .intercepted(let failure): failed(failure, blame == .entry ? .entry : .backend, using: &generator)
        }
    }

    /// Neither counted nor delayed, and as far aside as it was.
    private func handedBack(_ failure: Failure) -> Settlement {
        entry.isAside ? .aside(until: now, failure) : .released(until: now, failure)
    }

    /// 429, or 503 with Retry-After, of which a proxy in front of a busy server may say either.
    private func throttled(_ failure: Failure, _ until: Date) -> Settlement {
        var until = until
        if failure.outcomeUnknown, attempt.wasSent {
            if route.isBlind { return doubtful(failure) ?? .aside(until: max(until, nextBlindSend), failure) }
            until = max(until, firstLook)
        }
        // Later than the backend's own pause ends, so that others of its lane go then.
        return stepsAside ? .aside(until: until.addingTimeInterval(max(1, policy.first)), failure) : .released(until: until, failure)
    }

    /// A look-up that was answered, and not with the list.
    private func missed(_ failure: Failure, using generator: inout some RandomNumberGenerator) -> Settlement {
        if policy.hasLookedEnough(entry, hasContrast: hasContrast, now) { return .held(.unknownOutcome, failure) }
        let until = nextLook(using: &generator)
        return entry.looks + 1 >= Outbox.stuckLooks ? .aside(until: until, failure) : .released(until: until, failure)
    }

    /// No answer came. That is mostly the network's fault: it is looked up, and not counted.
    private func lost(_ failure: Failure) -> Settlement {
        if policy.hasLostEnough(entry, hasContrast: hasContrast, now) { return .held(.unknownOutcome, failure) }
        return entry.doubts > 0 ? .aside(until: firstLook, failure) : .released(until: firstLook, failure)
    }

    /// A failure that the profile does not declare as final.
    private mutating func failed(
        _ failure: Failure, _ blame: Blame, notBefore: Date = .distantPast, using generator: inout some RandomNumberGenerator
    ) -> Settlement {
        let isBlind = failure.outcomeUnknown && route.isBlind
        if isBlind, let held = doubtful(failure) { return held }
        // No server said that it failed, so a look-up that does not find it proves little by then.
        let isUnanswered = failure.outcomeUnknown && failure.status ?? 0 < 400
        if blame == .entry, isUnanswered, !route.isRepeatable, entry.doubts + 1 >= RetryPolicy.mostDoubts {
            return .held(.unknownOutcome, failure)
        }
        guard blame != .backend else {
            let until = isBlind ? nextBlindSend : failure.outcomeUnknown ? firstLook : now
            return .aside(until: until, failure)
        }
        let attempt = entry.attempts + 1
        let look = failure.outcomeUnknown && route.canLookUp ? firstLook : now
        if attempt >= policy.attempts {
            // The last try may have taken effect: one look more, without another send.
            if look > now { return .retry(at: max(look, notBefore), failure) }
            counts = true
            let isDenied = failure.reason == .forbidden || failure.reason == .stillUnauthorized
            return isDenied ? .held(.forbidden, failure) : given(up: failure)
        }
        let again = max(notBefore, now.addingTimeInterval(policy.delay(before: attempt, using: &generator)))
        return .retry(at: isBlind && blame == .loneEntry ? max(again, nextBlindSend) : max(again, look), failure)
    }

    /// What an earlier send may have done all the same is for a person to find out.
    private func given(up failure: Failure) -> Settlement { failure.outcomeUnknown ? .held(.unknownOutcome, failure) : .dead(failure) }

    /// What may have taken effect and cannot be looked up is sent three times in its life at most, then a person decides; nil before that.
    private func doubtful(_ failure: Failure) -> Settlement? {
        route.isAtMostOnce || entry.doubts + 1 >= RetryPolicy.mostDoubts ? .held(.unknownOutcome, failure) : nil
    }

    /// So late that a server that hangs sees one of them.
    private var nextBlindSend: Date {
        now.addingTimeInterval(RetryPolicy.blindPauses[min(entry.doubts, RetryPolicy.blindPauses.count - 1)])
    }

    private var firstLook: Date { now.addingTimeInterval(policy.looks(for: entry)[0]) }

    /// The next time that is planned after the last send; then ever later.
    private func nextLook(using generator: inout some RandomNumberGenerator) -> Date {
        let begin = entry.doubtedAt ?? now
        let elapsed = now.timeIntervalSince(begin)
        if elapsed >= 0, let next = policy.looks(for: entry).first(where: { $0 > elapsed + 0.001 }) {
            return begin.addingTimeInterval(next)
        }
        return now.addingTimeInterval(max(policy.first, policy.delay(before: max(1, entry.looks), using: &generator)))
    }
}
