import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Sandbox
import StationSupport
import Testing

/// `homing-sandbox run` with each backend.
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
    func aSignInIsAnsweredByTheBackendThatWasNamed(
        _ backend: String, _ options: [String], _ path: String, _ body: String, _ expected: String
    ) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: TestStation.programs + "/homing-sandbox")
        process.arguments = ["run", "--backend", backend] + options
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        defer { process.terminate() }
        let line = await Self.firstLine(of: output.fileHandleForReading)
        let url = try #require(line.split(separator: " ").dropFirst().first)
        var request = HTTPClientRequest(url: url + path)
        request.method = .POST
        request.headers.add(name: "accept", value: "application/json")
        request.headers.add(name: "content-type", value: "application/json")
        request.body = .bytes(ByteBuffer(string: body))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
        #expect((200...201).contains(response.status.code))
        #expect(String(buffer: try await response.body.collect(upTo: 65_536)).contains(expected))
    }

    /// On a thread of its own, since reading blocks.
    private static func firstLine(of handle: FileHandle) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var said = ""
                while !said.contains("\n") {
                    let part = handle.availableData
                    if part.isEmpty { break }
                    said += String(decoding: part, as: UTF8.self)
                }
                continuation.resume(returning: said)
            }
        }
    }
}
