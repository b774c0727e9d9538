import ControlAPI
import Delivery
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport

extension NetworkCampaign {
    /// Submits 24 entries, and more until each fault was used; then removes the faults.
    ///
    /// - Parameters:
    ///   - looksUp: the profile can look up entries.
    ///   - backend: nil for a random one.
    ///   - chosen: the faults; nil for random ones.
    func lies(
        seed: UInt64, overTLS: Bool, looksUp: Bool = true, before backend: FarBackend? = nil, telling chosen: [Lie]? = nil,
        _ outcome: inout Outcome
    ) async throws {
        var dice = SplitMix64(seed: seed)
        let backend = backend ?? FarBackend.all.randomElement(using: &dice) ?? .breatheSafe
        let lying = try await LyingStation(
            backend, overTLS: overTLS, seed: seed, edits: looksUp ? backend.edits : Self.edits(looksUp: false))
        let (station, way) = (lying.station, lying.way)
        try await backend.prepare(station)

        var lies = Lie.allCases.filter { $0 != .none }.shuffled(using: &dice)
        lies.removeLast(Int.random(in: 0..<lies.count - 3, using: &dice))
        if !looksUp { lies = [.resetAnswer, .answerReplaced] }
        lies = chosen ?? lies
        var judge = LieJudge(backend, mayCount: backend.mayCount)
        var caretaker = Caretaker(backend)
        way.tell(lies)
        for number in 1...24 {
            _ = try await station.client.call(Endpoints.submit, backend.submission(number))
            // A person's sync makes more tries in the same time.
            if number % 6 == 0 { _ = try await station.client.call(Endpoints.sync, SyncRequest()) }
        }
        var handedIn = 24
        let limit = ContinuousClock.now + .seconds(600)
        while ContinuousClock.now < limit, lies.contains(where: { way.met[$0] == nil }) {
            try await Task.sleep(for: .milliseconds(100))
            try await judge.look(at: station)
            // A failed or held entry would block its lane, and no request would meet a fault.
            if backend.protection != .lookUp { try await caretaker.sees(to: station, handedIn: handedIn) }
            if try await station.report().queue.waiting == 0 {
                handedIn += 1
                _ = try await station.client.call(Endpoints.submit, backend.submission(handedIn))
            }
            _ = try await station.client.call(Endpoints.sync, SyncRequest())
        }
        way.tell([])
        let settled = try await settles(station, &caretaker, &judge, handedIn: handedIn, &outcome)
        for (lie, count) in way.met { outcome.met("\(overTLS ? "tls " : "")\(lie)", count) }
        outcome.counted("rounds of lies in front of \(backend.name)")
        for lie in lies where way.met[lie] == nil { outcome.counted("not reached in time: \(lie) in front of \(backend.name)") }
        if way.met.isEmpty { outcome.failures.append("\(backend.name): none of \(lies) was told") }
        guard looksUp else {
            outcome.duplicated += max(0, station.sandbox.ledger.entries.count - handedIn)
            return try await lying.stop()
        }
        if !settled { outcome.failures.append("\(backend.name): some entries are not delivered after the lies") }
        try await judge.conclude(station, caretaker, handedIn: handedIn, &outcome)
        try await lying.stop()
    }

    /// Waits until all entries are done, with a person's help, and records the time; false on a timeout.
    func settles(
        _ station: TestStation, _ caretaker: inout Caretaker, _ judge: inout LieJudge, handedIn: Int, _ outcome: inout Outcome
    ) async throws -> Bool {
        let honest = ContinuousClock.now
        let settled = try await Self.soon {
            _ = try await station.client.call(Endpoints.sync, SyncRequest())
            try await judge.look(at: station)
            try await caretaker.sees(to: station, handedIn: handedIn)
            return try await station.entries().allSatisfy(caretaker.isDone)
        }
        outcome.worstRecovery = max(outcome.worstRecovery ?? 0, (ContinuousClock.now - honest) / .seconds(1))
        return settled
    }

    private static func edits(looksUp: Bool) -> [(String, String)] {
        if looksUp { return [patience] }
        let finding = """
                unknown_on: [500, 406]
                find:
                  request: GET /users/{item.user_id}/facial_measurements
                  list: /facial_measurements
                  match: /arkit/client_mutation_id
                  remote_id: /id
                  echo: /arkit

            """
        // Resends at once, as if the route were repeatable.
        return [patience, ("    marker: /arkit_data/client_mutation_id\n", ""), (finding, "    delivery: repeatable\n")]
    }

