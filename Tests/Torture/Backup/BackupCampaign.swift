/// Backs a busy station up, interrupts that, loses the station, and restores it, with interruptions too.
struct BackupCampaign: LifeCampaign {
    typealias Life = BackupStation

    static let name = "backup"
    static var kinds: Int { Interruption.allCases.count }
}

extension BackupStation: StationLife {
    func life(from first: Int) async throws -> LifeFinding {
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
