import Foundation
import StationSupport
import TestSupport
import Testing

/// The station of `make try`.
@Suite struct TryTests {
    private func process(_ folder: String) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: TestStation.project + "/Tests/try")
        process.arguments = [TestStation.programs, folder]
        return process
    }

    /// Follows the printed lines like a new user.
    @Test func printedCommandsDeliverCapturesUntilTheEnd() async throws {
        let directory = try TemporaryDirectory()
        let station = process(directory("trial"))
        let output = Pipe()
        station.standardOutput = output
        try station.run()
        defer { station.signal(SIGTERM) }
        let said = await output.fileHandleForReading.text(until: "begins anew.\n")
        let commands = said.split(separator: "\n").filter { $0.hasPrefix("    ") && !$0.hasSuffix("homing dashboard") }
        #expect(commands.count == 3, "\(said)")

        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-ec", (commands + ["homing sync --wait", "homing status"]).joined(separator: "\n")]
        let followed = try await shell.ended()
        #expect(followed.code == 0 && followed.text.contains("Everything has been delivered: 2 captures."), "\(followed.text)")

        let second = try await process(directory("trial")).ended()
        #expect(second.code == 1 && second.text == "A station runs in \(directory("trial")) already.\n", "\(second.text)")

        station.signal(SIGTERM)
        #expect(await station.status == 0)
        #expect(TestStation.connect(directory("trial/homing.sock")) == nil)
    }

    @Test func folderWithOtherFilesIsKept() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("kept", to: "homing.yaml")
        let refused = try await process(directory.path).ended()
        #expect(refused.code == 1 && refused.text.contains("has other files than those of an earlier trial"), "\(refused.text)")
        #expect(try directory.names == ["homing.yaml"])
    }
}
