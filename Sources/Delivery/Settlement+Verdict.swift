import Foundation
import SyncModel

extension Settlement {
    /// What a verdict does to its entry: the whole table, and nothing but the table.
    ///
    /// - Parameters:
    ///   - backendIsWell: there is evidence that the backend took, or would have taken, somebody else's request; or that is presumed.
    ///   - isSeenWell: it is not only presumed.
    package init(
        _ verdict: Verdict, of entry: Entry, backendIsWell: Bool, isSeenWell: Bool, route: RouteTraits, policy: RetryPolicy, now: Date,
        using generator: inout some RandomNumberGenerator
    ) {
        switch verdict {
        case .accepted(let receipt): self = .delivered(receipt)
        case .permanent(let failure): self = .dead(failure)
        case .forbidden(let failure): self = .held(.forbidden, failure)
        // The gate waits for the session; a person who signs in meanwhile ends that, and the entry is ready.
        case .throttled(let failure, _) where failure.reason != .throttled: self = .released(until: now, failure)
        case .throttled(let failure, let until): self = .released(until: until, failure)
        // What locks it at the server is not ours to hurry: the longest of our own pauses, where the server names none.
        case .locked(let failure, let until): self = .released(until: until ?? now.addingTimeInterval(policy.ceiling), failure)
        // The gate decides when the way is free again; the entry itself is ready.
        case .unauthorized(let failure), .unreachable(let failure):
            self = .released(until: now, failure)
        case .intercepted(let failure):
            self = .released(until: now.addingTimeInterval(policy.lookupPause(failure, route)), failure)
        case .transient(let failure) where backendIsWell:
            self = .counted(failure, of: entry, route: route, policy: policy, now: now, using: &generator)
        case .transient(let failure):
            let delay = policy.lookupPause(failure, route) + policy.delay(before: entry.releases + 1, using: &generator)
            self = .released(until: now.addingTimeInterval(delay), failure)
        case .unknown(let failure) where failure.reason == .stopping:
            self = .released(until: now.addingTimeInterval(policy.lookupPause(failure, route)), failure)
        case .unknown(let failure) where failure.reason == .refused || (route.isAtMostOnce && !route.canLookUp):
            self = .held(.unknownOutcome, failure)
        case .unknown(let failure) where route.canLookUp && policy.hasLookedEnough(entry, isSeenWell: isSeenWell, now):
            self = .held(.unknownOutcome, failure)
        case .unknown(let failure) where route.canLookUp:
            let delay = policy.lookupAfter + policy.delay(before: entry.releases, using: &generator)
            self = .released(until: now.addingTimeInterval(delay), failure)
        case .unknown(let failure):
            self = .counted(failure, of: entry, route: route, policy: policy, now: now, using: &generator)
        }
    }

    private static func counted(
        _ failure: Failure, of entry: Entry, route: RouteTraits, policy: RetryPolicy, now: Date,
        using generator: inout some RandomNumberGenerator
    ) -> Settlement {
        let attempt = entry.attempts + 1
        let pause = policy.lookupPause(failure, route)
        if attempt >= policy.attempts {
            // The last try may have taken effect: one look more, without another send.
            return pause > 0 ? .retry(at: now.addingTimeInterval(pause), failure) : .dead(failure)
        }
        return .retry(at: now.addingTimeInterval(pause + policy.delay(before: attempt, using: &generator)), failure)
    }
}
