import Foundation
import StationSupport
import SyncModel
import TestSupport
import Testing

@testable import homing_torture

@Suite struct RotationCampaignTests {
    /// Each with another fault first.
    @Test(arguments: [0, 4, 8]) func interruptedChangesOfTheKeysKeepEachGuarantee(kind: Int) async throws {
        let seed = UInt64.random(in: 0..<1 << 40) * UInt64(RotationCampaign.kinds) + UInt64(kind)
        let finding = try await RotationCampaign.run(seed: seed, flaw: nil)
        #expect(finding.problems.isEmpty, "seed \(seed): \(finding.problems.joined(separator: "\n"))")
        #expect(finding.acknowledged > 30, "seed \(seed): \(finding.counts)")
    }

    @Test(arguments: RotationFlaw.allCases) func campaignDetectsFlaw(flaw: RotationFlaw) async throws {
        let finding = try await RotationCampaign.run(seed: .random(in: .min ... .max), flaw: flaw)
        #expect(flaw.isSeen(in: finding), "without \(flaw.rawValue): \(finding.problems.joined(separator: "\n"))")
    }
}
