import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

@Suite struct BugreportTests {
    @Test func reportOfAStationNamesNothing() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        try await station.submit(id: 1)
        try await station.event("delivered")
        #expect(try await station.homing("pause", "--reason", "canary of a person").code == 0)
        try await station.submit(id: 2)
        try station.drop(Data("no JSON".utf8), as: "canary-file.json")
        try await station.event("fileRefused")

        let file = station.directory("report.json")
        let asked = try await station.homing("bugreport", "--output", file)
        #expect(asked.code == 2 && asked.text.contains("To confirm, add --yes."), "\(asked.text)")
        #expect(!FileManager.default.fileExists(atPath: file))
        let written = try await station.homing("bugreport", "--output", file, "--yes")
        #expect(written.code == 0, "\(written.text)")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(written.text.hasPrefix(text))

        let names = [
            "manager", "lab.test", "breathesafe", "127.0.0.1", "localhost", "canary", ProcessInfo.processInfo.hostName,
            station.directory.path, Samples.id(1).description, Samples.id(2).description, "users/5", "measurement", "@", "://",
        ]
        for name in names where !name.isEmpty { #expect(!text.contains(name), "\(name) is in \(text)") }
        let flat = Self.flat(text)
        for part in [#""delivered":1"#, #""fileRefused":1"#, #""isPaused":true"#, #""refused":1"#, #""bearer":"#] {
            #expect(flat.contains(part), "\(part) is not in \(text)")
        }
        #expect(try await station.homing("bugreport", "--output", file, "--yes").code == 2)
        try await station.end(SIGTERM)
        let absent = try await station.homing("bugreport", "--output", "-")
        #expect(absent.code == 0 && Self.flat(absent.text).contains(#""daemon":"notRunning""#), "\(absent.text)")
    }

    private static func flat(_ json: String) -> String { json.filter { !" \n".contains($0) } }
}
