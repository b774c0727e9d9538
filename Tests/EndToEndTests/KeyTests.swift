import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

/// `homingd key` with the real programs.
@Suite struct KeyTests {
    private func key(_ station: TestStation, _ arguments: String...) async throws -> (code: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: TestStation.programs + "/homingd")
        process.arguments = ["key"] + arguments + ["--config", station.directory("homing.yaml")]
        return try await process.ended()
    }

    private func content(_ station: TestStation) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: station.directory("state/homing.key")))
    }

    private func delivered(_ number: Int, _ station: TestStation) async throws {
        let id = Samples.id(number).description
        _ = try await station.event("delivered") { $0.entry == id }
    }

    @Test func deliveriesContinueThroughAChangeOfTheKeys() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        _ = try await station.client.call(Endpoints.pause, PauseRequest(reason: "a test"))
        for number in 1...20 { try await station.submit(id: number) }
        let before = try content(station)
        let rotated = try await key(station, "rotate")
        #expect(rotated.code == 0 && rotated.text.hasPrefix("The station has a new master key, "), "\(rotated.text)")
        for number in 21...25 { try await station.submit(id: number) }
        #expect(try await station.submit(id: 1).duplicate)
        _ = try await station.client.call(Endpoints.resume, ResumeRequest())
        for number in 1...25 { try await delivered(number, station) }
        _ = try await station.event("resealed")
        let shown = try await key(station, "show")
        #expect(shown.code == 0 && shown.text.contains("All data is sealed with this data key."), "\(shown.text)")
        let after = try content(station)
        #expect(after != before && !shown.text.contains(String(decoding: after.prefix(43), as: UTF8.self)))

        try await station.end(SIGKILL)
        try await station.start()
        try await station.submit(id: 26)
        try await delivered(26, station)
        #expect(try await station.submit(id: 2).duplicate)
        #expect(station.sandbox.ledger.entries.count == 26)
        try await station.end(SIGTERM)

        // The old key opens nothing any more.
        try before.write(to: URL(fileURLWithPath: station.directory("state/homing.key")))
        let refused = await #expect(throws: StationError.self) { try await station.start() }
        #expect(refused?.description.contains("Put the old key back") == true)
    }

    @Test func exportIsNeverWrittenOverAFileOrUnencryptedByMistake() async throws {
        let station = try await TestStation()
        try await station.start()
        let path = station.directory("key.copy")
        #expect(try await key(station, "export", path).code == 2)
        #expect(!FileManager.default.fileExists(atPath: path))
        let recipient = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
        #expect(try await key(station, "export", path, "--to", recipient, "--unencrypted").code == 2)
        let written = try await key(station, "export", path, "--to", recipient)
        #expect(written.code == 0, "\(written.text)")
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        let copy = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(copy.starts(with: "age-encryption.org/v1\n-> X25519 ".utf8))
        let again = try await key(station, "export", path, "--unencrypted")
        #expect(again.code == 1 && again.text.contains("File exists. Name another file."), "\(again.text)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == copy)
        let plain = try await key(station, "export", "-", "--unencrypted")
        #expect(try Data(plain.text.utf8) == content(station))
        let encrypted = try await key(station, "import", path)
        let command = "age -d -i IDENTITY KEYFILE | sudo homingd key import -"
        #expect(encrypted.code == 1 && encrypted.text.contains(command), "\(encrypted.text)")
        try await station.end(SIGTERM)
    }

    @Test func backupOfTheOldKeyIsRestoredUnderThePresentOne() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        _ = try await station.client.call(Endpoints.pause, PauseRequest(reason: "a test"))
        try await station.submit(id: 1)
        #expect(try await station.homing("backup", station.directory("backup")).code == 0)
        let old = station.directory("old.key")
        #expect(try await key(station, "export", old, "--unencrypted").code == 0)
        #expect(try await key(station, "rotate").code == 0)
        try await station.end(SIGTERM)
        let state = station.directory("state")
        // The station has a key of its own, and no store.
        for name in try FileManager.default.contentsOfDirectory(atPath: state) where name.hasPrefix("outbox.sqlite") {
            try FileManager.default.removeItem(atPath: "\(state)/\(name)")
        }
        func restore(_ file: String, input: String = "") async throws -> (code: Int32, text: String) {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: TestStation.programs + "/homingd")
            process.arguments = ["restore", file, "--key", "-", "--config", station.directory("homing.yaml")]
            return try await process.ended(input: input)
        }
        #expect(try await restore("-").code == 2, "there is one standard input")
        // As ‘age -d’ writes it.
        let restored = try await restore(station.directory("backup"), input: String(contentsOfFile: old, encoding: .utf8))
        #expect(restored.code == 0 && !restored.text.contains("needs this key too"), "\(restored.text)")
        try await station.start()
        _ = try await station.client.call(Endpoints.resume, ResumeRequest())
        try await delivered(1, station)
        #expect(station.sandbox.ledger.entries.count == 1)
        try await station.end(SIGTERM)
    }
}
