import ControlAPI
import Foundation
import Sandbox
import StationSupport
import TestSupport
import Testing

@Suite struct MissingProfileTests {
    @Test func entriesWithoutProfileAreReportedAndSentOnceRestored() async throws {
        let station = try await TestStation()
        let (profile, configuration) = (station.directory("backends/breathesafe.yaml"), station.directory("homing.yaml"))
        let described = try String(contentsOfFile: profile, encoding: .utf8)
        let configured = try String(contentsOfFile: configuration, encoding: .utf8)
        try await station.start()
        try await station.login()
        await station.sandbox.down()
        for number in 1...3 { try await station.submit(user: 4 + number, id: number) }
        try await station.end(SIGTERM)
        try await station.sandbox.up()

        try FileManager.default.removeItem(atPath: profile)
        let renamed = described.replacingOccurrences(of: "\nname: breathesafe\n", with: "\nname: another\n")
        try station.directory.write(renamed, to: "backends/another.yaml")
        try station.directory.write(configured + "spool: {backend: another}\n", to: "homing.yaml")
        try await station.start()
        let status = try await station.homing("status")
        #expect(status.code == 6, "\(status.text)")
        #expect(status.text.contains("3 captures cannot be sent: the backend breathesafe no longer has a profile."))
        #expect(try await station.status().attention.map(\.code) == ["no-profile"])
        // A sign-in at another backend does not send them either.
        try await station.login()
        try await station.sync()
        #expect(try await station.homing("status").code == 6)
        #expect(try await station.entries("pending").count == 3)
        #expect(station.sandbox.ledger.entries.isEmpty)
        try await station.end(SIGTERM)

        try FileManager.default.removeItem(atPath: station.directory("backends/another.yaml"))
        try station.directory.write(described, to: "backends/breathesafe.yaml")
        try station.directory.write(configured, to: "homing.yaml")
        try await station.start()
        try await station.event("delivered", count: 3)
        #expect(station.sandbox.ledger.entries.count == 3)
        #expect(station.sandbox.ledger.duplicates.isEmpty)
        #expect(try await station.entries("delivered").allSatisfy { $0.attempts == 0 })
        #expect(try await station.homing("status").code == 0)
        try await station.end(SIGTERM)
    }
}
