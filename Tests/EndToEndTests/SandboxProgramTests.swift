import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Sandbox
import StationSupport
import TestSupport
import Testing

@Suite struct SandboxProgramTests {
    private static let credentials = #""email":"manager@lab.test","password":"\#(BreatheSafeConfiguration.labPassword)""#

    @Test(arguments: [
        ("breathesafe", [], "/users/log_in", #"{"user":{\#(credentials)}}"#, #""id":1"#),
        ("labloop", ["--setting", "stated-lifetime=8"], "/api/mobile/auth/login", "{\(credentials)}", #""expiresIn":8"#),
        ("labloop", ["--access-seconds", "7"], "/api/mobile/auth/login", "{\(credentials)}", #""expiresIn":7"#),
        ("aiphoto", ["--access-seconds", "7"], "/v1/accounts:signInWithPassword?key=any", "{\(credentials)}", #""expiresIn":"7""#),
        ("lists", [], "/api/v1/auth/sign_in", "{\(credentials)}", #""message":"Login successful""#),
        ("lists-2026", ["--grace-seconds", "0"], "/api/v1/auth/sign_in", #"{"user":{\#(credentials)}}"#, #""refresh_token":"#),
        ("story16", [], "/v1/accounts:signInWithPassword?key=any", "{\(credentials)}", #""expiresIn":"3600""#),
    ])
    func chosenBackendAnswersSignIn(
        _ backend: String, _ options: [String], _ path: String, _ body: String, _ expected: String
    ) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: TestStation.programs + "/homing-sandbox")
        process.arguments = ["run", "--backend", backend] + options
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        defer { process.signal(SIGTERM) }
        let line = await output.fileHandleForReading.text(until: "\n")
        let url = try #require(line.split(separator: " ").dropFirst().first)
        var request = HTTPClientRequest(url: url + path)
        request.method = .POST
        request.headers.add(name: "accept", value: "application/json")
        request.headers.add(name: "content-type", value: "application/json")
        request.body = .bytes(ByteBuffer(string: body))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(600))
        #expect((200...201).contains(response.status.code))
        #expect(String(buffer: try await response.body.collect(upTo: 65_536)).contains(expected))
    }

    /// Follows the printed lines like a new user.
    @Test(arguments: ["breathesafe", "labloop", "aiphoto", "lists-2026", "story16"])
    func printedInstructionsSufficeToSignIn(backend: String) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: TestStation.programs + "/homing-sandbox")
        process.arguments = ["run", "--backend", backend]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        defer { process.signal(SIGTERM) }
        let lines = await output.fileHandleForReading.text(until: "--backend \(backend))\n").split(separator: "\n").map(String.init)

        // The station's own sandbox is not used.
        let station = try await TestStation(.story16(), profile: backend, route: "none")
        var profile = try String(contentsOfFile: "\(TestStation.project)/config/backends/\(backend).yaml", encoding: .utf8)
        let settings = lines.compactMap { $0.split(separator: "in \(backend).yaml  ").first.map(String.init) }
            .filter { $0.hasPrefix("base_url: ") || $0.hasPrefix("vars: ") }
        #expect(!settings.isEmpty)
        for setting in settings {
            let key = setting.prefix { $0 != " " }
            let old = try #require(profile.split(separator: "\n").first { $0.hasPrefix(key + " ") })
            profile = profile.replacing(old, with: setting)
        }
        try station.directory.write(profile, to: "backends/\(backend).yaml")
        try await station.start()
        let command = try #require(lines.first { $0.hasPrefix("sign in  ") }).dropFirst("sign in  ".count)
        let words = command.split(separator: " ").map(String.init)
        let isToken = words[0] == "printf"
        #expect(isToken == (backend == "aiphoto"))
        let password = try #require(isToken ? "" : lines.joined().firstMatch(of: /with the password ([^;]*);/).map { String($0.1) })
        let signedIn = try await station.homing(
            Array(words.drop { $0 != "login" }) + (isToken ? [] : ["--password-stdin"]), input: isToken ? words[1] : password)
        #expect(signedIn.code == 0 && signedIn.text.contains("manager@lab.test is signed in at \(backend)."), "\(signedIn.text)")
        try await station.end(SIGTERM)
    }

    @Test func writesTheSameCapturesForTheSameSeed() async throws {
        let directory = try TemporaryDirectory()
        for (folder, seed) in [("a", "7"), ("b", "7"), ("c", "8")] {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: TestStation.programs + "/homing-sandbox")
            process.arguments = ["captures", "--people", "2", "--each", "2", "--seed", seed, directory("new/\(folder)")]
            let (code, text) = try await process.ended()
            #expect(code == 0 && text.contains("Wrote 4 captures of 2 people to \(directory("new/\(folder)"))."), "\(text)")
        }
        let names = ["person-001-01.json", "person-001-02.json", "person-002-01.json", "person-002-02.json"]
        func contents(_ folder: String) throws -> [Data] {
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory("new/\(folder)")).sorted() == names)
            return try names.map { try Data(contentsOf: URL(fileURLWithPath: directory("new/\(folder)/\($0)"))) }
        }
        #expect(try contents("a") == contents("b"))
        #expect(try contents("a") != contents("c"))
    }
}
