import ArgumentParser
import ControlAPI
import Foundation
import TestSupport
import Testing

@testable import homing

@Suite struct SocketPathTests {
    private func problem(_ path: String) async -> Problem? {
        await #expect(throws: Problem.self) { _ = try await ControlClient(socketPath: path).call(Endpoints.status, NoInput()) }
    }

    @Test func reportsPathThatIsNotASocket() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "file")
        try FileManager.default.createSymbolicLink(atPath: directory("link"), withDestinationPath: directory("file"))
        for name in ["file", "link"] {
            let problem = await problem(directory(name))
            #expect(problem?.detail == "\(directory(name)) is not a socket.")
            #expect(problem?.next?.contains("--socket") == true)
        }
        #expect(await problem(directory("nothing"))?.code == .daemonNotRunning)
    }

    @Test func reportsTooLongPath() async {
        let path = "/tmp/" + String(repeating: "s", count: 103)
        let problem = await problem(path)
        #expect(problem?.detail == "The socket path is longer than 107 bytes, the limit of the system: \(path)")
        #expect(await self.problem(String(path.dropLast()))?.code == .daemonNotRunning)
    }

    @Test func emptyPathIsRefused() {
        #expect(throws: (any Error).self) { try GlobalOptions.parse(["--socket", ""]) }
        #expect(throws: Never.self) { try GlobalOptions.parse(["--socket", "/s"]) }
    }
}
