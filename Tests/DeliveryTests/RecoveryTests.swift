import Backends
import Delivery
import Foundation
import Outbox
import SyncModel
import TestSupport
import Testing

/// Pauses in virtual time, without a hint from the network.
@Suite struct RecoveryTests {
    private static let start = Date(timeIntervalSince1970: 1_765_000_000)
    private static let seeds = 1...20

    /// - Parameter failsAfter: seconds from the start of a connection during the outage. The network may drop packets.
    @Test(arguments: [true, false], [0.0, 12])
    func resumesWithin15SecondsAfterAnyOutage(hasHealthRoute: Bool, failsAfter: TimeInterval) {
        let offline = Failure(.offline, "The backend does not answer.")
        expectResumption(hasHealthRoute, .unreachable(offline), .failed(offline), failsAfter: failsAfter, probesBesides: 14)
    }

    /// The network asks for a sign-in: with a page instead of each answer, or at the proxy, which then lets no connection through.
    @Test(arguments: [true, false])
    func resumesWithin15SecondsAfterALoginPage(hasHealthRoute: Bool) {
        let page = Failure(.intercepted, status: 302, "A login page or proxy is in the way.")
        let caught = hasHealthRoute ? Verdict.intercepted(page) : .unreachable(page)
        expectResumption(hasHealthRoute, caught, .failed(page), failsAfter: 0.1, probesBesides: 16)
    }

    /// - Parameters:
    ///   - verdict, probe: of each try during the outage.
    ///   - probesBesides: the most probes besides one in ten seconds.
    private func expectResumption(
        _ hasHealthRoute: Bool, _ verdict: Verdict, _ probe: Probe, failsAfter: TimeInterval, probesBesides: Int
    ) {
        for outage in [20.0, 180, 900, 10_800] {
            let end = Self.start.addingTimeInterval(outage)
            let waits: [TimeInterval] = Self.seeds.map { seed in
                var run = Run(seed: seed, hasHealthRoute: hasHealthRoute, entries: 1, from: Self.start) { _, begin in
                    let isOver = begin >= end
                    return Attempt(
                        isOver ? .accepted(Samples.receipt) : verdict, route: Samples.route, startedAt: begin,
                        endedAt: begin + (isOver ? 0.1 : failsAfter))
                } connecting: { begin in
                    begin < end ? (probe, failsAfter) : (.well, 0.1)
                }
                run.settleAll()
                #expect(run.probes <= Int(outage / 10) + probesBesides, "after \(outage) s, seed \(seed)")
                // Each is stored, so the outage costs one.
                #expect(run.tries == 2, "after \(outage) s, seed \(seed)")
                return run.time.timeIntervalSince(end)
            }
            let percentile = waits.sorted()[waits.count * 95 / 100 - 1]
            #expect(percentile <= 15, "after \(outage) s")
        }
    }

    /// The server answers each send with an error, and a look-up shows that nothing has taken effect.
    @Test func resumesSoonAfterServerErrors() {
        let error = Failure(.serverError, status: 500, "Internal Server Error", outcomeUnknown: true)
        let unseen = Failure(.lostAnswer, "not there yet", outcomeUnknown: true)
        for outage in [20.0, 60, 200] {
            let end = Self.start.addingTimeInterval(outage)
            for seed in Self.seeds {
                var run = Run(seed: seed, hasHealthRoute: true, entries: 1, from: Self.start) { entry, begin in
                    var trip = DeliveryAttempt(
                        entry, route: Samples.route, rules: .init(attempts: 3, lookupAfter: 30, keyLifetime: nil), startedAt: begin)
                    let step = trip.begin(as: Account(id: Samples.destination.account, label: "ann"), at: begin)
                    let isSent = step == .send || trip.lookedUp(.absent, at: begin) == .send
                    let verdict = !isSent ? .unseen(unseen) : begin < end ? Verdict.unknown(error) : .accepted(Samples.receipt)
                    return Attempt(verdict, route: Samples.route, startedAt: begin, endedAt: begin + 0.1, wasSent: isSent)
                } connecting: { _ in
                    (.well, 0.1)
                }
                run.settleAll()
                #expect(run.time.timeIntervalSince(end) <= max(60, 1.3 * outage), "after \(outage) s, seed \(seed)")
            }
        }
    }

