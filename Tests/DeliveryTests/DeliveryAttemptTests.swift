import Backends
import Delivery
import Foundation
import SyncModel
import TestSupport
import Testing

@Suite struct DeliveryAttemptTests {
    private let now = Date(timeIntervalSince1970: 1_765_000_000)

    /// The first step for an uncertain entry after `doubts` sends, without a lookup.
    private func firstStep(afterSends doubts: Int, isRepeatable: Bool) -> DeliveryAttempt.Step {
        let entry = Samples.entry { ($0.uncertain, $0.uncertainSince, $0.doubtedAt, $0.doubts) = (true, now, now, doubts) }
        var trip = DeliveryAttempt(
            entry, route: RouteTraits(canLookUp: false, isAtMostOnce: false, isRepeatable: isRepeatable),
            rules: DeliveryAttempt.Rules(attempts: 3, lookupAfter: 30, keyLifetime: nil), startedAt: now)
        return trip.begin(as: Account(id: Samples.destination.account, label: ""), at: now)
    }

    /// Of an entry whose answer was lost.
    private func lookingUp(isAtMostOnce: Bool) -> DeliveryAttempt {
        let entry = Samples.entry { ($0.uncertain, $0.uncertainSince, $0.doubtedAt, $0.doubts) = (true, now, now, 1) }
        var trip = DeliveryAttempt(
            entry, route: RouteTraits(canLookUp: true, isAtMostOnce: isAtMostOnce),
            rules: DeliveryAttempt.Rules(attempts: 3, lookupAfter: 30, keyLifetime: nil), startedAt: now)
        #expect(trip.begin(as: Account(id: Samples.destination.account, label: ""), at: now) == .lookUp(page: 1, seen: 0))
        return trip
    }

    @Test func neverResendsAtMostOnceEntry() {
        var trip = lookingUp(isAtMostOnce: true)
        guard case .end(let attempt) = trip.lookedUp(.absent, at: now.addingTimeInterval(31)) else {
            Issue.record("it was sent again")
            return
        }
        #expect(attempt.verdict.failure?.reason == .refused && attempt.verdict.failure?.outcomeUnknown == true)
    }

    /// The look-up found what the entry created, but not its id: no later look-up can, and a resend would create another.
    @Test func foundEntryWithoutAnIDIsNotLookedUpAgain() {
        var trip = lookingUp(isAtMostOnce: false)
        let verdict = Verdict.unknown(Failure(.refused, status: 200, "without an id", outcomeUnknown: true))
        guard case .end(let attempt) = trip.lookedUp(.failed(verdict), at: now) else {
            Issue.record("it went on")
            return
        }
        #expect(attempt.verdict == verdict && !attempt.wasSent)
    }

    /// Three answers were errors, after which the look-up is believed sooner than after lost answers.
    @Test(arguments: [(Failure.Reason.serverError, 120.0), (.lostAnswer, 900)])
    func absenceIsBelievedInTime(reason: Failure.Reason, wait: TimeInterval) {
        let entry = Samples.entry {
            ($0.uncertain, $0.uncertainSince, $0.doubtedAt, $0.doubts, $0.isAside) = (true, now, now, 3, true)
            ($0.lastStatus, $0.lastReason) = (reason == .serverError ? 500 : nil, reason)
        }
        for (elapsed, isSent) in [(wait - 1, false), (wait, true)] {
            let time = now.addingTimeInterval(elapsed)
            var trip = DeliveryAttempt(
                entry, route: Samples.route, rules: DeliveryAttempt.Rules(attempts: 3, lookupAfter: 30, keyLifetime: nil), startedAt: time)
            _ = trip.begin(as: Account(id: Samples.destination.account, label: ""), at: time)
            #expect((trip.lookedUp(.absent, at: time) == .send) == isSent, "after \(elapsed) s")
        }
    }

    /// The session cannot be renewed, so contrast decides.
    @Test func judgesAnUndeclared401LikeAnyOtherFailure() {
        var trip = DeliveryAttempt(
            Samples.entry(),
            route: RouteTraits(canLookUp: false, isAtMostOnce: false),
            rules: DeliveryAttempt.Rules(attempts: 3, lookupAfter: 30, keyLifetime: nil), startedAt: now)
        #expect(trip.begin(as: Account(id: Samples.destination.account, label: ""), at: now) == .send)
        #expect(trip.answered(.unauthorized(Failure(.signInRequired, status: 401, "no")), at: now) == .renew)
        guard case .end(let attempt) = trip.notRenewed(at: now), case .transient(let failure) = attempt.verdict else {
            Issue.record("it did not end as a failure of the entry's own")
            return
        }
        #expect(attempt.wasSent && failure.reason == .stillUnauthorized)
    }

    /// The third send may have ended in a crash.
    @Test func sendsNoBlindEntryAFourthTime() {
        #expect(firstStep(afterSends: 2, isRepeatable: false) == .send)
        guard case .end(let attempt) = firstStep(afterSends: 3, isRepeatable: false) else {
            Issue.record("it was sent a fourth time")
            return
        }
        #expect(!attempt.wasMade && attempt.verdict.failure?.outcomeUnknown == true)
        #expect(firstStep(afterSends: 30, isRepeatable: true) == .send)
    }
}
