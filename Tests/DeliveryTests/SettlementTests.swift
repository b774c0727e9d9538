import Delivery
import Foundation
import SyncModel
import TestSupport
import Testing

/// The table of verdicts, row by row.
@Suite struct SettlementTests {
    private let now = Date(timeIntervalSince1970: 1_765_000_000)
    private let lost = Failure(.lostAnswer, "lost", outcomeUnknown: true)

    private func settle(
        _ verdict: Verdict, attempts: Int = 0, releases: Int = 0, well: Bool = true, canLookUp: Bool = true, atMostOnce: Bool = false
    ) -> Settlement {
        var generator = SplitMix64(seed: 1)
        let entry = Entry(sequence: 1, mutation: Samples.mutation(1), state: .inflight, dueAt: now, attempts: attempts, releases: releases)
        return Settlement(
            verdict, of: entry, backendIsWell: well, isSeenWell: well, route: RouteTraits(canLookUp: canLookUp, isAtMostOnce: atMostOnce),
            policy: RetryPolicy(), now: now, using: &generator)
    }

    @Test func acceptedIsDelivered() { #expect(settle(.accepted(Samples.receipt)) == .delivered(Samples.receipt)) }

    @Test(arguments: 0...5)
    func refusedIsDeadAtOnceHoweverManyAttemptsAreLeft(attempts: Int) {
        #expect(settle(.permanent(Samples.failure), attempts: attempts) == .dead(Samples.failure))
    }

    @Test func forbiddenIsHeld() { #expect(settle(.forbidden(Samples.failure)) == .held(.forbidden, Samples.failure)) }

    @Test func throttledWaitsAsAskedWithoutCounting() {
        let until = now.addingTimeInterval(77)
        let failure = Failure(.throttled, status: 429, "slower")
        #expect(settle(.throttled(failure, until: until), attempts: 2) == .released(until: until, failure))
    }

    @Test(arguments: [0, 2, 40]) func lockedWaitsLongWithoutCounting(attempts: Int) {
        let asked = now.addingTimeInterval(77)
        #expect(settle(.locked(Samples.failure, until: asked), attempts: attempts) == .released(until: asked, Samples.failure))
        let own = now.addingTimeInterval(RetryPolicy().ceiling)
        #expect(settle(.locked(Samples.failure, until: nil), attempts: attempts) == .released(until: own, Samples.failure))
    }

    @Test(arguments: [Failure.Reason.signInRequired, .serverError])
    func aPauseOfTheSessionIsTheGatesAndNotTheEntrys(reason: Failure.Reason) {
        let failure = Failure(reason, "rests")
        #expect(settle(.throttled(failure, until: now.addingTimeInterval(77))) == .released(until: now, failure))
    }

    /// However often it was handed back meanwhile for want of a network.
    /// And where nothing shows that the backend is well, only after a time that no outage lasts.
    @Test(
        arguments: [
            (8, 6.0, true, true), (7, 6.0, true, false), (8, 5.9, true, false), (20, 48.0, true, true), (8, -87_600, true, true),
            (20, 48.0, false, false), (20, 359.0, false, false), (20, 360.0, false, true),
        ], [0, 500])
    func aLookUpThatFailsForHoursIsAPersonsToDecide(_ look: (ups: Int, hours: Double, isSeen: Bool, isHeld: Bool), releases: Int) {
        var generator = SplitMix64(seed: 1)
        let entry = Entry(
            sequence: 1, mutation: Samples.mutation(1), state: .inflight, dueAt: now, releases: releases, looks: look.ups,
            uncertain: true, uncertainSince: now.addingTimeInterval(-look.hours * 3600))
        let settlement = Settlement(
            .unknown(lost), of: entry, backendIsWell: true, isSeenWell: look.isSeen,
            route: RouteTraits(canLookUp: true, isAtMostOnce: false),
            policy: RetryPolicy(), now: now, using: &generator)
        #expect((settlement == .held(.unknownOutcome, lost)) == look.isHeld)
    }

    @Test(arguments: [Verdict.unreachable(Samples.failure), .intercepted(Samples.failure), .unauthorized(Samples.failure)], [0, 2])
    func whatIsNotTheServersDoingIsHandedBackAndNeverCounts(verdict: Verdict, attempts: Int) {
        #expect(settle(verdict, attempts: attempts) == .released(until: now, Samples.failure))
    }

    @Test(arguments: [(0, 5.0), (1, 20.0)])
    func transientAtABackendThatIsWellIsRetriedWithinTheBound(attempts: Int, bound: TimeInterval) throws {
        guard case .retry(let at, Samples.failure) = settle(.transient(Samples.failure), attempts: attempts) else {
            throw Failure(.profile, "not a retry")
        }
        #expect((0...bound).contains(at.timeIntervalSince(now)))
    }

    @Test func theThirdTransientAttemptIsTheLast() {
        #expect(settle(.transient(Samples.failure), attempts: 2) == .dead(Samples.failure))
    }

    @Test(arguments: [0, 2])
    func transientAtABackendThatIsIllNeverCounts(attempts: Int) {
        guard case .released(_, Samples.failure) = settle(.transient(Samples.failure), attempts: attempts, well: false) else {
            Issue.record("it counted")
            return
        }
    }

    @Test(arguments: [0, 2, 40])
    func aLostAnswerThatCanBeLookedUpNeverCountsAndIsNotLookedUpAtOnce(releases: Int) {
        guard case .released(let until, lost) = settle(.unknown(lost), attempts: 2, releases: releases) else {
            Issue.record("it counted")
            return
        }
        #expect(until >= now.addingTimeInterval(30))
        #expect(until <= now.addingTimeInterval(30 + 900))
    }

    @Test func aLostAnswerThatCannotBeLookedUpCounts() {
        guard case .retry(_, lost) = settle(.unknown(lost), canLookUp: false) else {
            Issue.record("it did not count")
            return
        }
        #expect(settle(.unknown(lost), attempts: 2, canLookUp: false) == .dead(lost))
    }

    @Test func theLastAttemptIsLookedAtBeforeItIsGivenUp() {
        let failed = Failure(.serverError, status: 504, "gateway", outcomeUnknown: true)
        #expect(settle(.transient(failed), attempts: 2) == .retry(at: now.addingTimeInterval(30), failed))
        #expect(settle(.transient(failed), attempts: 2, canLookUp: false) == .dead(failed))
    }

    @Test func aLostAnswerIsHeldWhereSendingTwiceIsForbidden() {
        #expect(settle(.unknown(lost), canLookUp: false, atMostOnce: true) == .held(.unknownOutcome, lost))
    }

    @Test func aLookUpThatIsRefusedHolds() {
        let refused = Failure(.refused, status: 422, "no", outcomeUnknown: true)
        #expect(settle(.unknown(refused)) == .held(.unknownOutcome, refused))
    }

    @Test func beingStoppedNeverCounts() {
        let stopped = Failure(.stopping, "stopped", outcomeUnknown: true)
        #expect(settle(.unknown(stopped), attempts: 2, canLookUp: false, atMostOnce: true) == .released(until: now, stopped))
    }

    @Test func jitterReachesTheWholeRange() {
        var generator = SplitMix64(seed: 3)
        let delays = (0..<2000).map { _ in RetryPolicy().delay(before: 2, using: &generator) }
        #expect(delays.allSatisfy { (0...20).contains($0) })
        #expect(delays.contains { $0 < 1 } && delays.contains { $0 > 19 })
        let late = (0..<200).map { _ in RetryPolicy().delay(before: 99, using: &generator) }
        #expect(late.allSatisfy { $0 <= 900 })
    }
}
