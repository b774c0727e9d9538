import AsyncHTTPClient
import ControlAPI
import Foundation
import NIOCore
import Sandbox
import StationSupport
import TestSupport
import Testing

/// Follows the guide AddingABackend command by command.
@Suite struct AddingABackendTests {
    private static let guide = TestStation.project + "/Sources/SyncDaemon/Documentation.docc/AddingABackend.md"

    private static func read() throws -> (profile: String, commands: [String]) {
        let text = try text()
        func blocks(_ language: String) -> [String] {
            text.components(separatedBy: "\n```\(language)\n").dropFirst().map { $0.components(separatedBy: "\n```")[0] }
        }
        let profile = try #require(blocks("yaml").first)
        return (profile + "\n", blocks("sh").flatMap { $0.split(separator: "\n").map(String.init) })
    }

    @Test func commandsOfTheGuideDeliverAnEntry() async throws {
        let (profile, commands) = try Self.read()
        let station = try await TestStation()
        try station.directory.write(
            "state_directory: state\nsocket: homing.sock\nspool: {backend: breathesafe}\ndelivery: {\(TestStation.shortPauses)}\n",
            to: "homing.yaml")
        try await station.start()
        try station.directory.write(profile, to: "backends/notes.yaml")

        var sandbox: SandboxProgram?
        defer { sandbox?.end() }
        var followed: [String] = []
        for command in commands {
            let words = command.split(separator: " ").map(String.init)
            switch words.first {
            case "homing-sandbox":
                #expect(words.suffix(2) == ["--port", "8090"])
                let options = words.dropFirst().dropLast(2).map { $0.replacing("/etc/homing", with: station.directory.path) }
                let started = try await SandboxProgram(options + ["--port", "0"])
                sandbox = started
                #expect(profile.contains("base_url: https://api.example.org\n"))
                try station.directory.write(
                    profile.replacing("https://api.example.org", with: started.backend), to: "backends/notes.yaml")
            case "sudo" where words[1] == "systemctl":
                #expect(words[2] == "reload")
                try station.reload()
                try await station.event("reloaded") { $0.detail["backends/notes"] == "added" }
            default:
                let result = try await run(command, at: station)
                try #require(result.code == 0, "\(command): \(result.text)")
                if words.contains("check") { #expect(result.text.contains("notes: https://api.example.org, routes note")) }
            }
            followed.append(words.first == "sudo" ? words[1] : words[0])
        }
        #expect(followed == ["homingd", "homing-sandbox", "systemctl", "homing", "echo", "homing", "homing"])

        try await station.event("delivered")
        let entry = try #require(try await station.entries("delivered").first)
        #expect(entry.backend == "notes" && entry.route == "note" && entry.remoteID == "1")
        let control = try #require(sandbox?.control)
        let answer = try await HTTPClient.shared.execute(HTTPClientRequest(url: control + "/ledger"), timeout: .seconds(600))
        let ledger = try JSON(bytes: Array(buffer: try await answer.body.collect(upTo: 65_536)))
        #expect(ledger.elements?.map { $0["resource"] } == ["note"])
        #expect(ledger.elements?.first?["digest"]?.text == LedgerEntry.digest(of: JSON.object(["text": "hello"]).bytes))
    }

    @Test func checkRequiresDropFolderOffWithoutSuitableRoute() async throws {
        let station = try await TestStation()
        try FileManager.default.removeItem(atPath: station.directory("backends/breathesafe.yaml"))
        try station.directory.write(try Self.read().profile, to: "backends/notes.yaml")
        let shipped = try String(contentsOfFile: TestStation.project + "/config/homing.yaml", encoding: .utf8)
        try station.directory.write(shipped, to: "homing.yaml")
        let wrong = try await run("homingd check", at: station)
        let lines = shipped.split(separator: "\n", omittingEmptySubsequences: false)
        let line = try #require(lines.firstIndex { $0.hasPrefix("  backend: ") }) + 1
        #expect(wrong.code != 0)
        #expect(
            wrong.text.contains("homing.yaml:\(line): spool.backend: expected ‘enabled: false’ instead, because no route of notes takes"),
            "\(wrong.text)")
        try station.directory.write(shipped.replacing("  backend: breathesafe\n", with: ""), to: "homing.yaml")
        let halfRight = try await run("homingd check", at: station)
        #expect(halfRight.code != 0)
        #expect(
            halfRight.text.contains("homing.yaml:\(line): spool.route: expected ‘enabled: false’ instead, because no route of notes takes"),
            "\(halfRight.text)")
        // The note route has no user, so every dropped file would be refused.
        try station.directory.write(shipped.replacing("route: measurement", with: "route: note"), to: "homing.yaml")
        let noRoute = try await run("homingd check", at: station)
        #expect(noRoute.code != 0 && noRoute.text.contains("spool."), "\(noRoute.text)")
        let said = try #require(try Self.text().firstMatch(of: /replace the keys under\s`spool:` with `(spool: \{.*\})`/)?.1)
        let right = shipped.replacing("spool:\n", with: "\(said)\n").replacing("  enabled: true\n", with: "")
            .replacing("  backend: breathesafe\n", with: "").replacing("  route: measurement\n", with: "")
        try station.directory.write(right, to: "homing.yaml")
        let good = try await run("homingd check", at: station)
        #expect(good.code == 0, "\(good.text)")
        #expect(good.text.contains("spool: off"))
    }

    @Test func statusReportsFilesInDisabledDropFolder() async throws {
        let station = try await TestStation(.labLoop(), profile: "labloop", route: "appointment")
        try await station.start()
        #expect(try await station.status().spool == nil)
        try FileManager.default.createDirectory(atPath: station.directory("state/spool/new"), withIntermediateDirectories: true)
        try station.directory.write("{}", to: "state/spool/new/a.json")
        let status = try await station.homing("status")
        let words = status.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")  // `homing status` wraps its lines.
        #expect(status.code == 6 && words.contains("the drop folder is turned off"), "\(status.text)")
        try await station.end(SIGTERM)
    }

    private static func text() throws -> String { try String(contentsOfFile: guide, encoding: .utf8) }

    /// Runs a command of the guide and answers the prompts of `homing login`.
    private func run(_ command: String, at station: TestStation) async throws -> (code: Int32, text: String) {
        var command = command.replacing("sudo ", with: "")
        var input = ""
        if command.hasPrefix("homingd ") { command += " --config \(station.directory("homing.yaml"))" }
        if command.hasPrefix("homing login") {
            command += " --email manager@lab.test --password-stdin"
            input = "Correct-horse-9"
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.currentDirectoryURL = URL(fileURLWithPath: station.directory.path)
        process.environment = ProcessInfo.processInfo.environment.merging([
            "PATH": "\(TestStation.programs):/usr/bin:/bin", "HOMING_SOCKET": station.directory("homing.sock"),
        ]) { _, given in given }
        return try await process.ended(input: input)
    }
}

private struct SandboxProgram {
    private let process = Process()
    let backend: String
    let control: String

    init(_ arguments: [String]) async throws {
        process.executableURL = URL(fileURLWithPath: TestStation.programs + "/homing-sandbox")
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let said = await output.fileHandleForReading.text(until: "\n")
        guard let line = said.firstMatch(of: /backend (\S+)  control (\S+)/) else { throw StationError("the sandbox did not start") }
        (backend, control) = (String(line.1), String(line.2))
    }

    func end() { process.signal(SIGTERM) }
}
