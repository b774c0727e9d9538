import Foundation
import SyncModel
import TestSupport
import Testing

@testable import Delivery

@Suite struct SettlementTests {
    private let now = Date(timeIntervalSince1970: 1_765_000_000)
    private let lost = Failure(.lostAnswer, "lost", outcomeUnknown: true)

    private func settle(
        _ verdict: Verdict, blame: Blame = .entry, stepsAside: Bool = false, attempts: Int = 0, doubts: Int = 0, canLookUp: Bool = true,
        atMostOnce: Bool = false
    ) -> Settlement {
        let entry = Samples.entry { ($0.attempts, $0.doubts) = (attempts, doubts) }
        return settle(verdict, of: entry, blame: blame, stepsAside: stepsAside, canLookUp: canLookUp, atMostOnce: atMostOnce)
    }

    private func settle(
        _ verdict: Verdict, of entry: Entry, blame: Blame = .entry, stepsAside: Bool = false, hasContrast: Bool = true,
        wasSent: Bool = true, canLookUp: Bool = true, atMostOnce: Bool = false
    ) -> Settlement {
        var generator = SplitMix64(seed: 1)
        let attempt = Attempt(
            verdict, route: RouteTraits(canLookUp: canLookUp, isAtMostOnce: atMostOnce), startedAt: now, endedAt: now, wasSent: wasSent)
        let judgement = Judgement(
            entry: entry, attempt: attempt, blame: blame, hasContrast: hasContrast, stepsAside: stepsAside, policy: RetryPolicy(), now: now)
        return judgement.settled(using: &generator).settlement
    }

