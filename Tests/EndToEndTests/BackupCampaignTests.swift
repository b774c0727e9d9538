import Foundation
import StationSupport
import SyncModel
import TestSupport
import Testing

@testable import homing_torture

@Suite struct BackupCampaignTests {
    /// Each with another interruption first.
    @Test(arguments: 0..<3) func interruptedBackupsAndRestoresKeepEachGuarantee(kind: Int) async throws {
        let seed = UInt64.random(in: 0..<1 << 40) * UInt64(BackupCampaign.kinds) + UInt64(3 * kind)
        let finding = try await BackupCampaign.run(seed: seed, flaw: nil)
        #expect(finding.problems.isEmpty, "seed \(seed): \(finding.problems.joined(separator: "\n"))")
        #expect(finding.acknowledged > 30 && finding.faults.count > 4, "seed \(seed): \(finding.faults)")
    }

    @Test(arguments: BackupFlaw.allCases) func campaignDetectsFlaw(flaw: BackupFlaw) async throws {
        let finding = try await BackupCampaign.run(seed: .random(in: .min ... .max), flaw: flaw)
        #expect(flaw.isSeen(in: finding), "without \(flaw.rawValue): \(finding.problems.joined(separator: "\n"))")
    }

    @Test(arguments: BackupFile.Damage.allCases) func damagedFileIsNotWhole(damage: BackupFile.Damage) throws {
        let folder = try TemporaryDirectory()
        // The SHA-256 of “abc” (FIPS 180-2, appendix B.1) after these bytes.
        let sum: [UInt8] = [
            0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23, 0xb0, 0x03, 0x61, 0xa3, 0x96,
            0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad,
        ]
        let file = BackupFile(path: folder("backup"))
        try Data(Array("abc".utf8) + sum).write(to: URL(fileURLWithPath: file.path))
        #expect(try file.isWhole)
        var dice = SplitMix64(seed: 7)
        for number in 0..<20 {
            let copy = try file.copy(with: damage, to: folder("copy-\(number)"), using: &dice)
            #expect(try !copy.isWhole)
        }
    }
}
