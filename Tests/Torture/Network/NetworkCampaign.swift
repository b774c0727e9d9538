import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel

/// The real daemon behind a faulty network. No entry is lost, no false success accepted, no entry that can be looked up delivered twice, and no
/// attempt counted for a fault of the network.
struct NetworkCampaign: RoundCampaign {
    static let name = "network"
    static let kinds = 8

    func round(seed: UInt64, _ outcome: inout Outcome) async throws {
        switch seed % UInt64(Self.kinds) {
        case 0: try await lies(seed: seed, overTLS: false, &outcome)
        case 1: try await lies(seed: seed, overTLS: true, &outcome)
        case 2: try await lostRotations(seed: seed, &outcome)
        case 3: try await certificates(seed: seed, &outcome)
        case 4: try await outages(seed: seed, &outcome)
        case 5: try await endlessAnswers(seed: seed, overTLS: seed / UInt64(Self.kinds) % 2 == 0, &outcome)
        case 6: try await weather(seed: seed, overTLS: seed / UInt64(Self.kinds) % 2 == 0, &outcome)
        default: try await clocks(seed: seed, &outcome)
        }
    }

    /// Negative controls. Rounds with certificates and outages contain their own.
    func control(seed: UInt64, _ outcome: inout Outcome) async throws {
        // Without look-ups, requests that are cut off after their effect must be duplicated, and the check must notice.
        var dice = SplitMix64(seed: seed)
        var control = Outcome(Self.name, seed: seed)
        for _ in 0..<4 where control.duplicated == 0 {
            try await lies(
                seed: .random(in: .min ... .max, using: &dice), overTLS: false, looksUp: false, before: .breatheSafe, &control)
        }
        outcome.controlled(without: "the look-up of entries that may have arrived", failedAsItShould: control.duplicated > 0)
        outcome.controlled(without: "the same answer to every entry", failedAsItShould: try await Self.aCountedAttemptIsSeen(seed: seed))
    }

    /// True if the judge notices counted attempts of one entry that fails while others get through.
    static func aCountedAttemptIsSeen(seed: UInt64) async throws -> Bool {
        let backend = FarBackend.breatheSafe
        let lying = try await LyingStation(backend, overTLS: false, seed: seed, edits: backend.edits)
        let station = lying.station
        try await backend.prepare(station)
        await station.sandbox.apply(Fault(.unavailable, path: "users/5/facial_measurements", method: "POST"))
        // The first one is alone in its lane.
        for number in [4] + (1...16).filter({ $0 % 4 != 0 }) {
            _ = try await station.client.call(Endpoints.submit, backend.submission(number))
        }
        var judge = LieJudge(backend, mayCount: 0)
        let isSeen = try await soon {
            _ = try await station.client.call(Endpoints.sync, SyncRequest())
            try await judge.look(at: station)
            return !judge.problems.isEmpty
        }
        try await lying.stop()
        return isSeen
    }

    static let hasty = "first_delay: 0.05, longest_delay: 0.5, lookup_after: 0.05, first_pause: 0.1, longest_pause: 0.5"
    static let impatient = "connect: 1, request: 1, exchange: 2"
    /// For the shipped breathesafe profile.
    static let patience = ("timeout: 60", "timeout: 1")

    /// Waits until all entries are delivered without help, and records the time; false on a timeout.
    func settlesByItself(_ station: TestStation, _ outcome: inout Outcome) async throws -> Bool {
        let began = ContinuousClock.now
        let settled = try await Self.soon { try await station.entries().allSatisfy { $0.state == "delivered" } }
        outcome.worstRecovery = max(outcome.worstRecovery ?? 0, (ContinuousClock.now - began) / .seconds(1))
        return settled
    }
}
