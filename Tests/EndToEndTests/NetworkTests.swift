import StationSupport
import Testing

@testable import homing_torture

@Suite struct NetworkTests {
    private let seed = UInt64.random(in: .min ... .max)

    private func outcome(_ round: (NetworkCampaign, UInt64, inout Outcome) async throws -> Void) async throws -> Outcome {
        var outcome = Outcome(NetworkCampaign.name, seed: seed)
        try await round(NetworkCampaign(), seed, &outcome)
        #expect(outcome.failures.isEmpty, "seed \(seed): \(outcome.failures.joined(separator: "\n"))")
        #expect(outcome.lost == 0 && outcome.acknowledged > 0)
        for control in outcome.controls { #expect(control.failedAsItShould, "without \(control.without)") }
        return outcome
    }

    @Test(arguments: [false, true])
    func everyNetworkFaultIsSurvived(overTLS: Bool) async throws {
        let lies = Lie.allCases.filter { $0 != .none }
        let outcome = try await outcome { try await $0.lies(seed: $1, overTLS: overTLS, before: .breatheSafe, telling: lies, &$2) }
        #expect(outcome.faults.count == lies.count && outcome.counts.count == 1, "\(outcome.faults)")
    }

    @Test(arguments: FarBackend.all.map(\.name))
    func networkFaultsLoseNothingOnAnyBackend(name: String) async throws {
        let backend = try #require(FarBackend.all.first { $0.name == name })
        _ = try await outcome { try await $0.lies(seed: $1, overTLS: false, before: backend, &$2) }
    }

    @Test(arguments: FarBackend.all.map(\.name), [false, true])
    func networkFaultsAndThrottlingCountNoAttempt(name: String, overTLS: Bool) async throws {
        let backend = try #require(FarBackend.all.first { $0.name == name })
        let lies = Lie.weather(overTLS: overTLS).filter { $0 != .absurdRetryAfter }
        _ = try await outcome { try await $0.weather(seed: $1, overTLS: overTLS, before: backend, telling: lies, &$2) }
    }

    /// The campaign's check relies on this.
    @Test func countedAttemptIsDetected() async throws { #expect(try await NetworkCampaign.aCountedAttemptIsSeen(seed: seed)) }

    @Test(arguments: [false, true])
    func endlessResponseIsAborted(overTLS: Bool) async throws {
        let outcome = try await outcome { try await $0.endlessAnswers(seed: $1, overTLS: overTLS, &$2) }
        #expect(outcome.faults.count == 1)
    }

    @Test func lostTokenRotationLosesNoWaitingEntry() async throws {
        _ = try await outcome { try await $0.lostRotations(seed: $1, &$2) }
    }

    @Test func wrongCertificateIsReportedAndNothingIsSent() async throws {
        let outcome = try await outcome { try await $0.certificates(seed: $1, &$2) }
        #expect(outcome.faults.count == 5 && outcome.controls.count == 1)
    }

    @Test func recoversFromOutageWithoutCountingAttempts() async throws {
        let outcome = try await outcome { try await $0.outages(seed: $1, &$2) }
        #expect(outcome.faults.count == NetworkCampaign.noticed.count + NetworkCampaign.unnoticed.count)
    }

    @Test func wrongClockIsReportedWithoutCountingAttempts() async throws {
        let outcome = try await outcome { try await $0.clocks(seed: $1, &$2) }
        #expect(outcome.faults.count == 4)
    }

    @Test func firstRoundUsesTheGivenSeed() async throws {
        struct Failing: RoundCampaign {
            static let name = "failing"
            static let kinds = 3
            func round(seed: UInt64, _ outcome: inout Outcome) { outcome.failures.append("\(seed % 3)") }
        }
        let outcome = try await Failing().run(until: .now + .milliseconds(20), seed: 7)
        #expect(outcome.failures.first == "1  Replay: homing-torture run --only failing --minutes 0 --seed 7")
        for (place, failure) in outcome.failures.enumerated() { #expect(failure.hasPrefix("\((place + 1) % 3)  Replay: ")) }
    }
}
