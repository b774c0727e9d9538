import StationSupport
import SyncModel

/// A campaign in which each round is the life of a station of its own.
protocol LifeCampaign: RoundCampaign {
    associatedtype Life: StationLife
}

protocol StationLife: Sendable {
    associatedtype Flaw: LifeFlaw

    /// - Parameter flaw: the guarantee that is missing, in a negative control.
    init(seed: UInt64, flaw: Flaw?) async throws

    /// - Parameter first: the number of the first fault; a control has none.
    func life(from first: Int) async throws -> LifeFinding

    func stop() async
}

/// What a station would do, or leave, without one of the guarantees.
protocol LifeFlaw: CaseIterable, RawRepresentable<String>, Sendable {
    /// True if a life with this flaw broke the guarantee that is missing.
    func isSeen(in finding: LifeFinding) -> Bool
}

/// What happened in the life of a station.
struct LifeFinding: Sendable {
    var problems: [String] = []
    var faults: [String: Int] = [:]
    var counts: [String: Int] = [:]
    var acknowledged = 0, lost = 0, duplicated = 0
    /// True if something was sent before a person resumed.
    var isSentWhilePaused = false
    /// In seconds, from the last start or resumption until all is settled.
    var recovery = 0.0
}

extension LifeCampaign {
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
        for flaw in Life.Flaw.allCases {
            do {
                let finding = try await Self.run(seed: seed, flaw: flaw)
                outcome.controlled(without: flaw.rawValue, failedAsItShould: flaw.isSeen(in: finding))
            } catch {
                outcome.failures.append("the control without \(flaw.rawValue) could not be completed: \(error)")
            }
        }
    }

    static func run(seed: UInt64, flaw: Life.Flaw?) async throws -> LifeFinding {
        let station = try await Life(seed: seed, flaw: flaw)
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
