import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

@testable import homing_torture

/// Kills the daemon at each step between the create of a person and the entries that need it.
@Suite struct ReferenceKillTests {
    private static let rounds = 100
    /// Then everything is delivered without a kill.
    private static let batch = 10

    @Test func hundredKillsMakeNoOrphanAndConfuseNoPeople() async throws {
        let seed = UInt64.random(in: .min ... .max)
        print("kills between a create and its dependents with seed \(seed)")
        let killer = try await ReferenceKiller(seed: seed)
        for round in 0..<Self.rounds {
            let point = ReferenceKiller.points[round % ReferenceKiller.points.count]
            try await killer.round(point)
            try #require(killer.problems.isEmpty, "seed \(seed), round \(round), killed \(point.name): \(killer.problems)")
            guard round % Self.batch == Self.batch - 1 else { continue }
            try await killer.settle()
            try #require(killer.problems.isEmpty, "seed \(seed), after round \(round): \(killer.problems)")
        }
        let missed = ReferenceKiller.points.map(\.name).filter { !killer.met.contains($0) }
        print(
            "\(killer.met.count) of \(Self.rounds) kills at their point, \(killer.resolved) creates resolved by a person; missed \(missed)")
        // The kills did interrupt work, at nearly all points.
        #expect(killer.met.count > Self.rounds / 2 && missed.count <= ReferenceKiller.points.count / 4, "seed \(seed): \(missed)")
        #expect(killer.resolved > 0, "seed \(seed)")
    }
}
