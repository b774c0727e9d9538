import Foundation
import Outbox
import SyncModel

/// The cause of a failed send, by contrast with other entries. See BlameByContrast.
enum Blame: Sendable, Equatable {
    /// Another entry of the route got through after this one failed.
    case entry
    /// There was no other entry to compare: counted, but rarely.
    case loneEntry
    /// No contrast: not counted.
    case backend
}

/// Maps the result of an attempt to a settlement.
struct Judgement {
    let entry: Entry
    let attempt: Attempt
    /// For undeclared failures.
    let blame: Blame
    /// Another entry of the route got through since this outcome became unknown.
    let hasContrast: Bool
    /// Failed or throttled so often that others of its lane go first, if they may.
    var stepsAside = false
    let policy: RetryPolicy
    let now: Date
    private(set) var counts = false

    func settled(using generator: inout some RandomNumberGenerator) -> Settled {
        var judgement = self
        let settlement = judgement.settlement(using: &generator).due(by: now.addingTimeInterval(ServerPause.horizon))
        return Settled(entry, settlement, attempt: attempt.wasMade ? attempt : nil, counts: judgement.counts)
    }

    private var route: RouteTraits { attempt.route }

    private mutating func settlement(using generator: inout some RandomNumberGenerator) -> Settlement {
        switch attempt.verdict {
        case .accepted(let receipt): .delivered(receipt)
        case .permanent(let failure) where failure.reason == .profile: .held(.profile, failure)
        case .permanent(let failure): given(up: failure)
        case .forbidden(let failure): .held(.forbidden, failure)
        case .unseen(let failure) where entry.isAside: .aside(until: nextLook(using: &generator), failure)
        case .unseen(let failure): .released(until: nextLook(using: &generator), failure)
        // Reads that the server stopped together must not come back together.
        case .unread(let failure, let until) where failure.reason == .throttled || failure.reason == .tooLarge:
            .released(until: until.addingTimeInterval(.random(in: 0...max(0, until.timeIntervalSince(now)), using: &generator)), failure)
        case .unread(let failure, let until): .released(until: until, failure)
        // The gate waits for the session; the entry stays ready for a new sign-in.
        case .throttled(let failure, _) where failure.reason != .throttled: handedBack(failure)
        case .throttled(let failure, let until) where attempt.isThrottled && blame == .entry:
            failed(failure, blame, notBefore: until, using: &generator)
        case .throttled(let failure, let until): throttled(failure, until)
        // Only the server lifts a lock; without a time, use the longest pause.
        case .locked(let failure, let until): .released(until: until ?? now.addingTimeInterval(policy.ceiling), failure)
        // The gate decides when to send again; the entry stays ready.
        case .unauthorized(let failure), .unreachable(let failure): handedBack(failure)
        case .unknown(let failure) where failure.reason == .refused || failure.reason == .misplaced: .held(.unknownOutcome, failure)
        case .unknown(let failure) where !attempt.wasSent: missed(failure, using: &generator)
        case .unknown(let failure) where failure.reason == .stopping:
            .released(until: route.canLookUp ? firstLook : now, failure)
        case .unknown(let failure) where failure.status == nil && route.canLookUp && blame != .entry: lost(failure)
        case .unknown(let failure), .transient(let failure): failed(failure, blame, using: &generator)
        // A captive portal does not count; only contrast shows that the entry is the cause.
        case .intercepted(let failure): failed(failure, blame == .entry ? .entry : .backend, using: &generator)
        }
    }

    /// Neither counted nor delayed.
    private func handedBack(_ failure: Failure) -> Settlement {
        entry.isAside ? .aside(until: now, failure) : .released(until: now, failure)
    }

    /// A proxy in front of a busy server may send either 429 or 503.
    private func throttled(_ failure: Failure, _ until: Date) -> Settlement {
        var until = until
        if failure.outcomeUnknown, attempt.wasSent {
            if route.isBlind {
                return doubtful(failure) ?? .aside(until: max(until, nextBlindSend(failure)), failure)
            }
            until = max(until, firstLook)
        }
        // After the backend's own pause, so that others of its lane go first.
        return stepsAside ? .aside(until: until.addingTimeInterval(max(1, policy.first)), failure) : .released(until: until, failure)
    }

