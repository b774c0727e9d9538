import ControlAPI
import Foundation
import Sandbox
import StationSupport
import Testing

@Suite struct DoctorTests {
    @Test func doctorFindsWhatIsWrong() async throws {
        let station = try await TestStation()
        let absent = try await station.homing("doctor")
        #expect(absent.code == 1 && absent.text.contains("✗ problem  daemon"), "\(absent.text)")
        #expect(absent.text.contains("→ To start it, run: homingd run"), "\(absent.text)")

        try await station.start()
        try await station.login()
        let well = try await station.homing("doctor", "--json")
        let findings = try JSONCoding.decoder.decode([Finding].self, from: Data(well.text.utf8))
        // This computer may have no time server.
        #expect(findings.filter { !$0.isOK && $0.knownCheck != .clock } == [])
        #expect((well.code == 0) == findings.allSatisfy(\.isOK))
        let checks: Set<Finding.Check> = [
            .daemon, .versions, .role, .configuration, .proxy, .name, .connection, .answer, .space, .store, .files, .key, .dropFolder,
            .sessions, .backlog, .entries,
        ]
        #expect(checks.isSubset(of: findings.map(\.knownCheck)))

        await station.sandbox.down()
        let offline = try await station.homing("doctor")
        #expect(offline.code == 1 && offline.text.contains("✗ problem  connection"), "\(offline.text)")
        #expect(offline.text.contains("→ Check the network connection"), "\(offline.text)")
        try await station.end(SIGTERM)
    }
}
