import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

@Suite struct NotifyTests {
    /// The second failure shows that the outage gave no further message.
    @Test func failedEntriesAndTheEndOfAnOutageAreOneMessageEach() async throws {
        let (station, process, said) = try await startedWithAFailedEntry()
        let failed = "1 entry needs your decision: To see the next step, run: homing status"
        #expect(try await lines(1, in: said) == [failed])

        await station.sandbox.down()
        for number in 2...4 { try await station.submit(user: 5, id: number) }
        try await station.event("gateChanged") { $0.detail["reason"] == "offline" }
        try await station.sandbox.up()
        let delivered = "Delivered after an outage: breathesafe can be reached again. 3 entries were delivered."
        #expect(try await lines(2, in: said) == [failed, delivered])

        try await station.submit(user: 10, id: 5)
        let failedAgain = "2 entries need your decision: To see the next step, run: homing status"
        #expect(try await lines(3, in: said) == [failed, delivered, failedAgain])
        process.signal(SIGTERM)
        #expect(await process.status == 128 + SIGTERM)
        try await station.end(SIGTERM)
    }

    @Test func followsTheDaemonAcrossARestart() async throws {
        let (station, process, said) = try await startedWithAFailedEntry()
        #expect(try await lines(1, in: said).count == 1)
        try await station.end(SIGTERM)
        try await station.start()
        try await station.submit(user: 10, id: 2)
        #expect(try await lines(2, in: said).last?.hasPrefix("2 entries need your decision: ") == true)
        process.signal(SIGTERM)
        _ = await process.status
        try await station.end(SIGTERM)
    }

    @Test func mistakeInTheRulesIsRefused() async throws {
        let station = try await TestStation()
        let folder = station.directory("homing")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try station.directory.write("names: perhaps\n", to: "homing/notify.yaml")
        let process = try notify(at: station, into: station.directory("said"))
        #expect(await process.status == 2)
        let said = try String(contentsOfFile: station.directory("said"), encoding: .utf8)
        #expect(said.contains("\(folder)/notify.yaml:1: names: expected true or false, found \"perhaps\""), "\(said)")
    }

    private func startedWithAFailedEntry() async throws -> (TestStation, Process, said: String) {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        let said = station.directory("said")
        let process = try notify(at: station, into: said)
        try await station.submit(user: 10, id: 1)  // user 10 belongs to another account, so the server refuses at once
        return (station, process, said)
    }

    private func notify(at station: TestStation, into file: String) throws -> Process {
        _ = FileManager.default.createFile(atPath: file, contents: nil)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: TestStation.programs + "/homing")
        process.arguments = ["notify", "--print", "--socket", station.directory("homing.sock")]
        process.environment = ProcessInfo.processInfo.environment.merging(["XDG_CONFIG_HOME": station.directory.path]) { _, new in new }
        let output = try #require(FileHandle(forWritingAtPath: file))
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        return process
    }

    /// Waits for so many, or more.
    private func lines(_ count: Int, in file: String) async throws -> [String] {
        try await firstValue {
            let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
            return lines.count >= count ? lines : nil
        }
    }
}
