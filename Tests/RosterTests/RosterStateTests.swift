import Foundation
import Outbox
import SyncModel
import Testing

@testable import Roster

final class RosterStateTests {
    private static let ann = Destination(backend: "b", account: "1")
    private static let people = RosterKey(destination: ann, resource: "people")
    private static let lists = RosterKey(destination: ann, resource: "lists")
    private static let failure = Failure(.offline, "no route")
    private static let busy = Failure(.throttled, status: 429, "slow down")
    private static let noon = Date(timeIntervalSince1970: 1_795_262_400)
    private static let day: TimeInterval = 86_400

    private var state = RosterState(resources: ["b": ["people": day]], seed: 1)
    private var now = noon

    private func on(_ event: RosterEvent, after seconds: TimeInterval = 0) -> [RosterAction] {
        now += seconds
        return state.on(event, at: now)
    }

    private func head(_ key: RosterKey = RosterStateTests.people, age: TimeInterval = 0) -> RosterHead {
        RosterHead(key: key, revision: 1, readAt: now.addingTimeInterval(-age), beganAt: now, count: 1, total: 1)
    }

    /// Signed in, with a list read just now.
    private func settle() {
        _ = on(.session(backend: "b", "1", revision: 1))
        _ = on(.known(Self.ann, [head()]))
    }

    private func end(_ outcome: RosterOutcome, after seconds: TimeInterval = 0, took: Duration = .seconds(1)) -> [RosterAction] {
        on(.ended(Self.people, outcome, took: took), after: seconds)
    }

    @Test func readsListThatIsNotStoredOnceAfterSignIn() {
        #expect(on(.session(backend: "b", "1", revision: 1)) == [.loadHeads(Self.ann)])
        #expect(on(.known(Self.ann, [])) == [.read(Self.people)])
        _ = end(.stored(head(), changed: true))
        // A renewed session.
        #expect(on(.session(backend: "b", "1", revision: 2)) == [])
    }

    @Test func ignoresOlderSession() {
        settle()
        #expect(on(.session(backend: "b", nil, revision: 0)) == [])
    }

    @Test func readsOldListWhenItsAgeComes() {
        settle()
        #expect(on(.woke, after: Self.day - 1).contains(.read(Self.people)) == false)
        #expect(on(.woke, after: Self.day / 10 + 2).contains(.read(Self.people)))
    }

    @Test func readsListFromTheFutureAtOnce() {
        _ = on(.session(backend: "b", "1", revision: 1))
        #expect(on(.known(Self.ann, [head(age: -60)])) == [.read(Self.people)])
    }

