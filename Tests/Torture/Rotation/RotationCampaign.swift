import StationSupport
import SyncModel

/// Changes the keys of a busy station, interrupts that at each step, and searches what is left for anything that an old key opens.
struct RotationCampaign: RoundCampaign {
    static let name = "rotation"
    static var kinds: Int { RotationFault.allCases.count }

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
        for flaw in RotationFlaw.allCases {
            do {
                let finding = try await Self.run(seed: seed, flaw: flaw)
                outcome.controlled(without: flaw.rawValue, failedAsItShould: flaw.isSeen(in: finding))
            } catch {
                outcome.failures.append("the control without \(flaw.rawValue) could not be completed: \(error)")
            }
        }
    }

    /// One life of a station with changes of its keys, of which the last one is complete.
    static func run(seed: UInt64, flaw: RotationFlaw?) async throws -> RotationStation.Finding {
        let station = try await RotationStation(seed: seed, flaw: flaw)
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

extension RotationStation {
    /// - Parameter first: the number of the first fault; a control has none.
    func life(from first: Int) async throws -> Finding {
        try await begin()
        let faults = RotationFault.allCases
        for number in 0..<(flaw == nil ? 4 : 1) {
            try await day(flaw == nil ? faults[(first + number) % faults.count] : .none)
            try await look()
        }
        try await changeForGood()
        try await judge()
        return finding
    }
}
