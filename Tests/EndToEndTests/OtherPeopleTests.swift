import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

/// A refresh token alone does not reveal the account.
@Suite struct OtherPeopleTests {
    /// The manager has an entry and has signed out.
    private func station() async throws -> TestStation {
        let tokens = ["managers-token": "manager@lab.test", "others-token": "other@lab.test"]
        let configuration = AIPhotoConfiguration { $0.firebase.refreshTokens = tokens }
        let station = try await TestStation(.aiPhoto(configuration), profile: "aiphoto", route: "register")
        try await station.start()
        try await login(station, "managers-token", as: "manager@lab.test")
        _ = try await station.client.call(Endpoints.pause, PauseRequest(reason: "to gather"))
        _ = try await station.client.call(
            Endpoints.submit,
            ControlAPI.Submission(route: "register", id: Samples.id(1).description, fields: ["name": "A", "email": "a@lab.test"]))
        let out = try await station.homing("logout", "--yes")
        #expect(out.text.contains("is waiting. To send it, run: homing login --refresh-token-stdin\n"), "\(out.text)")
        _ = try await station.client.call(Endpoints.resume, ResumeRequest())
        return station
    }

    private func login(_ station: TestStation, _ token: String, as name: String? = nil) async throws {
        let result = try await signIn(station, token, as: name)
        #expect(result.code == 0, "\(result.text)")
    }

    private func signIn(_ station: TestStation, _ token: String, as name: String?) async throws -> (code: Int32, text: String) {
        try await station.homing(["login", "--refresh-token-stdin"] + (name.map { ["--email", $0] } ?? []), input: token)
    }

    @Test func tokenBackendDoesNotAskForPassword() async throws {
        let station = try await TestStation(.aiPhoto(AIPhotoConfiguration()), profile: "aiphoto", route: "register")
        try await station.start()
        for arguments in [[], ["--email", "manager@lab.test"]] {
            let refused = try await station.homing(["login"] + arguments)
            #expect(refused.code == 2, "\(refused.text)")
            #expect(
                refused.text.contains("aiphoto needs a refresh token to sign in, not an email address and a password."), "\(refused.text)")
            #expect(refused.text.contains("run: homing login --refresh-token-stdin\n"), "\(refused.text)")
        }
        #expect(
            try await station.homing("login", "--backend", "aiphoto").text.contains(
                "run: homing login --refresh-token-stdin\n"))
        #expect(station.sandbox.ledger.requests.isEmpty)
        try await station.end(SIGTERM)
    }

    @Test func signInUnderAnotherAccountsNameIsRefused() async throws {
        let station = try await station()
        let refused = try await signIn(station, "others-token", as: "manager@lab.test")
        #expect(refused.code == 5, "\(refused.text)")
        #expect(refused.text.contains("manager@lab.test is the name of another account"), "\(refused.text)")
        #expect(refused.text.contains("without --email"))
        #expect(try await station.status().backends[0].session.state == "signedOut")
        try await login(station, "others-token", as: "other@lab.test")
        #expect(try await station.homing("logout", "--yes").code == 0)
        // The daemon recognizes the account, so the name is not needed again.
        try await login(station, "managers-token")
        #expect(try await station.status().backends[0].session.email == "manager@lab.test")
        try await station.event("delivered")
        #expect(try await station.homing("receipts").text.contains("manager@lab.test"))
        try await station.end(SIGTERM)
    }

    @Test func waitingEntriesOfAnotherAccountAreReportedWithSteps() async throws {
        let station = try await station()
        let waiting = try await station.homing("status")
        #expect(waiting.text.contains("1 registration is safe here and cannot be sent until manager@lab.test signs in."), "\(waiting.text)")
        #expect(waiting.text.contains("stopped until manager@lab.test signs in"))
        let idle = try await station.homing("sync")
        #expect(idle.text.contains("To sign in as manager@lab.test, run: homing login --refresh-token-stdin"), "\(idle.text)")
        try await login(station, "others-token", as: "other@lab.test")
        let way =
            "To sign other@lab.test out, run: homing logout\nThen to sign in as manager@lab.test, run: homing login --refresh-token-stdin"
        for command in [["why", Samples.id(1).description], ["retry", Samples.id(1).description], ["sync"]] {
            let told = try await station.homing(command)
            #expect(told.text.contains(way), "\(command): \(told.text)")
            #expect(!told.text.contains("will be tried again") && !told.text.contains("No entries are waiting"), "\(command): \(told.text)")
        }
        // `homing status` wraps its lines.
        let status = try await station.homing("status").text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(status.contains(way.replacing("\n", with: " ")), "\(status)")
        let events = try await station.homing("events").text
        #expect(events.contains(/signedIn .*email=other@lab.test/) && events.contains(/signedOut .*email=manager@lab.test/), "\(events)")
        try await station.end(SIGTERM)
    }
}
