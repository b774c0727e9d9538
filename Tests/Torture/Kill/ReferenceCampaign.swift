import StationSupport
import SyncModel

/// Kills the real daemon between the create of a person and the entries that refer to that person, and compares the backend's ledger.
struct ReferenceCampaign: RoundCampaign {
    static let name = "references"
    static var kinds: Int { ReferenceStation.places.count }
    private static let peopleARound = 6

    func round(seed: UInt64, _ outcome: inout Outcome) async throws {
        let station = try await ReferenceStation(seed: seed)
        do {
            try await station.begin()
            for number in 0..<Self.peopleARound {
                let place = ReferenceStation.places[(Int(seed % UInt64(Self.kinds)) + number) % Self.kinds]
                if try await station.addPerson(killedAt: place) {
                    outcome.met("killed \(place.name)")
                } else {
                    outcome.counted("killed after a timeout, because the place was not reached")
                }
            }
            let finding = try await station.judge()
            outcome.failures += finding.problems
            outcome.acknowledged += finding.acknowledged
            outcome.lost += finding.lost
            outcome.duplicated += finding.duplicated
            outcome.counted("creates with unknown outcome, settled by a person", finding.resolved)
        } catch {
            await station.stop()
            throw error
        }
        await station.stop()
    }

    func control(seed: UInt64, _ outcome: inout Outcome) async throws {
        outcome.controlled(
            without: "a person’s look at the backend before a create is sent again",
            failedAsItShould: try await Self.carelessnessIsSeen(seed))
    }

    /// True if the check notices people who were created twice.
    static func carelessnessIsSeen(_ seed: UInt64) async throws -> Bool {
        let station = try await ReferenceStation(seed: seed, isCareless: true)
        var hasFailed = false
        do {
            try await station.begin()
            // The outcome is known only if the kill came before the request was read.
            for _ in 0..<8 where !hasFailed {
                _ = try await station.addPerson(killedAt: ReferenceStation.afterSending)
                hasFailed = try await station.judge().duplicated > 0
            }
        } catch {
            await station.stop()
            throw error
        }
        await station.stop()
        return hasFailed
    }
}
