import Delivery
import Foundation
import SyncModel
import TestSupport
import Testing

@Suite struct CircuitBreakerTests {
    private let now = Date(timeIntervalSince1970: 1_765_000_000)
    private let policy = CircuitBreaker.Policy()

    /// Connecting costs the server nothing; a read of the health route costs little; an entry as the proof may take effect.
    @Test(arguments: [
        (Failure(.offline, "connection refused"), false, 15.0), (Failure(.offline, "connection refused"), true, 15),
        (Failure(.intercepted, status: 302, "a login page"), false, 15), (Failure(.intercepted, status: 302, "a login page"), true, 600),
        (Failure(.tls, "no handshake"), true, 15), (Failure(.clock, "not valid yet"), true, 15), (Samples.failure, false, 120),
        (Failure(.lostAnswer, "no answer"), false, 120), (Samples.failure, true, 600), (Failure(.lostAnswer, "no answer"), true, 600),
    ])
    func pausesGrowToTheCeilingAndShrinkAfterASuccess(failure: Failure, sends: Bool, ceiling: TimeInterval) {
        var breaker = CircuitBreaker()
        var generator = SplitMix64(seed: 1)
        var time = now
        for _ in 1...60 {
            let elapsed = time.timeIntervalSince(now)
            let bound = min(ceiling, max(5, elapsed / 4))
            breaker.trip(failure, sends: sends, policy: policy, now: time, using: &generator)
            guard case .open(let until, _, false) = breaker.state else {
                Issue.record("not open")
                return
            }
            #expect((bound * 2 / 3...bound).contains(until.timeIntervalSince(time)), "after \(elapsed) s")
            time = until
            let wantsProbe = breaker.elapse()
            #expect(wantsProbe)
        }
        #expect(time.timeIntervalSince(now) > 4 * ceiling)
        breaker.succeed()
        #expect(breaker.state == .closed)
        breaker.trip(failure, sends: sends, policy: policy, now: now, using: &generator)
        guard case .open(let until, _, _) = breaker.state else { return }
        #expect(until.timeIntervalSince(now) <= 5)
    }

    /// Otherwise a network that drops packets would double the time between two probes.
    @Test(arguments: [(Failure(.offline, "connecting took too long"), true), (Failure(.lostAnswer, "no answer"), false)])
    func aHangingProbeIsPartOfThePause(failure: Failure, isPart: Bool) {
        var breaker = CircuitBreaker()
        var generator = SplitMix64(seed: 1)
        breaker.trip(failure, sends: true, policy: policy, now: now, using: &generator)
        guard case .open(let begin, _, _) = breaker.state else { return }
        _ = breaker.elapse()
        let end = begin.addingTimeInterval(12)
        breaker.trip(failure, sends: true, policy: policy, now: end, using: &generator)
        #expect(breaker.isOver(policy: policy, now: end) == isPart)
    }

    /// The first connection after a long outage may break before the answer, which must not cost ten minutes.
    @Test func firstLostAnswerAfterAnOutageCausesAShortPause() {
        var breaker = CircuitBreaker()
        var generator = SplitMix64(seed: 1)
        breaker.trip(Failure(.offline, "connection refused"), sends: true, policy: policy, now: now, using: &generator)
        for (elapsed, isShort) in [(10_800.0, true), (10_900, false)] {
            _ = breaker.elapse()
            let time = now.addingTimeInterval(elapsed)
            breaker.trip(Failure(.lostAnswer, "no answer"), sends: true, policy: policy, now: time, using: &generator)
            #expect(breaker.isOver(policy: policy, now: time.addingTimeInterval(5)) == isShort, "after \(elapsed) s")
        }
    }

    @Test func configuredPausesLimitOthers() {
        var generator = SplitMix64(seed: 1)
        for (first, ceiling, bound) in [(60.0, 600.0, 60.0), (1, 4, 4)] {
            var policy = CircuitBreaker.Policy()
            (policy.first, policy.ceiling) = (first, ceiling)
            var breaker = CircuitBreaker()
            for elapsed in [0.0, 86_400] {
                breaker.trip(Failure(.offline, "no"), sends: false, policy: policy, now: now.addingTimeInterval(elapsed), using: &generator)
                guard case .open(let until, _, _) = breaker.state else { return }
                #expect(until.timeIntervalSince(now.addingTimeInterval(elapsed)) <= bound)
                _ = breaker.elapse()
            }
        }
    }

