import StationSupport
import Testing

@testable import homing_torture

@Suite struct FailPointTests {
    @Test func killAtEachFailPointLosesNothing() async throws {
        let seed = UInt64.random(in: .min ... .max)
        let station = try await KillStation(seed: seed, patience: .seconds(5))
        #expect(try await station.begin(FailPoint.firstStarts[0]))
        for point in FailPoint.later {
            var isMet = false
            // A round may not reach the kill point.
            for _ in 0..<24 where !isMet { isMet = try await station.round(point) }
            #expect(isMet, "never killed \(point.name)")
        }
        let finding = try await station.settle()
        #expect(finding.problems.isEmpty, "seed \(seed)")
        #expect(finding.acknowledged > 20)
        await station.stop()
    }
}
