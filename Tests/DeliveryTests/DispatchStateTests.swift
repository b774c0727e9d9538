import Delivery
import Foundation
import Outbox
import SyncModel
import TestSupport
import Testing

@Suite struct DispatchStateTests {
    private let now = Date(timeIntervalSince1970: 1_765_000_000)
    private let route = RouteTraits(canLookUp: true, isAtMostOnce: false)

    /// A signed-in state that has just claimed entries.
    private func signedIn(health: Bool = true) -> DispatchState {
        var state = DispatchState(backends: ["breathesafe": health], policy: .init(), seed: 1)
        let actions = state.on(.session(backend: "breathesafe", Account(id: "1", label: "a")), at: now)
        #expect(actions == [.gateChanged(backend: "breathesafe", .open), .store([], claim: [Samples.destination: 4])])
        return state
    }

    private func entry(_ number: Int) -> Entry {
        Entry(sequence: Int64(number), mutation: Samples.mutation(number, lane: "\(number)"), state: .inflight)
    }

    private func attempt(_ verdict: Verdict, wasSent: Bool = true) -> Attempt {
        Attempt(verdict, route: route, startedAt: now, endedAt: now, wasSent: wasSent)
    }

    @Test func claimsNothingWhileSignedOut() {
        var state = DispatchState(backends: ["breathesafe": true], policy: .init(), seed: 1)
        let told1 = state.on(.arrived, at: now)
        #expect(told1.isEmpty)
        let told2 = state.on(.session(backend: "breathesafe", nil), at: now)
        #expect(told2.isEmpty)
    }

    @Test func setsNoTimerWhileIdle() {
        var state = signedIn()
        let told3 = state.on(.stored(Claimed()), at: now)
        #expect(told3.isEmpty)
    }

    @Test func sendsClaimedEntriesAndSetsTimer() {
        var state = signedIn()
        let due = now.addingTimeInterval(30)
        let actions = state.on(.stored(Claimed(entries: [entry(1)], nextDue: [Samples.destination: ["measurement": due]])), at: now)
        #expect(actions == [.attempt(entry(1)), .wake(at: due)])
    }

    /// The owner of the waiting entries has signed out, so the outage affects no one.
    @Test(arguments: [true, false]) func reportsOutageOnlyWhileEntriesWait(signsIn: Bool) {
        var state = signedIn(health: false)
        _ = state.on(.stored(Claimed(entries: [entry(1)])), at: now)
        let failed = state.on(.attempted(entry(1), attempt(.unreachable(Failure(.offline, "offline")))), at: now)
        #expect(failed.contains { if case .gateChanged(_, .cooling) = $0 { true } else { false } })
        _ = state.on(.stored(Claimed()), at: now)
        let later = now.addingTimeInterval(600)
        let over =
            signsIn
            ? state.on(.session(backend: "breathesafe", Account(id: "2", label: "b"), revision: 1), at: later) : state.on(.woke, at: later)
        #expect(over.contains(.probe(backend: "breathesafe")))
        let claim = DispatchAction.store([], claim: [Destination(backend: "breathesafe", account: signsIn ? "2" : "1"): 1])
        #expect(state.on(.probed(backend: "breathesafe", .well), at: later).contains(claim))
        let nothing = state.on(.stored(Claimed()), at: later)
        #expect(nothing.contains(.gateChanged(backend: "breathesafe", .open)))
        // The next entry is sent alone, as the probe.
        let arrived = state.on(.arrived, at: later)
        #expect(arrived.contains(claim))
    }

    @Test func claimsAgainAfterArrivalDuringStore() {
        var state = signedIn()
        let told4 = state.on(.arrived, at: now)
        #expect(told4.isEmpty)
        let told5 = state.on(.stored(Claimed()), at: now)
        #expect(told5 == [.store([], claim: [Samples.destination: 4])])
    }

    @Test func storesResultAndClaimsNextTogether() throws {
        var state = signedIn()
        _ = state.on(.stored(Claimed(entries: [entry(1)])), at: now)
        let actions = state.on(.attempted(entry(1), attempt(.accepted(Samples.receipt))), at: now)
        guard case .store(let settled, let claim)? = actions.first, actions.count == 1 else {
            Issue.record("\(actions)")
            return
        }
        #expect(settled.map(\.settlement) == [.delivered(Samples.receipt)])
        #expect(claim == [Samples.destination: 4])
    }

    @Test func resultsDuringStoreShareTheNextOne() {
        var state = signedIn()
        _ = state.on(.stored(Claimed(entries: [entry(1), entry(2), entry(3)])), at: now)
        _ = state.on(.attempted(entry(1), attempt(.accepted(Samples.receipt))), at: now)
        let told6 = state.on(.attempted(entry(2), attempt(.accepted(Samples.receipt))), at: now)
        #expect(told6.isEmpty)
        let told7 = state.on(.attempted(entry(3), attempt(.accepted(Samples.receipt))), at: now)
        #expect(told7.isEmpty)
        guard case .store(let settled, _)? = state.on(.stored(Claimed()), at: now).first else {
            Issue.record("nothing was stored")
            return
        }
        #expect(settled.map(\.entry.sequence) == [2, 3])
    }