    /// Neither a gateway's answer nor a bad entry as the first probe may cause another long pause.
    @Test func newKindOfFailureShortensThePauseOnce() throws {
        var breaker = CircuitBreaker()
        var generator = SplitMix64(seed: 1)
        func pause(_ status: Int?, after elapsed: TimeInterval) throws -> TimeInterval {
            let now = now.addingTimeInterval(elapsed)
            breaker.trip(Failure(.serverError, status: status, "no"), sends: true, policy: policy, now: now, using: &generator)
            guard case .open(let until, _, _) = breaker.state else { throw Failure(.profile, "not open") }
            _ = breaker.elapse()
            return until.timeIntervalSince(now)
        }
        _ = try pause(nil, after: 0)
        #expect(try pause(nil, after: 3600) >= 300)
        #expect(try pause(502, after: 4000) <= 5)
        #expect(try pause(504, after: 4100) >= 300)
        #expect(try pause(nil, after: 5000) >= 300)
    }

    /// The first probe after an outage may come too early, so the next one must follow soon.
    @Test func retryNowResetsPauses() {
        var breaker = CircuitBreaker()
        var generator = SplitMix64(seed: 1)
        for _ in 1...9 {
            breaker.trip(Samples.failure, sends: false, policy: policy, now: now, using: &generator)
            _ = breaker.elapse()
        }
        breaker.trip(Samples.failure, sends: false, policy: policy, now: now, using: &generator)
        _ = breaker.retryNow(now: now)
        _ = breaker.elapse()
        breaker.trip(Samples.failure, sends: false, policy: policy, now: now, using: &generator)
        guard case .open(let until, _, _) = breaker.state else {
            Issue.record("not open")
            return
        }
        #expect(until.timeIntervalSince(now) <= 5)
    }

    /// Otherwise the next outage, perhaps days later, would begin without a pause.
    @Test func successForgetsRetryNow() {
        var breaker = CircuitBreaker()
        var generator = SplitMix64(seed: 1)
        breaker.trip(Samples.failure, sends: false, policy: policy, now: now, using: &generator)
        _ = breaker.elapse()
        _ = breaker.retryNow(now: now)
        breaker.succeed()
        breaker.trip(Samples.failure, sends: false, policy: policy, now: now, using: &generator)
        let isOver = breaker.isOver(policy: policy, now: now)
        #expect(!isOver)
    }

    @Test(arguments: [(Failure.Reason.signInRequired, true), (.stillUnauthorized, true), (.throttled, false)])
    func newSessionEndsSessionPauses(reason: Failure.Reason, ends: Bool) {
        var breaker = CircuitBreaker()
        breaker.pauseAsRequested(until: now.addingTimeInterval(600), Failure(reason, "no"))
        breaker.sessionChanged(now: now)
        #expect((breaker.state == .closed) == ends)
    }

    @Test func sessionPauseIsCappedAndEndsEarly() {
        var breaker = CircuitBreaker()
        breaker.pauseForSession(until: now.addingTimeInterval(3600), Samples.failure, policy: policy, now: now)
        #expect(breaker.state == .open(until: now.addingTimeInterval(policy.ceiling), Samples.failure, isAsked: false))
        let isOver = breaker.isOver(policy: policy, now: now)
        #expect(!isOver)
        var other = breaker
        other.sessionChanged(now: now)
        _ = breaker.retryNow(now: now)
        #expect(other.isOver(policy: policy, now: now) && breaker.isOver(policy: policy, now: now))
    }

    @Test func simultaneousFailuresTripOnce() {
        var breaker = CircuitBreaker()
        var generator = SplitMix64(seed: 1)
        breaker.trip(Samples.failure, sends: false, policy: policy, now: now, using: &generator)
        let state = breaker.state
        for _ in 1...10 { breaker.trip(Samples.failure, sends: false, policy: policy, now: now, using: &generator) }
        #expect(breaker.state == state)
    }

    @Test func requestedWaitCannotBeShortened() {
        var breaker = CircuitBreaker()
        let until = now.addingTimeInterval(60)
        breaker.pauseAsRequested(until: until, Samples.failure)
        let isLate = breaker.retryNow(now: now)
        #expect(!isLate)
        breaker.succeed()
        breaker.pauseAsRequested(until: now.addingTimeInterval(30), Samples.failure)
        #expect(breaker.state == .open(until: until, Samples.failure, isAsked: true))
        let wantsProbe = breaker.elapse()
        #expect(!wantsProbe)
        #expect(breaker.state == .closed)
    }
}