    @Test func collectsTouches() {
        settle()
        #expect(on(.touched(backend: "b", resource: "people")) == [.wake(at: now + 5)])
        for _ in 1...14 { #expect(on(.touched(backend: "b", resource: "people"), after: 4).contains(.read(Self.people)) == false) }
        #expect(on(.woke, after: 4).contains(.read(Self.people)))
    }

    @Test func restsAfterLongReadAndReadsAgainForTouchDuringIt() {
        settle()
        _ = on(.asked(backend: "b", resource: "people", UUID()))
        _ = on(.touched(backend: "b", resource: "people"))
        #expect(end(.stored(head(), changed: true), after: 20, took: .seconds(20)).contains(.wake(at: now + 200)))
        #expect(on(.woke, after: 200).contains(.read(Self.people)))
    }

    @Test func answersEachPersonOnceAndJoinsRunningRead() {
        settle()
        let (first, second, late) = (UUID(), UUID(), UUID())
        #expect(on(.asked(backend: "b", resource: "people", first)).contains(.read(Self.people)))
        _ = on(.asked(backend: "b", resource: "people", second))
        _ = on(.touched(backend: "b", resource: "people"))
        _ = on(.asked(backend: "b", resource: "people", late))
        let read = head()
        let actions = end(.stored(read, changed: false))
        #expect(actions.contains(.answer([first, second], .done(read))))
        #expect(actions.contains(.read(Self.people)))
        #expect(end(.failed(Self.failure)).contains(.answer([late], .failed(Self.failure))))
    }

    @Test func forgetsWithdrawnCaller() {
        settle()
        let id = UUID()
        _ = on(.asked(backend: "b", resource: "people", id))
        _ = on(.withdrawn(id))
        #expect(end(.stored(head(), changed: false)).allSatisfy { if case .answer = $0 { false } else { true } })
    }

    @Test func waitsAfterFailureUntilThePauseOrTheNetworkChanges() {
        _ = on(.session(backend: "b", "1", revision: 1))
        _ = on(.known(Self.ann, []))
        #expect(end(.failed(Self.failure)) == [.wake(at: now + RosterBackoff.first)])
        #expect(state.conditions(at: now)["b"]?["people"]?.failure == Self.failure)
        #expect(on(.networkChanged).contains(.read(Self.people)))
        _ = end(.failed(Self.failure))
        #expect(on(.woke, after: 3600).contains(.read(Self.people)))
    }

    @Test func keepsServersPauseAlsoFromPeople() {
        _ = on(.session(backend: "b", "1", revision: 1))
        _ = on(.known(Self.ann, []))
        let until = now + 120
        #expect(end(.throttled(Self.busy, until: until)) == [.wake(at: until)])
        let id = UUID()
        #expect(on(.asked(backend: "b", resource: "people", id)) == [.answer([id], .impossible(.serverPaused(until: until, Self.busy)))])
        #expect(on(.gate(backend: "b", .open)) == [])
        #expect(on(.woke, after: 120).contains(.read(Self.people)))
    }

    @Test func readsWhileCoolingOnlyForAPerson() {
        _ = on(.session(backend: "b", "1", revision: 1))
        _ = on(.gate(backend: "b", .cooling(until: now + 300, Self.failure)))
        #expect(on(.known(Self.ann, [])) == [.wake(at: now + 300)])
        #expect(on(.asked(backend: "b", resource: "people", UUID())).contains(.read(Self.people)))
    }

    @Test func readsNothingDuringAPause() {
        _ = on(.session(backend: "b", "1", revision: 1))
        _ = on(.gate(backend: "b", .paused(until: nil, reason: "")))
        #expect(on(.known(Self.ann, [])) == [])
        let id = UUID()
        #expect(on(.asked(backend: "b", resource: "people", id)) == [.answer([id], .impossible(.paused))])
        #expect(on(.gate(backend: "b", .open)) == [.read(Self.people)])
    }

    @Test func waitsAnHourForRoom() {
        _ = on(.session(backend: "b", "1", revision: 1))
        _ = on(.known(Self.ann, []))
        #expect(end(.notStored(.full)) == [.wake(at: now + 3600)])
        #expect(on(.networkChanged) == [])
        #expect(on(.hurried(backend: nil)) == [])
        #expect(on(.asked(backend: "b", resource: "people", UUID())).contains(.read(Self.people)))
    }

    @Test func waitsLongerAfterManyThrottledReads() throws {
        _ = on(.session(backend: "b", "1", revision: 1))
        _ = on(.known(Self.ann, []))
        var waits: [TimeInterval] = []
        for _ in 1...10 {
            let until = now + 1
            _ = end(.throttled(Self.busy, until: until))
            let next = try #require(state.conditions(at: now)["b"]?["people"]?.nextTry)
            waits.append(next.timeIntervalSince(now))
            _ = on(.gate(backend: "b", .cooling(until: until, Self.busy)))
            #expect(on(.gate(backend: "b", .open), after: 1) == [])
            #expect(on(.networkChanged) == [])
            #expect(on(.woke, after: RosterBackoff.ceiling).contains(.read(Self.people)))
        }
        #expect(waits[0] == RosterBackoff.first)
        #expect(waits.suffix(5).max() ?? 0 > 4 * RosterBackoff.first)
    }

    private static let unsuccessful: [RosterOutcome] = [.failed(failure), .throttled(busy, until: noon + 1), .notStored(.full)]
    @Test(arguments: unsuccessful) func restsAfterLongReadWithoutSuccess(outcome: RosterOutcome) {
        _ = on(.session(backend: "b", "1", revision: 1))
        _ = on(.known(Self.ann, []))
        #expect(end(outcome, took: .seconds(600)).contains(.wake(at: now + 6000)))
        #expect(on(.networkChanged, after: 5999) == [])
        #expect(on(.woke, after: 1).contains(.read(Self.people)))
    }

    @Test func readsListThatChangedDuringEveryPassAgainByBackoff() {
        _ = on(.session(backend: "b", "1", revision: 1))
        _ = on(.known(Self.ann, []))
        let changing = RosterHead(
            key: Self.people, revision: 1, readAt: now, beganAt: now, count: 1, total: 2, incomplete: .changing)
        #expect(end(.stored(changing, changed: true)) == [.wake(at: now + RosterBackoff.first)])
        #expect(on(.woke, after: RosterBackoff.first).contains(.read(Self.people)))
    }

    @Test func readsListThatContradictsItselfAgainByBackoff() {
        _ = on(.session(backend: "b", "1", revision: 1))
        _ = on(.known(Self.ann, []))
        let contradictory = RosterHead(
            key: Self.people, revision: 1, readAt: now, beganAt: now, count: 1, total: 2, incomplete: .contradiction)
        #expect(end(.stored(contradictory, changed: true)) == [.wake(at: now + RosterBackoff.first)])
    }

    /// The daemon stopped between the delivery and the next read.
    @Test func readsListAgainThatAnEarlierRunTouched() {
        _ = on(.session(backend: "b", "1", revision: 1))
        #expect(on(.known(Self.ann, [head()], touched: ["people", "gone"])) == [.wake(at: now + 5)])
        #expect(on(.woke, after: 5).contains(.read(Self.people)))
        let other = Destination(backend: "b", account: "2")
        _ = end(.stored(head(), changed: false))
        #expect(on(.known(other, [], touched: ["people"])) == [])
    }

    @Test func readsDeletedListOfTheSignedInAccountAgain() {
        settle()
        let other = RosterKey(destination: Destination(backend: "b", account: "2"), resource: "people")
        #expect(on(.lost(other)) == [])
        #expect(on(.lost(Self.people)) == [.wake(at: now + 5)])
        #expect(on(.woke, after: 5).contains(.read(Self.people)))
    }

    @Test func cancelsReadAndForgetsEverythingAtSignOut() {
        settle()
        let id = UUID()
        _ = on(.asked(backend: "b", resource: "people", id))
        let actions = on(.session(backend: "b", nil, revision: 2))
        #expect(actions.contains(.answer([id], .impossible(.signedOut))))
        #expect(actions.contains(.cancel(backend: "b")))
        // The next account's read waits for the end of the cancelled one.
        _ = on(.session(backend: "b", "2", revision: 3))
        let bob = Destination(backend: "b", account: "2")
        #expect(on(.known(bob, [])) == [])
        #expect(end(.cancelled) == [.read(RosterKey(destination: bob, resource: "people"))])
    }

    @Test func readsOneListAtATimeAskedFirst() {
        state = RosterState(resources: ["b": ["people": Self.day, "lists": Self.day]], seed: 1)
        _ = on(.session(backend: "b", "1", revision: 1))
        #expect(on(.known(Self.ann, [])) == [.read(Self.lists)])
        _ = on(.asked(backend: "b", resource: "people", UUID()))
        #expect(on(.ended(Self.lists, .failed(Self.failure), took: .seconds(1))).contains(.read(Self.people)))
    }

    private static let tasks = RosterKey(destination: ann, resource: "tasks")

    /// `tasks` is read for each row of `lists`.
    private func signInWithParent() {
        state = RosterState(resources: ["b": ["lists": Self.day, "tasks": Self.day]], parents: ["b": ["tasks": "lists"]], seed: 1)
        _ = on(.session(backend: "b", "1", revision: 1))
    }

    @Test func readsListOnlyAfterItsParent() {
        signInWithParent()
        #expect(on(.known(Self.ann, [])) == [.read(Self.lists)])
        let actions = on(.ended(Self.lists, .failed(Self.failure), took: .seconds(1)))
        #expect(actions == [.wake(at: now + RosterBackoff.first)])
        #expect(state.conditions(at: now)["b"]?["tasks"]?.nextTry == now + RosterBackoff.first)
        #expect(on(.networkChanged).contains(.read(Self.lists)))
        #expect(on(.ended(Self.lists, .stored(head(Self.lists), changed: true), took: .seconds(1))).contains(.read(Self.tasks)))
    }

    @Test func readsListAgainWhenItsParentHasChanged() {
        signInWithParent()
        _ = on(.known(Self.ann, [head(Self.lists), head(Self.tasks)]))
        for (isChanged, isRead) in [(false, false), (true, true)] {
            _ = on(.asked(backend: "b", resource: "lists", UUID()))
            _ = on(.ended(Self.lists, .stored(head(Self.lists), changed: isChanged), took: .seconds(1)))
            #expect(on(.woke, after: RosterResource.calm).contains(.read(Self.tasks)) == isRead)
        }
    }

    /// A row of it may have gone.
    @Test func readsParentOfAListThatWasNeverSeenWholeOnce() {
        signInWithParent()
        _ = on(.known(Self.ann, [head(Self.lists), head(Self.tasks)]))
        for isRead in [true, false] {
            #expect(on(.asked(backend: "b", resource: "tasks", UUID())).contains(.read(Self.tasks)))
            _ = on(.ended(Self.tasks, .unsettled(Self.failure), took: .seconds(1)))
            #expect(on(.woke, after: 3600).contains(.read(Self.lists)) == isRead)
            if isRead { _ = on(.ended(Self.lists, .stored(head(Self.lists), changed: false), took: .seconds(1))) }
        }
    }

    @Test func readsParentBeforeItsChildThatIsStoredAsChanging() {
        signInWithParent()
        _ = on(.known(Self.ann, [head(Self.lists)]))
        let part = RosterHead(key: Self.tasks, revision: 1, readAt: now, beganAt: now, count: 1, total: 1, incomplete: .changing)
        _ = on(.ended(Self.tasks, .stored(part, changed: true), took: .seconds(1)))
        #expect(on(.woke, after: 3600).contains(.read(Self.lists)))
        #expect(on(.ended(Self.lists, .stored(head(Self.lists), changed: true), took: .seconds(1))).contains(.read(Self.tasks)))
    }

    @Test func readsListAgainThatIsOlderThanItsParent() {
        signInWithParent()
        let older = RosterHead(key: Self.tasks, revision: 1, readAt: now - 60, beganAt: now - 60, count: 1, total: 1)
        #expect(on(.known(Self.ann, [head(Self.lists), older])) == [.wake(at: now + RosterResource.calm)])
        #expect(on(.woke, after: RosterResource.calm).contains(.read(Self.tasks)))
    }

    @Test func personWhoAsksForAListWaitsForItsParentToo() {
        signInWithParent()
        _ = on(.gate(backend: "b", .cooling(until: now + 300, Self.failure)))
        _ = on(.known(Self.ann, []))
        let (first, second) = (UUID(), UUID())
        #expect(on(.asked(backend: "b", resource: "tasks", first)).contains(.read(Self.lists)))
        // Answered with the failure of the parent, and not tried again at once.
        let failed = on(.ended(Self.lists, .failed(Self.failure), took: .seconds(1)))
        #expect(failed.contains(.answer([first], .failed(Self.failure))) && !failed.contains(.read(Self.lists)))
        #expect(on(.asked(backend: "b", resource: "tasks", second)).contains(.read(Self.lists)))
        let lists = on(.ended(Self.lists, .stored(head(Self.lists), changed: true), took: .seconds(1)))
        #expect(lists.contains(.read(Self.tasks)) && !lists.contains { if case .answer = $0 { true } else { false } })
        let tasks = head(Self.tasks)
        #expect(on(.ended(Self.tasks, .stored(tasks, changed: true), took: .seconds(1))).contains(.answer([second], .done(tasks))))
    }

    @Test func readsParentBeforeItsChildWhenBothAreTouched() {
        signInWithParent()
        _ = on(.known(Self.ann, [head(Self.lists), head(Self.tasks)]))
        _ = on(.touched(backend: "b", resource: "tasks"))
        _ = on(.touched(backend: "b", resource: "lists"))
        #expect(on(.woke, after: RosterResource.calm).contains(.read(Self.lists)))
    }

    @Test func deletedParentIsReadBeforeItsChild() {
        signInWithParent()
        _ = on(.known(Self.ann, [head(Self.lists), head(Self.tasks)]))
        _ = on(.lost(Self.lists))
        #expect(on(.asked(backend: "b", resource: "tasks", UUID())).contains(.read(Self.lists)))
    }

    @Test func stopsAfterTheCancelledRead() {
        settle()
        let id = UUID()
        _ = on(.asked(backend: "b", resource: "people", id))
        #expect(on(.stop).contains(.cancel(backend: "b")))
        #expect(end(.cancelled) == [.answer([id], .impossible(.stopping)), .finished])
    }

    /// One read per backend, none while it must not be, one answer for each person, and a timer whenever something is due later.
    @Test func keepsItsRulesInAnyOrderOfEvents() {
        var generator = SplitMix64(seed: 7)
        var state = RosterState(resources: ["b": ["people": 600, "lists": 3600]], seed: 3)
        var (now, reading, timer, revision) = (Self.noon, RosterKey?.none, Date?.none, 0)
        var (account, gate, open) = (AccountID?.none, Gate.open, Set<UUID>())
        let accounts: [AccountID?] = [nil, "1", "2"]
        for _ in 0..<100_000 {
            now += .random(in: 0...40, using: &generator)
            var event = RosterEvent.woke
            switch Int.random(in: 0..<12, using: &generator) {
            case 0:
                account = accounts.randomElement(using: &generator) ?? nil
                revision += 1
                event = .session(backend: "b", account, revision: revision)
            case 1:
                let gates: [Gate] = [.open, .paused(until: nil, reason: ""), .cooling(until: now + 60, Self.failure)]
                gate = gates.randomElement(using: &generator) ?? .open
                event = .gate(backend: "b", gate)
            case 2: event = .networkChanged
            case 3, 4: event = .touched(backend: "b", resource: "people")
            case 5:
                let id = UUID()
                open.insert(id)
                event = .asked(backend: "b", resource: "lists", id)
            case 6...9:
                guard let key = reading else { break }
                let head = RosterHead(key: key, revision: 1, readAt: now, beganAt: now, count: 0, total: 0)
                let outcomes: [RosterOutcome] = [
                    .stored(head, changed: true), .failed(Self.failure), .throttled(Self.busy, until: now + 90),
                ]
                reading = nil
                event = .ended(key, outcomes.randomElement(using: &generator) ?? .cancelled, took: .seconds(2))
            default: break
            }
            if case .woke = event { timer = nil }
            var events = [event]
            while !events.isEmpty {
                for action in state.on(events.removeFirst(), at: now) {
                    switch action {
                    case .loadHeads(let destination): events.append(.known(destination, []))
                    case .read(let key):
                        #expect(reading == nil && key.destination.account == account && gate.name != "paused")
                        reading = key
                    case .answer(let ids, _):
                        #expect(open.isSuperset(of: ids))
                        open.subtract(ids)
                    case .wake(let date): timer = date
                    case .cancel, .finished: break
                    }
                }
            }
            // A read that is due begins at once, so a timer is for later.
            let isWaiting = account != nil && gate.name != "paused" && reading == nil
            #expect((timer != nil) == isWaiting && timer.map { $0 > now } != false)
        }
    }
}
