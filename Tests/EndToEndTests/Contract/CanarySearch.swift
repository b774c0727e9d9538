import StationSupport
import Testing

extension Canary {
    /// Fails for each secret found and each kind of place not searched.
    static func check(
        _ station: TestStation, _ log: String, _ secrets: CanarySecrets, _ when: String, isRunning: Bool = true
    ) async throws {
        let places = try await places(station, log, isRunning: isRunning)
        for kind in Kind.allCases where isRunning || !kind.needsADaemon {
            #expect(places.contains { $0.kind == kind && !$0.content.isEmpty }, "\(when): nothing was searched as \(kind)")
        }
        #expect(leaks(in: places, of: secrets.all) == [], "\(when)")
    }
}
