import Testing

@testable import homing_torture

@Suite struct SyscallTests {
    @Test(arguments: [
        ("fdatasync", "EIO", 6, 1), ("fsync", "EIO", 5, 1), ("pwrite64", "ENOSPC", 60, 8), ("write", "EINTR", 2, 1),
        ("openat", "EMFILE", 30, 8), ("rename", "EIO", 2, 1), ("unlink", "EIO", 1, 1), ("mmap", "ENOMEM", 1, 1),
        ("connect", "ENOMEM", 1, 8), ("accept4", "EMFILE", 3, 1),
        // The daemon ends after these and must report the reason.
        ("mkdir", "EIO", 1, 1), ("mkdir", "EIO", 3, 1), ("fsync", "ENOSPC", 13, 8), ("pwrite64", "EIO", 9, 8),
        ("accept4", "ECONNRESET", 3, 1), ("send", "ECONNRESET", 5, 1), ("recv", "EIO", 5, 1),
    ])
    func failedSystemCallLosesAndDuplicatesNothing(call: String, error: String, number: Int, count: Int) async throws {
        let finding = try await SyscallRound(Injection(call: call, error: error, number: number, count: count)).run()
        #expect(finding.problems.isEmpty, "\(finding.problems.joined(separator: "\n"))\n\(finding.said)")
        #expect(!finding.met.isEmpty, "the place is not met any more")
    }

    @Test(arguments: Ending.allCases)
    func failedSystemCallLosesNothingForAnyEnding(ending: Ending) async throws {
        let finding = try await SyscallRound(Injection(call: "fdatasync", error: "EIO", number: 2, ending: ending)).run()
        #expect(finding.problems.isEmpty, "\(finding.problems.joined(separator: "\n"))\n\(finding.said)")
        #expect(finding.wasCut == (ending != .stop))
    }

    /// SQLite reports EDQUOT as an I/O error.
    @Test func exceededQuotaIsReportedAsFullDisk() async throws {
        let injection = Injection(call: "pwrite64", error: "EDQUOT", number: 40, count: 60, pattern: "outbox.sqlite-wal")
        let finding = try await SyscallRound(injection).run()
        #expect(finding.problems.isEmpty && !finding.met.isEmpty, "\(finding.problems.joined(separator: "\n"))\n\(finding.said)")
        #expect(finding.said.contains("outcome=507") && !finding.said.contains("outcome=500"), "\(finding.said)")
    }

    @Test func campaignDetectsPretendedWrites() async throws {
        for control in SyscallCampaign.controls {
            let fails = try await SyscallCampaign.fails(control.injections)
            #expect(fails, "without \(control.without)")
        }
    }
}
