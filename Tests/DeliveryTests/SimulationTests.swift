import Delivery
import Foundation
import Outbox
import SyncModel
import TestSupport
import Testing
import Vault

/// Drives the pure core over the real outbox with a seeded world: what is sent meets every kind of fate, in any order.
@Suite struct SimulationTests {
    private let lanes = 3
    private let count = 24

    private func simulate(
        seed: Int, looksUp: Bool = true, pauses: Int = 0
    ) async throws -> (rows: [EntryRecord], effects: [MutationID], isConsistent: Bool) {
        let directory = try TemporaryDirectory()
        let clock = TestClock()
        let outbox = try Outbox(file: directory("outbox.sqlite"), vault: Vault(key: VaultKey()), crashed: false, now: clock.now)
        _ = try await outbox.enqueue(
            (1...count).map { Samples.mutation($0, lane: "\($0 % lanes)", at: clock.now) }, accountLabel: nil, at: clock.now)
        var world = World(seed: UInt64(seed), outbox: outbox, clock: clock, hasHealth: seed % 2 == 0, looksUp: looksUp, pauses: pauses)
        try await world.run()
        return (try await outbox.entries(limit: 500), world.effects, try await outbox.derivedTablesMatch())
    }

    /// Some worlds with a person who pauses now and then, with and without an end.
    @Test(arguments: 1...40, [0, 6])
    func whateverHappensEveryEntryIsDeliveredOnceInOrderOrKept(seed: Int, pauses: Int) async throws {
        let (rows, effects, isConsistent) = try await simulate(seed: seed, pauses: pauses)
        #expect(rows.count == count)
        for row in rows {
            let times = effects.filter { $0 == row.id }.count
            #expect(row.attempts <= 3)
            switch row.state {
            case .delivered: #expect(times == 1, "\(row.id) took effect \(times) times")
            case .dead, .held: #expect(times <= 1)
            default: Issue.record("\(row.id) was left \(row.state)")
            }
        }
        for lane in 0..<lanes {
            let delivered = effects.compactMap { id in rows.first { $0.id == id && $0.lane == Lane("\(lane)") }?.sequence }
            #expect(delivered == delivered.sorted())
        }
        #expect(isConsistent)
    }

    /// The control: a courier that sends again without looking is caught by the same count.
    @Test func sendingAgainWithoutLookingIsCaught() async throws {
        var duplicates = 0
        for seed in 1...5 {
            let effects = try await simulate(seed: seed, looksUp: false).effects
            duplicates += effects.count - Set(effects).count
        }
        #expect(duplicates > 0)
    }
}

/// A backend, a network and time, all made of one seed.
private struct World {
    var generator: SplitMix64
    let outbox: Outbox
    let clock: TestClock
    let looksUp: Bool
    var state: DispatchState
    /// Ids in the order in which they took effect.
    var effects: [MutationID] = []
    private var actions: [DispatchAction] = []
    private var wakeAt: Date?
    private var steps = 0
    /// The person who pauses and resumes: how often yet, and whether it is paused now.
    private var pauses: Int
    private var isPaused = false
    private var whims: SplitMix64

    init(seed: UInt64, outbox: Outbox, clock: TestClock, hasHealth: Bool, looksUp: Bool, pauses: Int) {
        self.looksUp = looksUp
        self.pauses = pauses
        whims = SplitMix64(seed: seed &+ 1)
        generator = SplitMix64(seed: seed)
        self.outbox = outbox
        self.clock = clock
        state = DispatchState(backends: ["breathesafe": hasHealth], policy: .init(), seed: seed)
    }

