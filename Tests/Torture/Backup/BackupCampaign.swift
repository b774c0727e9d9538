import StationSupport
import SyncModel

/// Backs a busy station up, interrupts that, loses the station, and restores it, with interruptions too.
struct BackupCampaign: RoundCampaign {
    static let name = "backup"
    static var kinds: Int { Interruption.allCases.count }

    func round(seed: UInt64, _ outcome: inout Outcome) async throws {
        let finding = try await Self.run(seed: seed, flaw: nil)
        outcome.failures += finding.problems
        for (fault, times) in finding.faults { outcome.met(fault, times) }
        for (what, times) in finding.counts { outcome.counted(what, times) }
        outcome.acknowledged += finding.acknowledged
        outcome.lost += finding.lost
        outcome.duplicated += finding.duplicated
        outcome.worstRecovery = max(outcome.worstRecovery ?? 0, finding.recovery)
    }

    func control(seed: UInt64, _ outcome: inout Outcome) async throws {
        for flaw in BackupFlaw.allCases {
            do {
                let finding = try await Self.run(seed: seed, flaw: flaw)
                outcome.controlled(without: flaw.rawValue, failedAsItShould: flaw.isSeen(in: finding))
            } catch {
                outcome.failures.append("the control without \(flaw.rawValue) could not be completed: \(error)")
            }
        }
    }

    /// One life of a station, its loss, and its life after the restore.
    static func run(seed: UInt64, flaw: BackupFlaw?) async throws -> BackupStation.Finding {
        let station = try await BackupStation(seed: seed, flaw: flaw)
        do {
            let finding = try await station.life(from: Int(seed % UInt64(kinds)))
            await station.stop()
            return finding
        } catch {
            await station.stop()
            throw error
        }
    }
}

extension BackupStation {
    /// - Parameter first: the number of the first interruption; a control has none.
    func life(from first: Int) async throws -> Finding {
        try await day(.none)
        let interruptions = Interruption.allCases
        for number in 0..<(flaw == nil ? 3 : 0) { try await day(interruptions[(first + number) % interruptions.count]) }
        let older = backups
        try await dayOffline()
        guard let latest = backups.last, let oldest = older.first else {
            broken("no backup was made")
            return finding
        }
        if flaw == nil { try await day(.none) }
        let chosen = flaw == .older ? oldest : drawn(latest)
        try await loseState()
        try await refusesIncompleteFiles()
        guard try await restore(chosen) else { return finding }
        isRestored = true
        try await comesBack(with: flaw == .older ? latest.entries : chosen.entries)
        try await catchUp()
        try await judge()
        return finding
    }

    /// Most often the backup with waiting entries that were delivered since.
    private func drawn(_ latest: Backup) -> Backup {
        let isOther = flaw == nil && Int.random(in: 0..<4, using: &dice) == 0
        return isOther ? backups.randomElement(using: &dice) ?? latest : latest
    }
}