    /// Each look-up finds the entry, so the sends work and only the answers are lost.
    @Test(arguments: [true, false])
    func tenLostAnswersInOneLaneSettleWithin30Seconds(hasHealthRoute: Bool) {
        let lost = Failure(.lostAnswer, "The backend dropped the connection before its answer was complete.", outcomeUnknown: true)
        let found = Receipt(remoteID: "7", status: 200, foundByLookup: true, at: Self.start)
        for seed in Self.seeds {
            var run = Run(seed: seed, hasHealthRoute: hasHealthRoute, entries: 10, from: Self.start) { entry, begin in
                entry.uncertain
                    ? Attempt(.accepted(found), route: Samples.route, startedAt: begin, endedAt: begin + 0.2, wasSent: false)
                    : Attempt(.unknown(lost), route: Samples.route, startedAt: begin, endedAt: begin + 0.5)
            } connecting: { _ in
                (.well, 0.1)
            }
            run.settleAll()
            #expect(run.tries == 20, "seed \(seed)")
            #expect(run.time.timeIntervalSince(Self.start) <= 30, "seed \(seed)")
        }
    }
}

/// The core with entries of one lane, run in virtual time.
private struct Run {
    private(set) var time: Date
    /// Look-ups and sends.
    private(set) var tries = 0
    private(set) var probes = 0
    private var state: DispatchState
    /// In order.
    private var waiting: [Entry]
    private var isSending = false
    private var timer: Date?
    private var coming: [(at: Date, event: DispatchEvent)] = []
    private let sending: (Entry, Date) -> Attempt
    private let connecting: (Date) -> (Probe, TimeInterval)

    /// - Parameters:
    ///   - sending: how an attempt that begins at this time ends.
    ///   - connecting: how a probe that begins at this time ends, and after how long.
    init(
        seed: Int, hasHealthRoute: Bool, entries: Int, from start: Date, sending: @escaping (Entry, Date) -> Attempt,
        connecting: @escaping (Date) -> (Probe, TimeInterval)
    ) {
        state = DispatchState(backends: [Samples.destination.backend: hasHealthRoute], policy: .init(), seed: UInt64(seed))
        time = start
        waiting = (1...entries).map { Entry(sequence: Int64($0), mutation: Samples.mutation($0)) }
        self.sending = sending
        self.connecting = connecting
    }

    /// Signs in and runs until nothing waits, or no event comes.
    mutating func settleAll() {
        feed(.session(backend: Samples.destination.backend, Account(id: Samples.destination.account, label: "ann")))
        while !waiting.isEmpty {
            let next = coming.indices.min { coming[$0].at < coming[$1].at }
            if let next, coming[next].at <= timer ?? .distantFuture {
                let (at, event) = coming.remove(at: next)
                time = max(time, at)
                feed(event)
            } else if let at = timer {
                timer = nil
                time = max(time, at)
                feed(.woke)
            } else {
                Issue.record("Nothing is going to happen, and \(waiting.count) entries wait.")
                return
            }
        }
    }

    private mutating func feed(_ event: DispatchEvent) {
        for action in state.on(event, at: time) {
            switch action {
            case .store(let settled, let orders):
                for item in settled { settle(item) }
                coming.append((time, .stored(claim(orders))))
            case .attempt(let entry):
                tries += 1
                let attempt = sending(entry, time)
                coming.append((attempt.endedAt, .attempted(entry, attempt)))
            case .probe(let backend):
                probes += 1
                let (probe, seconds) = connecting(time)
                coming.append((time + seconds, .probed(backend: backend, probe)))
            case .wake(let date): timer = date
            default: break
            }
        }
    }

    private mutating func settle(_ item: Settled) {
        isSending = false
        switch item.settlement {
        case .delivered: waiting.removeFirst()
        case .released(let until, let failure), .aside(let until, let failure), .retry(let until, let failure):
            waiting[0].dueAt = until
            waiting[0].uncertain = failure.outcomeUnknown
            waiting[0].isAside = if case .aside = item.settlement { true } else { false }
            if item.counts {
                waiting[0].attempts += 1
                waiting[0].countedAt = time
            }
            if item.attempt?.wasSent == true { (waiting[0].lastStatus, waiting[0].lastReason) = (failure.status, failure.reason) }
            if item.isDoubtful {
                waiting[0].doubts += 1
                waiting[0].doubtedAt = item.attempt?.endedAt
                waiting[0].failedAt = item.attempt?.endedAt
            }
        default: Issue.record("\(item.settlement)")
        }
    }

    private mutating func claim(_ orders: [Destination: ClaimOrder]) -> Claimed {
        guard let order = orders[Samples.destination], !isSending, let first = waiting.first else { return Claimed() }
        let isClosed = order.closed.contains(first.route) && order.probes[first.route] == nil
        guard !isClosed, first.dueAt ?? time <= time else {
            return Claimed(nextDue: [Samples.destination: [first.route: first.dueAt ?? time]])
        }
        isSending = true
        return Claimed(entries: [first])
    }
}