    /// A response with a body that takes minutes: the daemon gives up after its exchange timeout although bytes keep arriving.
    func endlessAnswers(seed: UInt64, overTLS: Bool, _ outcome: inout Outcome) async throws {
        let lying = try await LyingStation(overTLS: overTLS, seed: seed, edits: Self.edits(looksUp: true))
        let station = lying.station
        try await Self.patiently { try await station.login(remember: true) }
        lying.way.tell([.endlessAnswer], always: true)
        try await station.submit(id: 1)
        let givenUp = try await Self.soon { try await station.entry(1).lastError?.contains("took too long to answer") == true }
        if !givenUp { outcome.failures.append("the daemon still waits for the end of an answer: \(try await station.entry(1))") }
        lying.way.tell([])
        if try await !settlesByItself(station, &outcome) { outcome.failures.append("delivery does not resume") }
        let (entry, effects) = (try await station.entry(1), station.sandbox.ledger.entries.count)
        if entry.attempts > 0 || effects != 1 { outcome.failures.append("\(effects) effects of \(entry)") }
        outcome.acknowledged += 1
        outcome.met("\(overTLS ? "tls " : "")endless answer ended by the timeout")
        try await lying.stop()
    }

    /// The response to a token rotation is lost over TLS. At worst a person must sign in again; waiting entries are not affected.
    func lostRotations(seed: UInt64, _ outcome: inout Outcome) async throws {
        var dice = SplitMix64(seed: seed)
        let grace = Bool.random(using: &dice) ? 10 : 0
        let backend = SandboxBackend.lists2026(Lists2026Configuration { ($0.grace, $0.limits) = (grace, .none) })
        let lying = try await LyingStation(
            backend, profile: "lists-2026", route: "create_list", overTLS: true, seed: seed,
            edits: [("request: POST /api/v1/auth/refresh\n", "request: POST /api/v1/auth/refresh\n    timeout: 4\n")],
            timeouts: TestStation.patient)
        let station = lying.station
        try await Self.patiently { try await station.signIn("lists-2026") }
        for life in 1...3 {
            station.sandbox.expireSessions()
            let fault: FaultName = [.commitThenCut, .neverAnswerAfterCommit, .loginPageAfterCommit, .truncated][
                Int.random(in: 0..<4, using: &dice)]
            let refresh = station.sandbox.ledger.requestCount(path: "auth/refresh")
            await station.sandbox.apply(Fault(fault, path: "auth/refresh", count: 1))
            for number in 1...3 {
                let submission = Submission(
                    backend: "lists-2026", route: "create_list", id: Samples.id(life * 10 + number).description,
                    fields: ["name": "\(life) \(number)"])
                _ = try await station.client.call(Endpoints.submit, submission)
            }
            if try await !Self.soon({ station.sandbox.ledger.requestCount(path: "auth/refresh") > refresh }) {
                outcome.failures.append("life \(life): the daemon sent no refresh")
            }
            outcome.met("tls answer to a refresh lost: \(fault.rawValue)")
            let began = ContinuousClock.now
            let settled = try await Self.soon {
                let report = try await station.report()
                if report.session.state == "signInRequired" {
                    if report.session.reason?.hasPrefix("refresh answer lost") != true {
                        outcome.failures.append("life \(life): a new sign-in is needed: \(report.session.reason ?? "")")
                    }
                    try await Self.patiently { try await station.signIn("lists-2026") }
                }
                return try await station.entries().allSatisfy { $0.state == "delivered" }
            }
            outcome.worstRecovery = max(outcome.worstRecovery ?? 0, (ContinuousClock.now - began) / .seconds(1))
            if !settled { outcome.failures.append("life \(life): waiting entries were not delivered") }
        }
        let rows = try await station.entries()
        outcome.acknowledged += 9
        outcome.lost += 9 - rows.count
        if rows.contains(where: { $0.attempts > 0 }) { outcome.failures.append("the lost answer to a refresh cost an attempt") }
        let made = station.sandbox.ledger.entries.count
        if made != 9 { outcome.failures.append("\(made) lists were created, expected 9") }
        outcome.duplicated += max(0, made - 9)
        try await lying.stop()
    }
}
