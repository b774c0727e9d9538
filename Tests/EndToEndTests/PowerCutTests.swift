import Testing

@testable import homing_torture

@Suite struct PowerCutTests {
    @Test func powerCutLosesNothingAcknowledged() async throws {
        let seed = UInt64.random(in: .min ... .max)
        let outcome = try await PowerCutCampaign(images: 140, eachRealStart: 60).run(until: .now, seed: seed)
        #expect(outcome.failures.isEmpty, "\(outcome.failures.joined(separator: "\n"))")
        #expect(outcome.acknowledged > 20)
        #expect(outcome.rounds > 60)
        #expect(outcome.counts["real daemon started on an image"] ?? 0 > 0)
        // The negative controls: without a guarantee, the same check must fail.
        #expect(outcome.controls.count == 2)
        for control in outcome.controls { #expect(control.failedAsItShould, "without \(control.without)") }
    }
}
