import Delivery
import Foundation
import Outbox
import SyncModel
import TestSupport
import Testing

@Suite struct PauseTests {
    private let now = Date(timeIntervalSince1970: 1_765_000_000)
    private let route = RouteTraits(canLookUp: true, isAtMostOnce: false)
    private let ann = Account(id: "1", label: "ann")

    private func pause(for seconds: TimeInterval?, from start: Date? = nil) -> Pause {
        let start = start ?? now
        return Pause(
            backend: "breathesafe", reason: "backup", since: start, until: seconds.map { start.addingTimeInterval($0) }, by: "ann")
    }

    private func idle() -> DispatchState {
        var state = DispatchState(backends: ["breathesafe": true], policy: .init(), seed: 1)
        _ = state.on(.session(backend: "breathesafe", ann), at: now)
        _ = state.on(.stored(Claimed()), at: now)
        return state
    }

    private func entry(_ number: Int) -> Entry {
        Entry(sequence: Int64(number), mutation: Samples.mutation(number, lane: "\(number)"), state: .inflight)
    }

    private func asks(_ actions: [DispatchAction]) -> Bool {
        actions.contains { if case .store(_, let claim) = $0 { !claim.isEmpty } else { false } }
    }

    @Test func claimsNothingDuringPauseAndSetsTimer() {
        var state = idle()
        let until = now.addingTimeInterval(3600)
        let paused = state.on(.paused(pause(for: 3600)), at: now)
        #expect(paused == [.gateChanged(backend: "breathesafe", .paused(until: until, reason: "backup")), .wake(at: until)])
        let arrived = state.on(.arrived, at: now)
        #expect(arrived.isEmpty)
        let hurried = state.on(.hurried(backend: nil), at: now)
        #expect(hurried.isEmpty)
        let over = state.on(.woke, at: until)
        #expect(
            over == [
                .pauseEnded(pause(for: 3600)), .gateChanged(backend: "breathesafe", .open), .store([], claim: [Samples.destination: 4]),
            ])
    }

    @Test func pauseWithoutEndLastsUntilResumed() {
        var state = idle()
        let paused = state.on(.paused(pause(for: nil)), at: now)
        #expect(paused == [.gateChanged(backend: "breathesafe", .paused(until: nil, reason: "backup"))])
        let later = now.addingTimeInterval(365 * 86_400)
        let arrived = state.on(.arrived, at: later)
        #expect(arrived.isEmpty)
        let resumed = state.on(.resumed(backend: "breathesafe"), at: later)
        #expect(resumed == [.gateChanged(backend: "breathesafe", .open), .store([], claim: [Samples.destination: 4])])
    }

    @Test func secondPauseReplacesFirstAndExtraResumeIsIgnored() {
        var state = idle()
        _ = state.on(.paused(pause(for: nil)), at: now)
        let again = state.on(.paused(pause(for: 60)), at: now)
        #expect(again.contains(.wake(at: now.addingTimeInterval(60))))
        _ = state.on(.resumed(backend: "breathesafe"), at: now)
        _ = state.on(.stored(Claimed()), at: now)
        let nothing = state.on(.resumed(backend: "breathesafe"), at: now)
        #expect(!nothing.contains { if case .gateChanged = $0 { true } else { false } })
    }

    /// With two people at once, the newest write counts, in any order of arrival.
    @Test func newestRevisionCountsInAnyOrder() {
        var state = idle()
        _ = state.on(.resumed(backend: "breathesafe", revision: 8), at: now)
        let late = state.on(.paused(pause(for: nil), revision: 7), at: now)
        #expect(!late.contains { if case .gateChanged = $0 { true } else { false } })
        _ = state.on(.paused(pause(for: nil), revision: 9), at: now)
        let early = state.on(.resumed(backend: "breathesafe", revision: 8), at: now)
        #expect(early.isEmpty)
    }

    @Test func finishesSendInProgressThenClaimsNothing() {
        var state = idle()
        _ = state.on(.arrived, at: now)
        let sending = state.on(.stored(Claimed(entries: [entry(1)])), at: now)
        #expect(sending.contains(.attempt(entry(1))))
        let paused = state.on(.paused(pause(for: nil)), at: now)
        #expect(!paused.contains { if case .cut = $0 { true } else { false } })
        let attempt = Attempt(.accepted(Samples.receipt), route: route, startedAt: now, endedAt: now)
        let ended = state.on(.attempted(entry(1), attempt), at: now)
        guard case .store(let settled, let claim)? = ended.first else {
            Issue.record("\(ended)")
            return
        }
        #expect(settled.map(\.settlement) == [.delivered(Samples.receipt)] && claim.isEmpty)
    }

    @Test func returnsEntriesClaimedBeforePause() {
        var state = idle()
        _ = state.on(.arrived, at: now)
        _ = state.on(.paused(pause(for: nil)), at: now)
        let actions = state.on(.stored(Claimed(entries: [entry(1)])), at: now)
        guard case .store(let settled, let claim)? = actions.first, actions.count == 1 else {
            Issue.record("\(actions)")
            return
        }
        #expect(claim.isEmpty && settled.map(\.entry.sequence) == [1])
        #expect(settled.allSatisfy { $0.attempt == nil && $0.settlement.failure?.reason == .paused && !$0.counts })
    }

    @Test func staysPausedWithoutProbesOverSessionChanges() {
        var state = idle()
        _ = state.on(.arrived, at: now)
        _ = state.on(.stored(Claimed(entries: [entry(1)])), at: now)
        let offline = Attempt(.unreachable(Failure(.offline, "refused")), route: route, startedAt: now, endedAt: now)
        _ = state.on(.attempted(entry(1), offline), at: now)
        _ = state.on(.stored(Claimed(nextDue: [Samples.destination: ["measurement": now]])), at: now)
        _ = state.on(.paused(pause(for: 7200)), at: now)
        let woken = state.on(.woke, at: now.addingTimeInterval(3600))
        #expect(!woken.contains(.probe(backend: "breathesafe")))
        let out = state.on(.session(backend: "breathesafe", nil, revision: 1), at: now)
        #expect(!out.contains { if case .gateChanged = $0 { true } else { false } })
        _ = state.on(.session(backend: "breathesafe", ann, revision: 2), at: now)
        let over = state.on(.woke, at: now.addingTimeInterval(7200))
        #expect(over.contains(.probe(backend: "breathesafe")))
    }

    @Test func pauseDoesNotDelaySignOut() {
        var state = idle()
        _ = state.on(.paused(pause(for: nil)), at: now)
        let drained = state.on(.drain(backend: "breathesafe"), at: now)
        #expect(drained.contains(.drained(backend: "breathesafe")))
    }

    /// The pause began while the clock was ten years ahead.
    @Test func clockAheadDoesNotProlongPause() {
        var state = idle()
        let ahead = now.addingTimeInterval(10 * 365 * 86_400)
        _ = state.on(.paused(pause(for: 7200, from: ahead)), at: ahead)
        let corrected = state.on(.arrived, at: now)
        #expect(corrected.contains(.pauseCorrected(pause(for: 7200))))
        #expect(corrected.contains(.wake(at: now.addingTimeInterval(7200))))
        let over = state.on(.woke, at: now.addingTimeInterval(7200))
        #expect(over.contains(.pauseEnded(pause(for: 7200))) && asks(over))
    }

    @Test func aClockThatLeapsAheadEndsAPause() {
        var state = idle()
        _ = state.on(.paused(pause(for: 7200)), at: now)
        let over = state.on(.arrived, at: now.addingTimeInterval(86_400))
        #expect(over.contains(.pauseEnded(pause(for: 7200))) && asks(over))
    }

    @Test func pauseDoesNotAffectOtherBackends() {
        var state = DispatchState(backends: ["breathesafe": true, "other": true], policy: .init(), seed: 1)
        _ = state.on(.paused(pause(for: nil)), at: now)
        _ = state.on(.session(backend: "breathesafe", ann), at: now)
        let actions = state.on(.session(backend: "other", ann), at: now)
        #expect(actions.contains(.store([], claim: [Destination(backend: "other", account: "1"): 4])))
    }
}
