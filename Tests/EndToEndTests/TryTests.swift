import Foundation
import StationSupport
import TestSupport
import Testing

/// The station of `make try`.
@Suite struct TryTests {
    /// A child of the tests inherits blocked signals, which a shell cannot unblock.
    private static let unblocked =
        "import os, signal, sys; signal.pthread_sigmask(signal.SIG_SETMASK, []); os.execv(sys.argv[1], sys.argv[1:])"

    private func process(_ folder: String) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.unblocked, TestStation.project + "/Tests/try", TestStation.programs, folder]
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
        let said = await output.fileHandleForReading.text(until: "empties this folder.\n")
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

    /// The deletion ended after the logs and before the rest.
    @Test func trialWhoseDeletionWasInterruptedIsRecognised() async throws {
        let directory = try TemporaryDirectory()
        for name in [".homing-trial", "left"] { try directory.write("", to: name) }
        let station = process(directory.path)
        let output = Pipe()
        station.standardOutput = output
        try station.run()
        defer { station.signal(SIGTERM) }
        let said = await output.fileHandleForReading.text(until: "empties this folder.\n")
        #expect(said.contains("The station runs until Ctrl-C."), "\(said)")
        let names = try directory.names
        #expect(names.contains(".homing-trial") && names.contains("homing.yaml") && !names.contains("left"), "\(names)")
        station.signal(SIGTERM)
        #expect(await station.status == 0)
    }

    @Test func folderWithOtherFilesIsKept() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("kept", to: "homing.yaml")
        let refused = try await process(directory.path).ended()
        #expect(refused.code == 1 && refused.text.contains("has other files than those of an earlier trial"), "\(refused.text)")
        #expect(try directory.names == ["homing.yaml"])
    }
}