    @Test func resumesSendingAfterSuccessfulProbe() throws {
        var state = signedIn()
        _ = state.on(.stored(Claimed(entries: [entry(1)])), at: now)
        _ = state.on(.arrived, at: now)
        _ = state.on(.stored(Claimed()), at: now)
        let failure = Failure(.offline, "refused")
        let actions = state.on(.attempted(entry(1), attempt(.unreachable(failure))), at: now)
        guard case .gateChanged(_, .cooling(let until, failure))? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(actions.contains(.wake(at: until)))
        _ = state.on(.stored(Claimed()), at: now)
        // New submissions do not cause an earlier attempt.
        let told8 = state.on(.arrived, at: now)
        #expect(told8.isEmpty)
        let woken = state.on(.woke, at: until)
        #expect(woken.contains(.probe(backend: "breathesafe")))
        #expect(woken.contains { if case .store = $0 { true } else { false } } == false)
        let open = state.on(.probed(backend: "breathesafe", .well), at: until)
        #expect(open == [.gateChanged(backend: "breathesafe", .open), .store([], claim: [Samples.destination: 4])])
    }

    /// A late success and a new failure come before the probe's result.
    @Test func sendsNoSecondProbeWhileOneIsInProgress() throws {
        var state = signedIn()
        let offline = Failure(.offline, "refused")
        _ = state.on(.stored(Claimed(entries: [entry(1), entry(2), entry(3)])), at: now)
        _ = state.on(.attempted(entry(1), attempt(.unreachable(offline))), at: now)
        _ = state.on(.stored(Claimed(nextDue: [Samples.destination: ["measurement": now]])), at: now)
        var later = now.addingTimeInterval(10)
        let first = state.on(.woke, at: later)
        #expect(first.contains(.probe(backend: "breathesafe")))
        _ = state.on(.attempted(entry(2), attempt(.accepted(Samples.receipt))), at: later)
        _ = state.on(.attempted(entry(3), attempt(.unreachable(offline))), at: later)
        _ = state.on(.stored(Claimed(nextDue: [Samples.destination: ["measurement": now]])), at: later)
        later = later.addingTimeInterval(10)
        let second = state.on(.woke, at: later)
        #expect(!second.contains(.probe(backend: "breathesafe")))
        let told = state.on(.probed(backend: "breathesafe", .well), at: later)
        #expect(told.contains(.gateChanged(backend: "breathesafe", .open)))
    }

    @Test func clockAheadDoesNotProlongCooling() {
        var state = signedIn()
        let ahead = now.addingTimeInterval(10 * 365 * 86_400)
        _ = state.on(.stored(Claimed(entries: [entry(1)])), at: ahead)
        _ = state.on(.attempted(entry(1), attempt(.unreachable(Failure(.offline, "refused")))), at: ahead)
        _ = state.on(.stored(Claimed()), at: ahead)
        let woken = state.on(.woke, at: now)
        #expect(woken.contains(.probe(backend: "breathesafe")))
    }

    /// A connection alone proves little, but without one nothing is claimed.
    @Test func sendsOneEntryAfterConnectingWithoutHealthRoute() throws {
        var state = signedIn(health: false)
        _ = state.on(.stored(Claimed(entries: [entry(1)])), at: now)
        _ = state.on(.attempted(entry(1), attempt(.unreachable(Failure(.offline, "refused")))), at: now)
        _ = state.on(.stored(Claimed()), at: now)
        let offline = state.on(.woke, at: now.addingTimeInterval(5))
        #expect(offline == [.probe(backend: "breathesafe")])
        let failed = state.on(.probed(backend: "breathesafe", .failed(Failure(.offline, "refused"))), at: now.addingTimeInterval(5))
        #expect(!failed.contains { if case .store = $0 { true } else { false } })
        let later = now.addingTimeInterval(20)
        let again = state.on(.woke, at: later)
        #expect(again == [.probe(backend: "breathesafe")])
        let told9 = state.on(.probed(backend: "breathesafe", .well), at: later)
        #expect(told9 == [.store([], claim: [Samples.destination: 1])])
        let told10 = state.on(.stored(Claimed(entries: [entry(1)])), at: later)
        #expect(told10 == [.attempt(entry(1))])
        let told11 = state.on(.arrived, at: later)
        #expect(told11.isEmpty)
        let actions = state.on(.attempted(entry(1), attempt(.accepted(Samples.receipt))), at: later)
        #expect(actions.first == .gateChanged(backend: "breathesafe", .open))
    }