    @Test func acceptedIsDelivered() { #expect(settle(.accepted(Samples.receipt)) == .delivered(Samples.receipt)) }

    @Test(arguments: 0...5)
    func refusedEntryFailsAtOnce(attempts: Int) {
        #expect(settle(.permanent(Samples.failure), attempts: attempts) == .dead(Samples.failure))
    }

    @Test func forbiddenIsHeld() { #expect(settle(.forbidden(Samples.failure)) == .held(.forbidden, Samples.failure)) }

    @Test func throttledWaitsAsAskedWithoutCounting() {
        let until = now.addingTimeInterval(77)
        let failure = Failure(.throttled, status: 429, "slower")
        #expect(settle(.throttled(failure, until: until), blame: .backend, attempts: 2) == .released(until: until, failure))
    }

    @Test(arguments: [0, 2, 40]) func lockedWaitsLongWithoutCounting(attempts: Int) {
        let asked = now.addingTimeInterval(77)
        #expect(settle(.locked(Samples.failure, until: asked), attempts: attempts) == .released(until: asked, Samples.failure))
        let own = now.addingTimeInterval(RetryPolicy().ceiling)
        #expect(settle(.locked(Samples.failure, until: nil), attempts: attempts) == .released(until: own, Samples.failure))
    }

    @Test(arguments: [0, 2, 40]) func unreadRowsWaitWithoutCounting(attempts: Int) {
        let until = now.addingTimeInterval(77)
        #expect(settle(.unread(Samples.failure, until: until), attempts: attempts) == .released(until: until, Samples.failure))
    }

    @Test(arguments: [Failure.Reason.throttled, .tooLarge]) func readsThatTheServerStoppedComeBackApart(reason: Failure.Reason) {
        let failure = Failure(reason, status: 429, "slower")
        guard case .released(let until, failure) = settle(.unread(failure, until: now.addingTimeInterval(60))) else {
            Issue.record("It was not released.")
            return
        }
        #expect(until > now.addingTimeInterval(60) && until <= now.addingTimeInterval(120))
    }

    /// A created row without a usable id may exist: sent again, it would exist twice.
    @Test(arguments: [true, false], [true, false]) func refusedUnknownOutcomeIsHeldAtOnce(wasSent: Bool, canLookUp: Bool) {
        let failure = Failure(.refused, status: 201, "without an id", outcomeUnknown: true)
        for blame in [Blame.entry, .loneEntry, .backend] {
            let settlement = settle(.unknown(failure), of: Samples.entry(), blame: blame, wasSent: wasSent, canLookUp: canLookUp)
            #expect(settlement == .held(.unknownOutcome, failure))
        }
    }

    @Test(arguments: [Failure.Reason.signInRequired, .serverError])
    func sessionPauseDoesNotDelayEntry(reason: Failure.Reason) {
        let failure = Failure(reason, "rests")
        #expect(settle(.throttled(failure, until: now.addingTimeInterval(77))) == .released(until: now, failure))
    }

    /// Without contrast, the entry is only held after a time longer than any outage.
    @Test(arguments: [
        (7, 6.0, true, true), (6, 6.0, true, false), (7, 5.9, true, false), (19, 48.0, true, true), (7, -87_600, true, true),
        (19, 48.0, false, false), (19, 359.0, false, false), (19, 360.0, false, true),
    ])
    func holdsEntryWhoseLookUpFailsForHours(_ look: (ups: Int, hours: Double, hasContrast: Bool, isHeld: Bool)) {
        let entry = Samples.entry {
            ($0.looks, $0.uncertain, $0.uncertainSince) = (look.ups, true, now.addingTimeInterval(-look.hours * 3600))
        }
        let settlement = settle(.unknown(lost), of: entry, hasContrast: look.hasContrast, wasSent: false)
        #expect((settlement == .held(.unknownOutcome, lost)) == look.isHeld)
    }

    @Test(arguments: [(0, false), (1, false), (2, true), (5, true)])
    func thirdFailedLookUpStepsAside(looks: Int, isAside: Bool) {
        let entry = Samples.entry { ($0.looks, $0.uncertain, $0.uncertainSince) = (looks, true, now) }
        let settlement = settle(.unknown(lost), of: entry, wasSent: false)
        if case .aside = settlement { #expect(isAside) } else { #expect(!isAside) }
    }

    @Test(arguments: [Verdict.unreachable(Samples.failure), .unauthorized(Samples.failure)], [0, 2])
    func neverCountsOfflineOrEndedSession(verdict: Verdict, attempts: Int) {
        #expect(settle(verdict, attempts: attempts) == .released(until: now, Samples.failure))
    }

    @Test(arguments: [(0, 5.0), (1, 20.0)])
    func retriesWithinBoundWhereEntryIsToBlame(attempts: Int, bound: TimeInterval) throws {
        guard case .retry(let at, Samples.failure) = settle(.transient(Samples.failure), attempts: attempts) else {
            throw Failure(.profile, "not a retry")
        }
        #expect((0...bound).contains(at.timeIntervalSince(now)))
    }

    @Test func thirdCountedAttemptIsLast() {
        #expect(settle(.transient(Samples.failure), attempts: 2) == .dead(Samples.failure))
        let denied = Failure(.forbidden, status: 403, "no")
        #expect(settle(.transient(denied), attempts: 2) == .held(.forbidden, denied))
    }

    @Test(arguments: [Verdict.transient(Samples.failure), .intercepted(Samples.failure)], [0, 2])
    func keepsItsPlaceWithoutCountingWhereBackendIsToBlame(verdict: Verdict, attempts: Int) {
        let again = now.addingTimeInterval(0.001)
        #expect(settle(verdict, blame: .backend, attempts: attempts) == .released(until: again, Samples.failure))
        #expect(settle(verdict, blame: .backend, stepsAside: true, attempts: attempts) == .aside(until: now, Samples.failure))
    }

    @Test(arguments: [Blame.loneEntry, .backend], [0, 2])
    func looksUpLostAnswerSoonWithoutCounting(blame: Blame, attempts: Int) {
        #expect(settle(.unknown(lost), blame: blame, attempts: attempts) == .released(until: now.addingTimeInterval(1), lost))
        #expect(settle(.unknown(lost), blame: blame, doubts: 1) == .aside(until: now.addingTimeInterval(1), lost))
    }

    @Test func holdsEntryWhoseAnswersAreRepeatedlyLost() {
        guard case .retry = settle(.unknown(lost)) else {
            Issue.record("the first lost answer does not count")
            return
        }
        #expect(settle(.unknown(lost), doubts: 2) == .held(.unknownOutcome, lost))
    }

    /// Only contrast can tell a captive portal's page from one of the backend.
    @Test func captivePortalNeverCountsAgainstALoneEntry() {
        let again = now.addingTimeInterval(0.001)
        #expect(settle(.intercepted(Samples.failure), blame: .loneEntry) == .released(until: again, Samples.failure))
    }

    @Test(arguments: [(false, 30.0), (true, 900.0)])
    func waitsLongAfterTheSecondLostAnswer(isAside: Bool, last: TimeInterval) {
        let unseen = Failure(.lostAnswer, "not there yet", outcomeUnknown: true)
        let doubted = now.addingTimeInterval(-last + 1)
        let entry = Samples.entry {
            ($0.uncertain, $0.uncertainSince, $0.doubtedAt, $0.doubts, $0.isAside) = (true, doubted, doubted, 2, isAside)
        }
        let until = doubted.addingTimeInterval(last)
        #expect(
            settle(.unseen(unseen), of: entry, wasSent: false) == (isAside ? .aside(until: until, unseen) : .released(until: until, unseen))
        )
    }

    /// Nothing of the request is still on its way, but the list is the more doubtful, the more often it has not shown the entry.
    @Test(arguments: [(1, 30.0), (2, 60), (3, 120), (5, 480), (6, 900), (90, 900)])
    func absenceAfterServerErrorsIsBelievedAfterGrowingTime(doubts: Int, last: TimeInterval) {
        let unseen = Failure(.lostAnswer, "not there yet", outcomeUnknown: true)
        let doubted = now.addingTimeInterval(-last + 1)
        var entry = Samples.entry {
            ($0.uncertain, $0.uncertainSince, $0.doubtedAt, $0.doubts, $0.isAside) = (true, doubted, doubted, doubts, true)
            ($0.lastStatus, $0.lastReason) = (500, .serverError)
        }
        let until = doubted.addingTimeInterval(last)
        #expect(settle(.unseen(unseen), of: entry, wasSent: false) == .aside(until: until, unseen))
        // The error was the look-up's, so the answer to the send may have been lost.
        entry.looks = 1
        #expect(RetryPolicy.lookupWait(entry, 30) == (doubts > 1 ? 900 : 30))
        // A proxy's answer: the server may still be at work.
        for status in [502, 504] {
            (entry.looks, entry.lastStatus) = (0, status)
            #expect(RetryPolicy.lookupWait(entry, 30) == (doubts > 1 ? 900 : 30))
        }
    }

    /// After 1, 3 and 10 seconds and at the end of the wait, then at growing intervals.
    @Test(arguments: [(0.0, 1.0), (1.0, 3.0), (3.1, 10.0), (11.0, 30.0)])
    func looksAgainAtPlannedTimes(elapsed: TimeInterval, next: TimeInterval) {
        let unseen = Failure(.lostAnswer, "not there yet", outcomeUnknown: true)
        let doubted = now.addingTimeInterval(-elapsed)
        let entry = Samples.entry { ($0.uncertain, $0.uncertainSince, $0.doubtedAt) = (true, doubted, doubted) }
        #expect(settle(.unseen(unseen), of: entry, wasSent: false) == .released(until: doubted.addingTimeInterval(next), unseen))
    }

    @Test(arguments: [Blame.entry, .loneEntry, .backend])
    func holdsBlindEntryAfterThirdUnknownOutcome(blame: Blame) {
        let open = Failure(.serverError, status: 201, "no id", outcomeUnknown: true)
        for failure in [lost, open] {
            for doubts in 0...1 {
                let settlement = settle(.unknown(failure), blame: blame, doubts: doubts, canLookUp: false)
                #expect(settlement != .held(.unknownOutcome, failure))
                if case .dead = settlement { Issue.record("failed after \(doubts)") }
            }
            #expect(settle(.unknown(failure), blame: blame, doubts: 2, canLookUp: false) == .held(.unknownOutcome, failure))
        }
    }

    /// A server that hangs gets at most one of these sends.
    @Test func spacesSendsThatCannotBeLookedUp() {
        guard case .aside(let until, lost) = settle(.unknown(lost), blame: .backend, canLookUp: false) else {
            Issue.record("not aside")
            return
        }
        #expect(until >= now.addingTimeInterval(15 * 60))
    }

    /// A server that says at once that it is unavailable does not hang. Its own wish may be too short.
    @Test(arguments: [(0, 120.0), (1, 3600)])
    func unavailableServerGetsABlindSendSooner(doubts: Int, again: TimeInterval) {
        let unavailable = Failure(.serverError, status: 503, "unavailable", outcomeUnknown: true)
        let settlement = settle(.transient(unavailable), blame: .backend, doubts: doubts, canLookUp: false)
        #expect(settlement == .aside(until: now.addingTimeInterval(again), unavailable))
        let busy = Failure(.throttled, status: 503, "busy", outcomeUnknown: true)
        let throttled = settle(.throttled(busy, until: now.addingTimeInterval(1)), blame: .backend, doubts: doubts, canLookUp: false)
        #expect(throttled == .aside(until: now.addingTimeInterval(again), busy))
        #expect(RetryPolicy.blindPause(after: unavailable, answeredIn: 30, doubts: doubts) == (doubts == 0 ? 900 : 6 * 3600))
    }

    @Test func looksUpLastAttemptBeforeGivingUp() {
        let failed = Failure(.serverError, status: 504, "gateway", outcomeUnknown: true)
        #expect(settle(.transient(failed), attempts: 2) == .retry(at: now.addingTimeInterval(1), failed))
        #expect(settle(.transient(failed), attempts: 2, canLookUp: false) == .held(.unknownOutcome, failed))
    }

    @Test func holdsThrottledEntryThatMayHaveTakenEffect() {
        let busy = Failure(.throttled, status: 503, "busy", outcomeUnknown: true)
        let until = now.addingTimeInterval(60)
        #expect(settle(.throttled(busy, until: until), canLookUp: false, atMostOnce: true) == .held(.unknownOutcome, busy))
        #expect(settle(.throttled(busy, until: until), doubts: 2, canLookUp: false) == .held(.unknownOutcome, busy))
    }

    @Test func holdsAtMostOnceEntryAfterLostAnswer() {
        #expect(settle(.unknown(lost), canLookUp: false, atMostOnce: true) == .held(.unknownOutcome, lost))
    }

    @Test func refusedLookUpHoldsEntry() {
        let refused = Failure(.refused, status: 422, "no", outcomeUnknown: true)
        #expect(settle(.unknown(refused)) == .held(.unknownOutcome, refused))
    }

    @Test func stoppingNeverCounts() {
        let stopped = Failure(.stopping, "stopped", outcomeUnknown: true)
        #expect(settle(.unknown(stopped), attempts: 2, canLookUp: false, atMostOnce: true) == .released(until: now, stopped))
    }

    /// The outbox would take a later time for one from a clock that was ahead, and claim the entry at once.
    @Test func extremePolicyIsDueWithinHorizon() {
        var policy = RetryPolicy()
        (policy.first, policy.ceiling, policy.lookupAfter) = (365 * 86_400, 365 * 86_400, 365 * 86_400)
        let doubted = now.addingTimeInterval(-20)
        var entry = Entry(sequence: 1, mutation: Samples.mutation(1), state: .inflight)
        (entry.uncertain, entry.uncertainSince, entry.doubtedAt) = (true, doubted, doubted)
        let busy = Failure(.throttled, status: 429, "slower")
        let verdicts: [Verdict] = [
            .locked(Samples.failure, until: nil), .unseen(lost), .transient(Samples.failure),
            .throttled(busy, until: now.addingTimeInterval(ServerPause.longest)),
        ]
        let latest = now.addingTimeInterval(ServerPause.horizon)
        var generator = SplitMix64(seed: 1)
        for verdict in verdicts {
            let attempt = Attempt(verdict, route: RouteTraits(canLookUp: true, isAtMostOnce: false), startedAt: now, endedAt: now)
            let judgement = Judgement(
                entry: entry, attempt: attempt, blame: .loneEntry, hasContrast: false, stepsAside: true, policy: policy, now: now)
            switch judgement.settled(using: &generator).settlement {
            case .retry(let date, _), .released(let date, _), .aside(let date, _): #expect(date > now && date <= latest, "\(verdict)")
            case .delivered, .held, .dead: Issue.record("\(verdict)")
            }
        }
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
