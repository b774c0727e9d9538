import ControlAPI
import Foundation
import StationSupport
import TestSupport
import Testing

@Suite struct StuckFileTests {
    @Test func linkedFileIsStuckAndDoesNotWait() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        let (file, folder) = (station.directory("linked.json"), station.directory("state/spool/new/users/5"))
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try TestStation.measurement(1).write(to: URL(fileURLWithPath: file))
        try FileManager.default.linkItem(atPath: file, toPath: "\(folder)/linked.json")
        try await until { try await station.status().spool?.stuck == 1 }
        #expect(try await station.status().spool?.waiting == 0)
        try FileManager.default.removeItem(atPath: "\(folder)/linked.json")
        try await until { try await station.status().spool?.stuck == 0 }
        try await station.end(SIGTERM)
    }
}