    /// A look-up was answered, but not with the list.
    private func missed(_ failure: Failure, using generator: inout some RandomNumberGenerator) -> Settlement {
        if policy.hasLookedEnough(entry, hasContrast: hasContrast, now) { return .held(.unknownOutcome, failure) }
        let until = nextLook(using: &generator)
        return entry.looks + 1 >= Outbox.stuckLooks ? .aside(until: until, failure) : .released(until: until, failure)
    }

    /// Usually a network fault: look it up, do not count it.
    private func lost(_ failure: Failure) -> Settlement {
        if policy.hasLostEnough(entry, hasContrast: hasContrast, now) { return .held(.unknownOutcome, failure) }
        return entry.doubts > 0 ? .aside(until: firstLook, failure) : .released(until: firstLook, failure)
    }

    private mutating func failed(
        _ failure: Failure, _ blame: Blame, notBefore: Date = .distantPast, using generator: inout some RandomNumberGenerator
    ) -> Settlement {
        let isBlind = failure.outcomeUnknown && route.isBlind
        if isBlind, let held = doubtful(failure) { return held }
        // Without a server error, an absence proves little yet.
        let isUnanswered = failure.outcomeUnknown && failure.status ?? 0 < 400
        if blame == .entry, isUnanswered, !route.isRepeatable, entry.doubts + 1 >= RetryPolicy.mostDoubts {
            return .held(.unknownOutcome, failure)
        }
        guard blame != .backend else {
            let until = isBlind ? nextBlindSend(failure) : failure.outcomeUnknown ? firstLook : now
            if stepsAside || isBlind { return .aside(until: until, failure) }
            // Its lane waits for it, so that the order is kept when the backend recovers. Untried entries of other lanes go first.
            return .released(until: max(until, now.addingTimeInterval(0.001)), failure)
        }
        let attempt = entry.attempts + 1
        let look = failure.outcomeUnknown && route.canLookUp ? firstLook : now
        if attempt >= policy.attempts {
            // The last attempt may have taken effect: look it up once more.
            if look > now { return .retry(at: max(look, notBefore), failure) }
            counts = true
            let isDenied = failure.reason == .forbidden || failure.reason == .stillUnauthorized
            return isDenied ? .held(.forbidden, failure) : given(up: failure)
        }
        let again = max(notBefore, now.addingTimeInterval(policy.delay(before: attempt, using: &generator)))
        return .retry(at: isBlind && blame == .loneEntry ? max(again, nextBlindSend(failure)) : max(again, look), failure)
    }

    /// An earlier send may have taken effect, so a person must decide.
    private func given(up failure: Failure) -> Settlement { failure.outcomeUnknown ? .held(.unknownOutcome, failure) : .dead(failure) }

    /// Held after three sends that may have taken effect without look-up; nil before that.
    private func doubtful(_ failure: Failure) -> Settlement? {
        route.isAtMostOnce || entry.doubts + 1 >= RetryPolicy.mostDoubts ? .held(.unknownOutcome, failure) : nil
    }

    /// Late enough that a hanging server receives only one send.
    private func nextBlindSend(_ failure: Failure) -> Date {
        let seconds = attempt.endedAt.timeIntervalSince(attempt.startedAt)
        return now.addingTimeInterval(RetryPolicy.blindPause(after: failure, answeredIn: seconds, doubts: entry.doubts))
    }

    private var firstLook: Date { now.addingTimeInterval(policy.looks(for: entry)[0]) }

    /// The next planned time after the last send, then growing delays.
    private func nextLook(using generator: inout some RandomNumberGenerator) -> Date {
        let begin = entry.doubtedAt ?? now
        let elapsed = now.timeIntervalSince(begin)
        if elapsed >= 0, let next = policy.looks(for: entry).first(where: { $0 > elapsed + 0.001 }) {
            return begin.addingTimeInterval(next)
        }
        return now.addingTimeInterval(max(policy.first, policy.delay(before: max(1, entry.looks), using: &generator)))
    }
}

extension Attempt {
    /// The server answered the send with 429, or with 503 and Retry-After.
    var isThrottled: Bool { if case .throttled(let failure, _) = verdict { wasSent && failure.reason == .throttled } else { false } }
}

extension Settlement {
    fileprivate func due(by latest: Date) -> Settlement {
        switch self {
        case .retry(let at, let failure): .retry(at: min(at, latest), failure)
        case .released(let until, let failure): .released(until: min(until, latest), failure)
        case .aside(let until, let failure): .aside(until: min(until, latest), failure)
        case .delivered, .held, .dead: self
        }
    }
}
