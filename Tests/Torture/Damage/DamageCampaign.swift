import Foundation
import Salvage
import Sandbox
import StationSupport
import TestSupport

/// Damages a station's files between two runs of its daemon. Afterwards every acknowledged capture is present, held, or counted as missing, and the
/// damaged files are kept. The daemon always starts, except with another key, which it refuses without changing anything.
struct DamageCampaign: RoundCampaign {
    static let name = "damage"

    func round(seed: UInt64, _ outcome: inout Outcome) async throws {
        try await live(seed: seed, keepsWhatFails: true, &outcome) { try Flips.inState($0, sparing: $1, &$2) }
    }

    func control(seed: UInt64, _ outcome: inout Outcome) async throws {
        // Removes the whole store, so that nothing counts its entries.
        var control = Outcome(Self.name, seed: seed)
        try await live(seed: seed, ofStoreOnly: true, &control) { state, _, _ in
            for name in Flips.store {
                // `try?`: an orderly stop leaves only the store itself.
                try? FileManager.default.removeItem(atPath: "\(state)/\(name)")
            }
            return [Change(file: "outbox.sqlite", kind: .removed)]
        }
        outcome.controlled(without: "the damaged store to recover from", failedAsItShould: control.lost > 0)
        var robbed = Outcome(Self.name, seed: seed)
        try await live(seed: seed, &robbed) { state, _, _ in
            let folder = state + "/spool/new/users/9"
            // `try?`: there is no folder before the first file.
            guard let file = (try? FileManager.default.contentsOfDirectory(atPath: folder))?.min() else { return [] }
            try FileManager.default.removeItem(atPath: "\(folder)/\(file)")
            return [Change(file: "spool/new", kind: .removed)]
        }
        outcome.controlled(without: "a dropped file", failedAsItShould: robbed.lost > 0)
    }

    /// - Parameters:
    ///   - ofStoreOnly: touch neither the key nor dropped files.
    ///   - keepsWhatFails: keep the directory after a failure, which the same seed may not reproduce.
    private func live(
        seed: UInt64, ofStoreOnly: Bool = false, keepsWhatFails: Bool = false, _ outcome: inout Outcome,
        damage: @escaping DamagedStation.Damage
    ) async throws {
        let station = try await TestStation()
        let failed = outcome.failures.count
        defer {
            if keepsWhatFails, outcome.failures.count > failed {
                station.directory.keep()
                outcome.failures[failed] += "  Kept: \(station.directory.path)"
            }
            Task { await station.sandbox.stop() }
        }
        var damaged = DamagedStation(station, seed: seed, ofStoreOnly: ofStoreOnly, damage: damage)
        try await station.start()
        for _ in 1...4 {
            guard try await damaged.live(&outcome) else { return }
        }
        outcome.acknowledged += damaged.captures
        let reports = SalvageReport.all(in: station.directory("state"))
        outcome.counted("stores recovered", reports.count)
        outcome.counted("captures on hold because they could not be read completely", reports.map(\.unreadable).reduce(0, +))
        outcome.counted("missing captures that a report counts", reports.map { $0.missing + $0.lostReceipts }.reduce(0, +))
        try await station.end(SIGTERM)
    }
}
