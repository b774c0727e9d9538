import Foundation
import StationSupport
import TestSupport
import Testing

@Suite struct UsageTests {
    private func run(_ program: String, _ arguments: [String], home: String = "/nowhere") async throws -> (code: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: TestStation.programs + "/" + program)
        process.arguments = arguments
        process.environment = ["HOME": home]
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        let code = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        return (code, String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self))
    }

    @Test(arguments: [
        ("homingd", ["frob"]), ("homingd", ["check", "extra"]), ("homingd", ["run", "--log-level", "loud"]),
        ("homing-sandbox", ["frob"]), ("homing-sandbox", ["run", "--session-seconds", "0"]),
        ("homing-sandbox", ["run", "--backend", "frob"]), ("homing-sandbox", ["run", "--backend", "lists", "--refresh-seconds", "5"]),
        ("homing-sandbox", ["run", "--access-seconds", "5"]), ("homing-sandbox", ["captures", "--people", "0", "/tmp"]),
    ])
    func wrongUsageExitsWithTwo(program: String, arguments: [String]) async throws {
        let (code, text) = try await run(program, arguments)
        #expect(code == 2, "\(text)")
        #expect(text.contains("Error:") && text.contains("Usage: \(program)"), "\(text)")
    }

    @Test(
        arguments: [
            ("homing", ["frob"], 2), ("homingd", ["--help"], 0), ("homingd", ["--version"], 0), ("homing-sandbox", ["faults"], 0),
            ("homingd", ["check", "--config", "/nope.yaml"], 1), ("homingd", ["enroll", "/nope.yaml"], 1), ("homingd", ["reference"], 0),
            ("homingd", ["reference", "--profile"], 0),
        ] as [(String, [String], Int32)])
    func otherCommandsKeepTheirExitCodes(program: String, arguments: [String], code: Int32) async throws {
        #expect(try await run(program, arguments).code == code)
    }

    @Test func sandboxHelpShowsHowToSetAFault() async throws {
        let help = try await run("homing-sandbox", ["run", "--help"]).text
        #expect(help.contains(#"curl --data '{"fault":"commit-then-cut","path":"users"}' CONTROL-URL/faults"#), "\(help)")
    }

    @Test func runReportsConfigurationAndProfileMistakesTogether() async throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory("backends"), withIntermediateDirectories: true)
        try directory.write("socket: 5\n", to: "homing.yaml")
        try directory.write("schema: 1\nname: x\nbase_url: http://example.org\nauth: {scheme: cookie}\n", to: "backends/x.yaml")
        let (code, text) = try await run("homingd", ["run", "--config", directory("homing.yaml")])
        #expect(code == 1)
        #expect(text.contains("socket: expected") && text.contains("base_url: expected"), "\(text)")
    }

    /// Permissions do not restrict root, so root runs this as nobody.
    @Test func checkReportsUnwritableFolders() async throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory("closed"), withIntermediateDirectories: true)
        try TestStation.place("breathesafe", in: directory, baseURL: "http://127.0.0.1:1")
        try directory.write("state_directory: closed/state\nsocket: homing.sock\nspool: {directory: closed/drop}\n", to: "homing.yaml")
        for folder in [directory.path, directory("backends")] { chmod(folder, 0o755) }
        for file in ["homing.yaml", "backends/breathesafe.yaml"] { chmod(directory(file), 0o644) }
        chmod(directory("closed"), 0o555)
        let process = Process()
        let homingd = [TestStation.programs + "/homingd", "check", "--config", directory("homing.yaml")]
        let command = (geteuid() == 0 ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--"] : []) + homingd
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        let (code, text) = try await process.ended()
        #expect(code == 1)
        for (line, key) in [(1, "state_directory"), (3, "spool.directory")] {
            let words =
                "homing.yaml:\(line): \(key): expected a folder that the daemon can create or write to, found \(directory("closed")): "
            #expect(text.contains(words + "Permission denied"), "\(text)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory("closed")).isEmpty)
    }

    @Test func submitWithoutPayloadExplainsTheOptions() async throws {
        let (code, text) = try await run("homing", ["submit", "--route", "create_managed_user", "--socket", "/nowhere/homing.sock"])
        #expect(code == 2)
        #expect(text.contains("Name the files to submit. If the route has no payload, add --no-document."), "\(text)")
    }
}