    mutating func run() async throws {
        post(.session(backend: "breathesafe", Account(id: "1", label: "")))
        while steps < 20_000 {
            steps += 1
            if pauses > 0, Int.random(in: 0..<8, using: &whims) == 0 { pause() }
            if Int.random(in: 0..<16, using: &whims) == 0 {
                clock.advance(to: clock.now.addingTimeInterval(.random(in: 0...4, using: &whims)))
                post(Bool.random(using: &whims) ? .networkChanged : .hurried(backend: nil))
            }
            if !actions.isEmpty {
                // Whatever is under way may end in any order.
                let action = actions.remove(at: Int.random(in: 0..<actions.count, using: &generator))
                try await perform(action)
            } else if let wakeAt {
                clock.advance(to: wakeAt)
                self.wakeAt = nil
                post(.woke)
            } else if isPaused {
                isPaused = false  // without an end, and nothing else to do: only the person can go on
                post(.resumed(backend: "breathesafe"))
            } else {
                return  // Nothing under way and no time set: there must be nothing left to send, which the test checks.
            }
        }
        Issue.record("it never came to rest")
    }

    private mutating func pause() {
        pauses -= 1
        isPaused = true
        let until = Bool.random(using: &whims) ? clock.now.addingTimeInterval(.random(in: 1...600, using: &whims)) : nil
        post(.paused(Pause(backend: "breathesafe", reason: "", since: clock.now, until: until, by: "a person")))
    }

    private mutating func post(_ event: DispatchEvent) {
        for action in state.on(event, at: clock.now) {
            if case .pauseEnded = action { isPaused = false }
            if case .attempt(let entry) = action, isPaused { Issue.record("\(entry.id) was sent during a pause") }
            if case .wake(let date) = action { wakeAt = date } else { actions.append(action) }
        }
    }

    private mutating func perform(_ action: DispatchAction) async throws {
        switch action {
        case .store(let settled, let claim): post(.stored(try await outbox.settle(settled, thenClaim: claim, at: clock.now)))
        case .attempt(let entry): post(.attempted(entry, attempt(entry)))
        case .probe(let backend): post(.probed(backend: backend, Int.random(in: 0..<3, using: &generator) == 0 ? .failed(offline) : .well))
        case .abandonProbe(let backend):
            guard let probe = actions.firstIndex(of: .probe(backend: backend)) else { return }
            actions.remove(at: probe)
            post(.probed(backend: backend, .failed(Failure(.stopping, "called off"))))
        case .checkSession(let backend): post(.session(backend: backend, Account(id: "1", label: "")))
        case .gateChanged, .pauseEnded, .pauseCorrected, .cut, .drained, .finished, .wake: break
        }
    }

    private let offline = Failure(.offline, "offline")

    private mutating func attempt(_ entry: Entry) -> Attempt {
        let hasIt = effects.contains(entry.id)
        func end(_ verdict: Verdict, _ health: Attempt.Health = .noEvidence) -> Attempt {
            Attempt(
                verdict, health: health, route: RouteTraits(canLookUp: true, isAtMostOnce: false), startedAt: clock.now, endedAt: clock.now)
        }
        func uncertain(_ failure: Failure) -> Failure {
            var failure = failure
            failure.outcomeUnknown = entry.uncertain
            return failure
        }
        let fate = Int.random(in: 0..<12, using: &generator)
        if fate == 0 { return end(.unreachable(uncertain(offline))) }
        if entry.uncertain, hasIt, looksUp { return end(.accepted(Samples.receipt)) }
        switch fate {
        case 1: return end(.transient(Samples.failure), .well)
        case 2: return end(.transient(Samples.failure), .ill)
        case 3: return end(.transient(Samples.failure))
        case 4: return end(.throttled(Failure(.throttled, status: 429, "slower"), until: clock.now.addingTimeInterval(30)))
        case 5: return end(.unauthorized(Failure(.signInRequired, "ended")))
        case 6: return end(.intercepted(Failure(.intercepted, "login page")))
        case 7:
            effects.append(entry.id)  // it took effect, and the answer was lost
            return end(.unknown(Failure(.lostAnswer, "lost", outcomeUnknown: true)))
        case 8: return end(.unknown(Failure(.lostAnswer, "lost", outcomeUnknown: true)))
        case 9 where entry.sequence % 8 == 0: return end(.permanent(Samples.failure))
        default:
            effects.append(entry.id)
            return end(.accepted(Samples.receipt))
        }
    }
}
