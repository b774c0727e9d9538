import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

/// A backend that does not report the account of a key.
@Suite struct NamedKeysTests {
    private static let profile = """
        schema: 1
        name: dentist
        base_url: http://127.0.0.1:1
        auth: {scheme: bearer, on_401: []}
        routes: {note: {request: POST /notes, json: "{item.payload}", remote_id: /id}}

        """

    private func station() async throws -> TestStation {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory("backends"), withIntermediateDirectories: true)
        try directory.write(Self.profile, to: "backends/dentist.yaml")
        let described = try DescribedConfiguration(file: directory("backends/dentist.yaml"))
        let sandbox = try Sandbox(SandboxConfiguration { $0.backend = .described(described) })
        try await sandbox.start()
        try directory.write(Self.profile.replacing("http://127.0.0.1:1", with: sandbox.baseURL), to: "backends/dentist.yaml")
        try TestStation.configure(directory, route: "note")
        let station = TestStation(in: directory, at: sandbox)
        try await station.start()
        return station
    }

    private func signIn(_ station: TestStation, _ account: Int, as name: String?) async throws -> (code: Int32, text: String) {
        try await station.homing(
            ["login", "--token-stdin"] + (name.map { ["--email", $0] } ?? []), input: DescribedConfiguration.token(of: account))
    }

    @Test func otherAccountsKeyDoesNotSendWaitingEntries() async throws {
        let station = try await station()
        let unnamed = try await signIn(station, 1, as: nil)
        #expect(unnamed.code == 2, "\(unnamed.text)")
        #expect(unnamed.text.contains("dentist does not report the account of a token"), "\(unnamed.text)")
        #expect(unnamed.text.contains("Run: homing login --token-stdin --email NAME"), "\(unnamed.text)")
        #expect(try await station.status().backends[0].session.state == "signedOut")

        #expect(try await signIn(station, 1, as: "clinic").code == 0)
        _ = try await station.client.call(Endpoints.pause, PauseRequest(reason: "to gather"))
        _ = try await station.client.call(
            Endpoints.submit, ControlAPI.Submission(route: "note", id: Samples.id(1).description, payload: Data(#"{"text":"a"}"#.utf8)))
        let way = "run: homing login --token-stdin --email clinic"
        let out = try await station.homing("logout", "--yes")
        #expect(out.text.contains("is waiting. To send it, run: homing login --token-stdin --email clinic\n"), "\(out.text)")
        _ = try await station.client.call(Endpoints.resume, ResumeRequest())
        func expectInstructions(_ words: String) async throws {
            for command in [["status"], ["why", Samples.id(1).description], ["sync"]] {
                // `homing status` wraps its lines.
                let told = try await station.homing(command).text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                #expect(told.contains(words), "\(command): \(told)")
            }
        }
        try await expectInstructions(way)

        let other = try await signIn(station, 2, as: "practice")
        let waiting = "1 entry is waiting for clinic to sign in. Signing in as another account does not send it."
        #expect(other.code == 0 && other.text.contains(waiting), "\(other.text)")
        try await expectInstructions("To sign practice out, run: homing logout Then to sign in as clinic, \(way)")
        let third = try await signIn(station, 1, as: "clinic")
        #expect(third.code == 1 && third.text.hasPrefix("Nothing was changed: practice is signed in at dentist already."), "\(third.text)")
        #expect(station.sandbox.ledger.entries.isEmpty)

        #expect(try await station.homing("logout", "--yes").code == 0)
        #expect(try await signIn(station, 1, as: "Clinic").code == 0)
        try await station.event("delivered")
        #expect(station.sandbox.ledger.entries.map(\.account) == [1])
        #expect(try await station.homing("receipts").text.contains("clinic"))
        try await station.end(SIGTERM)
    }
}