    /// Otherwise a person would be asked for hours to sign in to a network that works, because only the entry can prove the route.
    @Test(arguments: [true, false], [Failure.Reason.intercepted, .lostAnswer])
    func noticeEndsWithTheFaultOfTheNetwork(health: Bool, reason: Failure.Reason) {
        var state = signedIn(health: health)
        let failure = Failure(reason, status: reason == .intercepted ? 200 : nil, "no answer of the backend", outcomeUnknown: true)
        let blind = RouteTraits(canLookUp: false, isAtMostOnce: false)
        _ = state.on(.stored(Claimed(entries: [entry(1)])), at: now)
        let verdict = reason == .intercepted ? Verdict.intercepted(failure) : .unknown(failure)
        let failed = state.on(.attempted(entry(1), Attempt(verdict, route: blind, startedAt: now, endedAt: now)), at: now)
        #expect(failed.contains { if case .gateChanged(_, .cooling(_, failure)) = $0 { true } else { false } })
        let due = now.addingTimeInterval(900)
        let waits = Claimed(nextDue: [Samples.destination: ["measurement": due]])
        _ = state.on(.stored(waits), at: now)
        // The network is probed although no entry is due.
        var time = now.addingTimeInterval(5)
        let first = state.on(.woke, at: time)
        #expect(first.contains(.probe(backend: "breathesafe")))
        _ = state.on(.probed(backend: "breathesafe", .failed(Failure(.offline, "refused"))), at: time)
        time = time.addingTimeInterval(15)
        let second = state.on(.woke, at: time)
        #expect(second.contains(.probe(backend: "breathesafe")))
        var well = state.on(.probed(backend: "breathesafe", .well), at: time)
        if well.contains(.probe(backend: "breathesafe")) { well += state.on(.probed(backend: "breathesafe", .well), at: time) }
        // A login page accepts connections too, so a connection proves only the end of a lost answer's cause.
        let isProven = health || reason == .lostAnswer
        #expect(well.contains(.gateChanged(backend: "breathesafe", .open)) == isProven)
        #expect(well.contains(.routeChanged(backend: "breathesafe", route: "measurement", nil)) == isProven)
        #expect(well.contains(.wake(at: due)))
        #expect(!well.contains { if case .store = $0 { true } else { false } })
        #expect(state.connections == (health ? [:] : ["breathesafe": time]))
        // The connection is old by then, so it proves nothing.
        let late = state.on(.woke, at: due)
        #expect(late.contains(.probe(backend: "breathesafe")) == !health)
        let claims = health ? late : state.on(.probed(backend: "breathesafe", .well), at: due)
        #expect(claims.contains { if case .store(_, let orders) = $0 { orders[Samples.destination] != nil } else { false } })
    }

    /// A server that hangs accepts connections too.
    @Test func severalLostAnswersAreNoFaultOfTheNetwork() {
        var state = signedIn()
        let lost = Failure(.lostAnswer, "no answer", outcomeUnknown: true)
        _ = state.on(.stored(Claimed(entries: [entry(1), entry(2)])), at: now)
        for number in 1...2 { _ = state.on(.attempted(entry(number), attempt(.unknown(lost))), at: now) }
        let waits = Claimed(nextDue: [Samples.destination: ["measurement": now.addingTimeInterval(900)]])
        for _ in 1...2 { _ = state.on(.stored(waits), at: now) }
        let woken = state.on(.woke, at: now.addingTimeInterval(600))
        #expect(!woken.contains(.probe(backend: "breathesafe")))
    }

    @Test func endedSessionStopsSendingAndIsChecked() {
        var state = signedIn()
        _ = state.on(.stored(Claimed(entries: [entry(1), entry(2)])), at: now)
        let failure = Failure(.signInRequired, "ended")
        let actions = state.on(.attempted(entry(1), attempt(.unauthorized(failure))), at: now)
        #expect(actions.first == .checkSession(backend: "breathesafe"))
        guard case .store(_, let claim)? = actions.last else { return }
        #expect(claim.isEmpty)
        // The second 401 causes no further check.
        let told12 = state.on(.attempted(entry(2), attempt(.unauthorized(failure))), at: now)
        #expect(told12.isEmpty)
        let told13 = state.on(.session(backend: "breathesafe", nil), at: now)
        #expect(told13 == [.gateChanged(backend: "breathesafe", .signInRequired)])
    }

    @Test func networkChangeTriggersProbeUnlessServerFails() {
        for (reason, isTried) in [(Failure.Reason.offline, true), (.tls, true), (.intercepted, true), (.serverError, false)] {
            var state = signedIn()
            _ = state.on(.arrived, at: now)
            let due = Claimed(entries: [entry(1)], nextDue: [Samples.destination: ["measurement": now]])
            _ = state.on(.stored(due), at: now)
            _ = state.on(.attempted(entry(1), attempt(.unreachable(Failure(reason, "no")))), at: now)
            _ = state.on(.stored(Claimed()), at: now)
            _ = state.on(.arrived, at: now)
            let actions = state.on(.networkChanged, at: now)
            #expect(actions.contains(.probe(backend: "breathesafe")) == isTried, "\(reason)")
        }
    }

