import ControlAPI
import Delivery
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport

/// The real daemon behind a network that lies: nothing that it was told is lost, nothing is taken for success that was none, and nothing
/// takes effect twice that can be looked up.
struct NetworkCampaign: Campaign {
    static let name = "network"

    func run(until deadline: ContinuousClock.Instant, seed: UInt64) async throws -> Outcome {
        var outcome = Outcome(Self.name, seed: seed)
        var dice = SplitMix64(seed: seed)
        repeat {
            let round = UInt64.random(in: .min ... .max, using: &dice)
            try await self.round(seed: round, looksUp: true, &outcome)
            outcome.rounds += 1
        } while ContinuousClock.now < deadline
        // Without the look-up what was cut off after its effect must arrive twice, and the same count must see it.
        var control = Outcome(Self.name, seed: seed)
        for _ in 0..<4 where control.duplicated == 0 {
            try await self.round(seed: .random(in: .min ... .max, using: &dice), looksUp: false, &control)
        }
        outcome.controls.append(.init(without: "looking up what may have arrived", failedAsItShould: control.duplicated > 0))
        return outcome
    }

    /// Twenty-four submissions of four lanes through some of the lies, then through none.
    private func round(seed: UInt64, looksUp: Bool, _ outcome: inout Outcome) async throws {
        var dice = SplitMix64(seed: seed)
        let station = try await TestStation()
        let target = UInt16(URL(string: station.sandbox.baseURL)?.port ?? 0)
        let proxy = try LyingProxy(target: target, seed: seed)
        defer { proxy.close() }
        var edits = [("timeout: 60", "timeout: 1")]
        if !looksUp {
            edits.append(("    marker: /arkit_data/client_mutation_id\n", ""))
            edits.append(
                (
                    """
                        unknown_on: [500, 406]
                        find:
                          request: GET /users/{item.user_id}/facial_measurements
                          list: /facial_measurements
                          match: /arkit/client_mutation_id
                          remote_id: /id

                    """, ""
                ))
        }
        try TestStation.place("breathesafe", in: station.directory, baseURL: "http://127.0.0.1:\(proxy.port)", edits: edits)
        try TestStation.configure(station.directory, delivery: TestStation.shortPauses, timeouts: "connect: 1, request: 1, exchange: 2")
        try await station.start()
        try await station.login(remember: true)

        var lies = LyingProxy.Lie.allCases.shuffled(using: &dice)
        if looksUp {
            lies.removeLast(Int.random(in: 0..<lies.count - 3, using: &dice))
        } else {
            lies = [.resetAnswer, .answerReplaced, .none]
        }
        proxy.tell(lies + [.none])
        for number in 1...24 {
            try await station.submit(user: 5 + number % 4, id: number)
            // Now and then the person loses patience, so that more is tried in the same time.
            if number % 6 == 0 { try await station.homing("sync") }
        }
        for _ in 0..<10 {
            try await Task.sleep(for: .milliseconds(300))
            try await station.homing("sync")
        }
        proxy.tell([.none])
        let honest = ContinuousClock.now
        // What the lies have made dead or held is a person's to try again.
        var waiting = 1
        while waiting > 0, ContinuousClock.now - honest < .seconds(60) {
            try await station.homing("sync")
            for entry in try await station.entries() where entry.state == "dead" || entry.state == "held" {
                try await station.homing("retry", entry.id)
            }
            try await Task.sleep(for: .milliseconds(100))
            waiting = try await station.entries().count { $0.state != "delivered" }
        }
        let took = (ContinuousClock.now - honest) / .seconds(1)
        outcome.worstRecovery = max(outcome.worstRecovery ?? 0, took)
        for (lie, count) in proxy.met where lie != .none { outcome.met("\(lie)", count) }

        let rows = try await station.entries()
        let ledger = station.sandbox.ledger
        outcome.acknowledged += 24
        func fail(_ words: String) { outcome.failures.append("network round \(seed): \(words)") }
        if rows.count != 24 || waiting > 0 {
            outcome.lost += 24 - rows.count(where: { $0.state == "delivered" })
            fail("\(rows.filter { $0.state != "delivered" }.map { "\($0.id) is \($0.state)" })")
        }
        let arrived = Set(ledger.entries.compactMap(\.clientMutationID))
        for row in rows where looksUp && row.state == "delivered" && !arrived.contains(row.id) {
            fail("\(row.id) is delivered and not there")
        }
        outcome.duplicated += looksUp ? ledger.duplicates.count : max(0, ledger.entries.count - 24)
        if looksUp, !ledger.duplicates.isEmpty { fail("twice: \(ledger.duplicates.keys.sorted())") }
        for user in 5...8 where looksUp {
            let expected = rows.filter { $0.lane == "users/\(user)" }.map(\.id)
            let order = ledger.entries.filter { $0.user == user }.compactMap(\.clientMutationID)
            // A person's retry of what was dead lets what came after it go first: only then may the order differ.
            if Set(order) != Set(expected) { fail("lane users/\(user) holds \(order.count) of \(expected.count)") }
        }
        try await station.end(SIGTERM)
    }
}