    /// A probe from before the change can hang for a minute.
    @Test(arguments: [DispatchEvent.networkChanged, .hurried(backend: nil)])
    func hintDuringProbeIsNotLost(hint: DispatchEvent) {
        var state = signedIn()
        _ = state.on(.stored(Claimed(entries: [entry(1)], nextDue: [Samples.destination: ["measurement": now]])), at: now)
        let offline = Failure(.offline, "no")
        _ = state.on(.attempted(entry(1), attempt(.unreachable(offline))), at: now)
        _ = state.on(.stored(Claimed()), at: now)
        let probing = state.on(hint, at: now)
        #expect(probing.contains(.probe(backend: "breathesafe")))
        // The probe may still succeed.
        let early = state.on(hint, at: now.addingTimeInterval(1))
        #expect(!early.contains(.abandonProbe(backend: "breathesafe")))
        let late = state.on(hint, at: now.addingTimeInterval(3))
        #expect(late.contains(.abandonProbe(backend: "breathesafe")))
        let again = state.on(
            .probed(backend: "breathesafe", .failed(Failure(.stopping, "called off"))), at: now.addingTimeInterval(3))
        #expect(again.contains(.probe(backend: "breathesafe")))
        for case .gateChanged(_, .cooling(_, let failure)) in again { #expect(failure == offline) }
        // One hint causes one probe.
        let failed = state.on(.probed(backend: "breathesafe", .failed(offline)), at: now.addingTimeInterval(4))
        #expect(!failed.contains(.probe(backend: "breathesafe")))
    }

    @Test func firstSubmissionAfterAQuietMinuteIsTriedAtOnce() {
        var state = signedIn()
        _ = state.on(.stored(Claimed(entries: [entry(1)])), at: now)
        _ = state.on(.attempted(entry(1), attempt(.unreachable(Failure(.offline, "refused")))), at: now)
        _ = state.on(.stored(Claimed()), at: now)
        let arrived = state.on(.arrived, at: now)
        #expect(arrived.contains(.probe(backend: "breathesafe")))
    }

    // MARK: Blame by contrast

    private static let broken = Failure(.refused, status: 404, "Not Found")

    private func settled(_ number: Int, in actions: [DispatchAction]) -> [Settled] {
        actions.flatMap { action -> [Settled] in if case .store(let settled, _) = action { settled } else { [] } }
            .filter { $0.entry.sequence == number }
    }

    @Test(arguments: [
        Failure(.refused, status: 404, "Not Found"), Failure(.forbidden, status: 403, "Forbidden"),
        Failure(.serverError, status: 500, "Internal Server Error"), Failure(.stillUnauthorized, status: 401, "Who are you?"),
    ])
    func countsNoAttemptWhileNothingSucceeds(failure: Failure) {
        var state = signedIn()
        _ = state.on(.stored(Claimed(entries: [entry(1), entry(2)])), at: now)
        let first = state.on(.attempted(entry(1), attempt(.transient(failure))), at: now)
        #expect(settled(1, in: first).map(\.counts) == [false])
        #expect(first.contains { if case .routeChanged(_, "measurement", .some) = $0 { true } else { false } })
        let later = now.addingTimeInterval(3600)
        _ = state.on(.stored(Claimed()), at: now)
        var again = entry(2)
        again.failedAt = now
        let second = state.on(.attempted(again, attempt(.transient(failure))), at: later)
        #expect(settled(2, in: second).map(\.counts) == [false])
    }

    @Test func gateNamesTheEntryWhileItAloneFails() {
        var state = signedIn()
        func entries(_ actions: [DispatchAction]) -> [Int64?] {
            actions.compactMap { action -> Int64?? in if case .routeChanged(_, _, let gate?) = action { gate.entry } else { nil } }
        }
        let refused = Failure(.refused, status: 404, "Not Found")
        _ = state.on(.stored(Claimed(entries: [entry(1), entry(2)])), at: now)
        #expect(entries(state.on(.attempted(entry(1), attempt(.transient(refused))), at: now)) == [1])
        _ = state.on(.stored(Claimed()), at: now)
        let second = state.on(.attempted(entry(2), attempt(.transient(refused))), at: now.addingTimeInterval(3600))
        #expect(entries(second) == [nil])
    }

    @Test func countsAgainstEntryOnceOthersSucceed() {
        var state = signedIn()
        _ = state.on(.stored(Claimed(entries: [entry(1), entry(2), entry(3)])), at: now)
        let first = state.on(.attempted(entry(1), attempt(.transient(Self.broken))), at: now)
        #expect(settled(1, in: first).map(\.counts) == [false])
        let later = now.addingTimeInterval(60)
        _ = state.on(.stored(Claimed()), at: later)
        let through = state.on(.attempted(entry(2), attempt(.accepted(Samples.receipt))), at: later)
        #expect(through.contains(.routeChanged(backend: "breathesafe", route: "measurement", nil)))
        _ = state.on(.stored(Claimed()), at: later)
        _ = state.on(.attempted(entry(3), attempt(.accepted(Samples.receipt))), at: later)
        var again = entry(1)
        again.failedAt = now
        _ = state.on(.stored(Claimed(entries: [again])), at: later)
        let second = state.on(.attempted(again, attempt(.transient(Self.broken))), at: later)
        #expect(settled(1, in: second).map(\.counts) == [true])
        // The entry is at fault, so other entries do not wait for it.
        #expect(!second.contains { if case .routeChanged(_, _, .some) = $0 { true } else { false } })
    }

    /// The backend fails for half of all sends, like a load balancer with one bad node.
    @Test func countsNoAttemptWhileBackendFailsIntermittently() {
        var state = signedIn()
        _ = state.on(.stored(Claimed(entries: (1...8).map(entry))), at: now)
        for number in 1...8 {
            let time = now.addingTimeInterval(Double(number))
            let verdict = number % 2 == 1 ? Verdict.transient(Self.broken) : .accepted(Samples.receipt)
            _ = state.on(.attempted(entry(number), attempt(verdict)), at: time)
        }
        let later = now.addingTimeInterval(60)
        _ = state.on(.stored(Claimed()), at: later)
        var again = entry(1)
        again.failedAt = now.addingTimeInterval(1)
        _ = state.on(.stored(Claimed(entries: [again])), at: later)
        let second = state.on(.attempted(again, attempt(.transient(Self.broken))), at: later)
        #expect(settled(1, in: second).map(\.counts) == [false])
    }

    /// Others must succeed repeatedly before the 429 counts against the one entry.
    @Test func throttledEntryCountsOnceOthersSucceed() {
        var state = signedIn()
        let slowDown = Failure(.throttled, status: 429, "slow down")
        var time = now
        func ask() -> [DispatchAction] {
            _ = state.on(.woke, at: time)
            _ = state.on(.stored(Claimed()), at: time)
            _ = state.on(.stored(Claimed(entries: [entry(1)])), at: time)
            return state.on(.attempted(entry(1), attempt(.throttled(slowDown, until: time.addingTimeInterval(20)))), at: time)
        }
        let first = ask()
        #expect(first.contains { if case .keepServerPause = $0 { true } else { false } })
        #expect(settled(1, in: first).map(\.settlement) == [.released(until: time.addingTimeInterval(20), slowDown)])
        for number in 2...3 {
            time += 30
            _ = state.on(.woke, at: time)
            _ = state.on(.stored(Claimed()), at: time)
            _ = state.on(.stored(Claimed(entries: [entry(number)])), at: time)
            _ = state.on(.attempted(entry(number), attempt(.accepted(Samples.receipt))), at: time)
        }
        time += 30
        let alone = ask()
        #expect(!alone.contains { if case .keepServerPause = $0 { true } else { false } })
        #expect(settled(1, in: alone).map(\.counts) == [true])
        guard case .retry(let again, _)? = settled(1, in: alone).first?.settlement else {
            Issue.record("\(alone)")
            return
        }
        #expect(again >= time.addingTimeInterval(20))
    }

    /// While it blocks its lane, no other entry can show whether it is the only one.
    @Test(arguments: [true, false])
    func repeatedlyFailingEntryStepsAside(isThrottled: Bool) {
        var state = signedIn()
        let slowDown = Failure(.throttled, status: 429, "slow down")
        let settlements = (0...3).flatMap { number in
            let time = now.addingTimeInterval(Double(30 * number))
            _ = state.on(.woke, at: time)
            _ = state.on(.stored(Claimed()), at: time)
            _ = state.on(.stored(Claimed(entries: [entry(1)])), at: time)
            let verdict = isThrottled ? Verdict.throttled(slowDown, until: time.addingTimeInterval(20)) : .transient(Self.broken)
            return settled(1, in: state.on(.attempted(entry(1), attempt(verdict)), at: time))
        }
        let areAside = settlements.map { if case .aside = $0.settlement { true } else { false } }
        #expect(areAside == [false, false, true, true])
    }

    @Test func probesFailingRouteWithAnotherEntry() throws {
        var state = signedIn(health: false)
        _ = state.on(.stored(Claimed(entries: [entry(1)])), at: now)
        let failed = state.on(.attempted(entry(1), attempt(.transient(Self.broken))), at: now)
        guard case .store(_, let claim)? = failed.first(where: { if case .store = $0 { true } else { false } }) else {
            Issue.record("\(failed)")
            return
        }
        // Other routes continue.
        #expect(claim == [Samples.destination: ClaimOrder(4, closed: ["measurement"])])
        _ = state.on(.stored(Claimed(nextDue: [Samples.destination: ["measurement": now]])), at: now)
        let later = now.addingTimeInterval(10)
        _ = state.on(.woke, at: later)
        let connected = state.on(.probed(backend: "breathesafe", .well), at: later)
        let order = ClaimOrder(4, closed: ["measurement"], probes: ["measurement": 1])
        #expect(connected.contains(.store([], claim: [Samples.destination: order])))
    }

    @Test func throttledProbeIsFollowedByAnotherEntry() {
        var state = signedIn(health: false)
        _ = state.on(.stored(Claimed(entries: [entry(1)])), at: now)
        _ = state.on(.attempted(entry(1), attempt(.transient(Self.broken))), at: now)
        _ = state.on(.stored(Claimed(nextDue: [Samples.destination: ["measurement": now]])), at: now)
        var time = now.addingTimeInterval(10)
        _ = state.on(.woke, at: time)
        _ = state.on(.probed(backend: "breathesafe", .well), at: time)
        _ = state.on(.stored(Claimed(entries: [entry(2)])), at: time)
        let slowDown = Failure(.throttled, status: 429, "slow down")
        let until = time.addingTimeInterval(20)
        _ = state.on(.attempted(entry(2), attempt(.throttled(slowDown, until: until))), at: time)
        _ = state.on(.stored(Claimed(nextDue: [Samples.destination: ["measurement": now]])), at: time)
        time = until
        let order = ClaimOrder(4, closed: ["measurement"], probes: ["measurement": 2])
        #expect(state.on(.woke, at: time).contains(.store([], claim: [Samples.destination: order])))
    }

    /// Without a network, no try of an entry is stored.
    @Test(arguments: [true, false]) func probesTheBackendBeforeItsFailingRoute(health: Bool) {
        var state = signedIn(health: health)
        _ = state.on(.stored(Claimed(entries: [entry(1)])), at: now)
        _ = state.on(.attempted(entry(1), attempt(.transient(Self.broken))), at: now)
        _ = state.on(.stored(Claimed(nextDue: [Samples.destination: ["measurement": now]])), at: now)
        let later = now.addingTimeInterval(10)
        let woken = state.on(.woke, at: later)
        #expect(woken.contains(.probe(backend: "breathesafe")))
        #expect(!woken.contains { if case .store = $0 { true } else { false } })
        let well = state.on(.probed(backend: "breathesafe", .well), at: later)
        let order = ClaimOrder(4, closed: ["measurement"], probes: ["measurement": 1])
        #expect(well.contains(.store([], claim: [Samples.destination: order])))
    }

    /// A send that may have taken effect is one of three, so an outage must not use them up.
    @Test func busyServerGetsNoSecondBlindSendBeforeItIsWell() throws {
        var state = signedIn()
        let sends = { (actions: [DispatchAction]) in actions.contains { if case .store = $0 { true } else { false } } }
        _ = state.on(.stored(Claimed(entries: [entry(1)])), at: now)
        let busy = Failure(.throttled, status: 503, "busy", outcomeUnknown: true)
        let (asked, due) = (now.addingTimeInterval(30), now.addingTimeInterval(120))
        let blind = RouteTraits(canLookUp: false, isAtMostOnce: false)
        let attempt = Attempt(.throttled(busy, until: asked), route: blind, startedAt: now, endedAt: now)
        let answered = state.on(.attempted(entry(1), attempt), at: now)
        #expect(settled(1, in: answered).map(\.settlement) == [.aside(until: due, busy)])
        _ = state.on(.stored(Claimed()), at: now)
        let over = state.on(.woke, at: asked)
        #expect(over.contains(.store([], claim: [Samples.destination: ClaimOrder(4, closed: ["measurement"])])))
        _ = state.on(.stored(Claimed(nextDue: [Samples.destination: ["measurement": due]])), at: asked)
        var time = due
        var woken = state.on(.woke, at: time)
        for _ in 1...50 {
            #expect(woken.contains(.probe(backend: "breathesafe")) && !sends(woken))
            _ = state.on(.probed(backend: "breathesafe", .failed(Failure(.serverError, status: 503, "busy"))), at: time)
            let next = try #require(state.nextTries["breathesafe"])
            #expect(next.timeIntervalSince(time) < 121)
            time = next
            woken = state.on(.woke, at: time)
        }
        #expect(time.timeIntervalSince(now) > 1800)
        let well = state.on(.probed(backend: "breathesafe", .well), at: time)
        let order = ClaimOrder(4, closed: ["measurement"], probes: ["measurement": 1])
        #expect(well.contains(.store([], claim: [Samples.destination: order])))
    }

    @Test func declaredAnswersAreFinalWithoutContrast() {
        var state = signedIn()
        _ = state.on(.stored(Claimed(entries: [entry(1), entry(2)])), at: now)
        let dead = state.on(.attempted(entry(1), attempt(.permanent(Self.broken))), at: now)
        #expect(settled(1, in: dead).map(\.settlement) == [.dead(Self.broken)])
        _ = state.on(.stored(Claimed()), at: now)
        let held = state.on(.attempted(entry(2), attempt(.forbidden(Self.broken))), at: now)
        #expect(settled(2, in: held).map(\.settlement) == [.held(.forbidden, Self.broken)])
    }

    /// A failing lookup must not hold up deliverable entries.
    @Test func failedLookUpClosesNoRoute() {
        var state = signedIn()
        _ = state.on(.stored(Claimed(entries: [entry(1)])), at: now)
        let open = Failure(.serverError, status: 500, "The look-up failed.", outcomeUnknown: true)
        let missed = state.on(.attempted(entry(1), attempt(.unknown(open), wasSent: false)), at: now)
        #expect(!missed.contains { if case .routeChanged = $0 { true } else { false } })
    }

    @Test func ignoresOutdatedSessionNews() {
        var state = signedIn()
        _ = state.on(.session(backend: "breathesafe", nil, revision: 2), at: now)
        let late = state.on(.session(backend: "breathesafe", Account(id: "1", label: "a"), revision: 1), at: now)
        #expect(late.isEmpty)
        let news = state.on(.session(backend: "breathesafe", Account(id: "1", label: "a"), revision: 3), at: now)
        #expect(news.contains(.gateChanged(backend: "breathesafe", .open)))
    }

    @Test func probesHealthWhileSessionCannotBeRenewed() {
        var state = signedIn()
        _ = state.on(.stored(Claimed(entries: [entry(1)])), at: now)
        let failure = Failure(.signInRequired, "rests")
        let verdict = Verdict.throttled(failure, until: now.addingTimeInterval(300))
        _ = state.on(.attempted(entry(1), attempt(verdict, wasSent: false)), at: now)
        _ = state.on(.stored(Claimed(nextDue: [Samples.destination: ["measurement": now]])), at: now)
        let soon = now.addingTimeInterval(CircuitBreaker.Policy().first)
        let woken = state.on(.woke, at: soon)
        #expect(woken.contains(.probe(backend: "breathesafe")))
        let well = state.on(.probed(backend: "breathesafe", .well), at: soon)
        #expect(well.contains(.store([], claim: [Samples.destination: 4])))
    }

    @Test func honorsRetryAfterOfHealthRoute() {
        var state = signedIn()
        _ = state.on(.stored(Claimed(entries: [entry(1)])), at: now)
        _ = state.on(.attempted(entry(1), attempt(.unreachable(Failure(.offline, "refused")))), at: now)
        let probed = now.addingTimeInterval(CircuitBreaker.Policy().first)
        _ = state.on(.woke, at: probed)
        let slowDown = Failure(.throttled, status: 429, "slow down")
        let until = probed.addingTimeInterval(3600)
        let actions = state.on(.probed(backend: "breathesafe", .failed(slowDown, retryAfter: 3600)), at: probed)
        #expect(actions.contains(.keepServerPause(backend: "breathesafe", until: until, slowDown)))
        #expect(actions.contains(.gateChanged(backend: "breathesafe", .cooling(until: until, slowDown))))
        #expect(!state.on(.hurried(backend: nil), at: probed).contains(.probe(backend: "breathesafe")))
    }

    @Test func newSessionEndsPauseOfOldOne() {
        var state = signedIn(health: false)
        _ = state.on(.stored(Claimed(entries: [entry(1)])), at: now)
        let until = now.addingTimeInterval(300)
        let failure = Failure(.signInRequired, "rests")
        let waiting = state.on(.attempted(entry(1), attempt(.throttled(failure, until: until))), at: now)
        #expect(waiting.contains(.gateChanged(backend: "breathesafe", .cooling(until: until, failure))))
        // Neither a sync nor a probe shortens it.
        let hurried = state.on(.hurried(backend: nil), at: now)
        #expect(!hurried.contains(.probe(backend: "breathesafe")))
        let again = state.on(.session(backend: "breathesafe", Account(id: "1", label: "a"), revision: 1), at: now)
        #expect(again.contains(.gateChanged(backend: "breathesafe", .open)))
    }

    @Test func fullDiskDoesNotDelaySignOut() {
        var state = signedIn()
        _ = state.on(.stored(Claimed(entries: [entry(1)])), at: now)
        _ = state.on(.attempted(entry(1), attempt(.accepted(Samples.receipt))), at: now)
        let draining = state.on(.drain(backend: "breathesafe"), at: now)
        #expect(!draining.contains(.drained(backend: "breathesafe")))
        let full = state.on(.storeFailed, at: now)
        #expect(full.contains(.drained(backend: "breathesafe")))
    }

    @Test func claimsOnlyForNewlySignedInAccount() {
        var state = signedIn()
        _ = state.on(.session(backend: "breathesafe", Account(id: "2", label: "b")), at: now)
        let actions = state.on(.stored(Claimed(nextDue: [Samples.destination: ["measurement": now]])), at: now)
        #expect(actions == [.store([], claim: [Destination(backend: "breathesafe", account: "2"): 4])])
    }

    @Test func unreachableBackendDoesNotAffectOthers() {
        var state = DispatchState(backends: ["a": true, "b": true], policy: .init(), seed: 1)
        let toA = Destination(backend: "a", account: "1")
        let toB = Destination(backend: "b", account: "1")
        _ = state.on(.session(backend: "a", Account(id: "1", label: "")), at: now)
        _ = state.on(.session(backend: "b", Account(id: "1", label: "")), at: now)
        var first = entry(1)
        first.mutation.destination = toA
        let told14 = state.on(.stored(Claimed(entries: [first])), at: now)
        #expect(told14.contains(.store([], claim: [toB: 4])))
        let actions = state.on(.attempted(first, attempt(.unreachable(Failure(.offline, "refused")))), at: now)
        #expect(actions.contains { if case .gateChanged("a", .cooling) = $0 { true } else { false } })
        guard case .store(_, let claim)? = state.on(.stored(Claimed(nextDue: [toB: ["measurement": now]])), at: now).first else {
            Issue.record("b was not asked for")
            return
        }
        #expect(claim == [toB: 4])
    }

    @Test func eachBackendHasItsOwnNextTry() throws {
        var state = DispatchState(backends: ["a": true, "b": true], policy: .init(), seed: 1)
        let due = now.addingTimeInterval(3600)
        _ = state.on(.session(backend: "a", Account(id: "1", label: "")), at: now)
        _ = state.on(.session(backend: "b", Account(id: "1", label: "")), at: now)
        _ = state.on(.stored(Claimed(nextDue: [Destination(backend: "a", account: "1"): ["measurement": due]])), at: now)
        var first = entry(1)
        first.mutation.destination = Destination(backend: "b", account: "1")
        _ = state.on(.stored(Claimed(entries: [first])), at: now)
        let actions = state.on(.attempted(first, attempt(.unreachable(Failure(.offline, "refused")))), at: now)
        let probe = try #require(state.nextTries["b"])
        #expect(probe < due && actions.contains(.wake(at: probe)))
        #expect(state.nextTries["a"] == due)
    }

    @Test func stopWaitsForSendsAndWrites() {
        var state = signedIn()
        _ = state.on(.stored(Claimed(entries: [entry(1)])), at: now)
        let told15 = state.on(.stop, at: now)
        #expect(told15.isEmpty)
        let actions = state.on(.attempted(entry(1), attempt(.accepted(Samples.receipt))), at: now)
        guard case .store(_, let claim)? = actions.first, actions.count == 1 else {
            Issue.record("\(actions)")
            return
        }
        #expect(claim.isEmpty)
        let told16 = state.on(.stored(Claimed()), at: now)
        #expect(told16 == [.finished])
    }

    @Test func drainEndsAfterSendsAndWrites() {
        var state = signedIn()
        _ = state.on(.stored(Claimed(entries: [entry(1)])), at: now)
        let told17 = state.on(.drain(backend: "breathesafe"), at: now)
        #expect(told17.isEmpty)
        let told18 = state.on(.cut(backend: "breathesafe"), at: now)
        #expect(told18 == [.cut([entry(1)])])
        let lost = Failure(.stopping, "cut", outcomeUnknown: true)
        _ = state.on(.attempted(entry(1), attempt(.unknown(lost))), at: now)
        let told19 = state.on(.stored(Claimed()), at: now)
        #expect(told19.contains(.drained(backend: "breathesafe")))
    }

    @Test func retriesStoreOnFullDiskWithoutLosingResults() {
        var state = signedIn()
        _ = state.on(.stored(Claimed(entries: [entry(1)])), at: now)
        _ = state.on(.attempted(entry(1), attempt(.accepted(Samples.receipt))), at: now)
        let later = now.addingTimeInterval(5)
        let told20 = state.on(.storeFailed, at: now)
        #expect(told20 == [.wake(at: later)])
        guard case .store(let settled, _)? = state.on(.woke, at: later).first else {
            Issue.record("nothing was stored")
            return
        }
        #expect(settled.map(\.entry.sequence) == [1])
    }

    @Test func clockAheadDoesNotDelayStoreRetry() {
        let ahead = now.addingTimeInterval(10 * 365 * 86_400)
        var state = signedIn()
        _ = state.on(.storeFailed, at: ahead)
        let told = state.on(.woke, at: now)
        #expect(told == [.store([], claim: [Samples.destination: 4])])
    }

    /// No outage may fail an entry, but a bad entry must fail after two weeks of failures.
    @Test func failsLoneEntryOnlyAfterTwoWeeks() {
        var state = signedIn(health: false)
        var entry = entry(1)
        var counted: [Int] = []
        var time = now
        _ = state.on(.stored(Claimed(entries: [entry])), at: time)
        for minute in Array(stride(from: 0, through: 150, by: 10)) + [14 * 1440, 15 * 1440 + 60, 15 * 1440 + 70] {
            time = now.addingTimeInterval(TimeInterval(minute) * 60)
            let actions =
                state.on(.woke, at: time) + state.on(.stored(Claimed(entries: [entry])), at: time)
                + state.on(.attempted(entry, attempt(.transient(Samples.failure))), at: time)
            for case .store(let settled, _) in actions where settled.first?.counts == true {
                counted.append(minute)
                entry.attempts += 1
                entry.countedAt = time
            }
            entry.failedAt = time
        }
        #expect(counted == [10, 70, 15 * 1440 + 70])
    }

    /// Times from a clock that was ahead are ignored.
    @Test func ignoresTimesFromClockAhead() {
        let ahead = now.addingTimeInterval(10 * 365 * 86_400)
        var state = signedIn(health: false)
        _ = state.on(.stored(Claimed(entries: [entry(1), entry(2)])), at: ahead)
        _ = state.on(.attempted(entry(1), attempt(.accepted(Samples.receipt))), at: ahead)
        for (countedAt, counts) in [(ahead, true), (now.addingTimeInterval(-60), false)] {
            var entry = entry(2)
            entry.failedAt = now.addingTimeInterval(-1)
            entry.countedAt = countedAt
            var next = state
            let actions =
                next.on(.attempted(entry, attempt(.transient(Samples.failure))), at: now) + next.on(.stored(Claimed()), at: now)
            let settled = actions.flatMap { action -> [Settled] in if case .store(let settled, _) = action { settled } else { [] } }
            #expect(settled.filter { $0.entry.sequence == 2 }.map(\.counts) == [counts])
        }
    }

    /// Hours after the clock was corrected, the noted time arrives, but no other entry has succeeded since.
    @Test func ignoresSuccessNotedByClockAhead() {
        let ahead = now.addingTimeInterval(4 * 3600)
        var state = signedIn(health: false)
        _ = state.on(.stored(Claimed(entries: [entry(1), entry(2)])), at: ahead)
        _ = state.on(.attempted(entry(1), attempt(.accepted(Samples.receipt))), at: ahead)
        _ = state.on(.woke, at: now)
        var entry = entry(2)
        entry.failedAt = ahead.addingTimeInterval(-60)
        entry.countedAt = entry.failedAt
        let later = ahead.addingTimeInterval(60)
        let actions =
            state.on(.attempted(entry, attempt(.transient(Samples.failure))), at: later) + state.on(.stored(Claimed()), at: later)
        let settled = actions.flatMap { action -> [Settled] in if case .store(let settled, _) = action { settled } else { [] } }
        #expect(settled.filter { $0.entry.sequence == 2 }.map(\.counts) == [false])
    }
}
