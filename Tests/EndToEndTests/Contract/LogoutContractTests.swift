import AsyncHTTPClient
import ControlAPI
import Foundation
import NIOCore
import NIOHTTP1
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

/// The numbers in the test names are those of the contract.
@Suite struct LogoutContractTests {
    private func labLoop(
        _ configuration: LabLoopConfiguration = LabLoopConfiguration(), edits: [(String, String)] = []
    ) async throws -> TestStation {
        // Without repeated calls, which OwedSignOutTests meet.
        let station = try await TestStation(
            .labLoop(configuration), profile: "labloop", route: "appointment", edits: [("    owed: retry\n", "")] + edits)
        try await station.signedIn()
        return station
    }

    /// The first access token has expired by the clocks of both; a renewed one lives for 15 minutes.
    private func labLoopWithExpiredToken(edits: [(String, String)] = []) async throws -> TestStation {
        let station = try await labLoop(LabLoopConfiguration { ($0.accessLifetime, $0.statedLifetime) = (900, 1) }, edits: edits)
        try station.sandbox.change(["stated-lifetime": 900])
        station.sandbox.clock.advance(by: .seconds(901))
        // The daemon's clock is real.
        try await Task.sleep(for: .seconds(1.1))
        return station
    }

    private func logouts(_ station: TestStation) -> Int { station.sandbox.ledger.requestCount("POST", path: "auth/logout") }

    @Test(
        "15: a failed server call still ends the local session and is reported",
        arguments: [
            FaultName.internalError, .refuse, .neverAnswer, .loginPage,
        ])
    func failedServerCallStillEndsLocalSession(fault: FaultName) async throws {
        let station = try await labLoop(edits: [("timeout: 10", "timeout: 1")])
        await station.sandbox.apply(Fault(fault, path: "auth/logout"))
        let report = try await station.client.call(Endpoints.signOut, SignOut())
        #expect(report.local == "cleared")
        #expect(report.server == "failed")
        #expect(report.serverReason?.isEmpty == false)
        #expect(try await station.status().backends[0].session.state == "signedOut")
        #expect(try await station.homing("logout", "--yes").code == 0)
        try await station.end(SIGTERM)
    }

    @Test("16: with on_failure: keep, a failed call changes nothing") func onFailureKeepKeepsTheSession() async throws {
        let station = try await labLoop(edits: [("on_failure: clear", "on_failure: keep")])
        await station.sandbox.apply(Fault(.internalError, path: "auth/logout", count: 1))
        let answer = try await station.homing("logout", "--yes")
        #expect(answer.code == 1, "\(answer.text)")
        #expect(answer.text.contains("You are still signed in at labloop"), "\(answer.text)")
        #expect(answer.text.contains("run: homing logout"), "\(answer.text)")
        #expect(try await station.status().backends[0].session.state == "signedIn")
        let failed = try #require(try await station.event("signOutFailed"))
        #expect(failed.detail["by"]?.hasPrefix("uid \(geteuid()), pid ") == true && failed.detail["email"] != nil, "\(failed.detail)")
        try await station.appointment(1)
        try await station.event("delivered")
        #expect(try await station.client.call(Endpoints.signOut, SignOut()).server == "ended")
        #expect(try await station.event("signedOut")?.detail["server"] == "ended", "the first one was told as a sign-out")
        try await station.end(SIGTERM)
    }

    /// The server has refused the access token, and an earlier refresh has failed.
    @Test("17: a refused access token is renewed once before the sign-out") func refusedTokenIsRenewedOnceBeforeSignOut() async throws {
        let station = try await labLoop()
        station.sandbox.expireSessions(rememberTokens: false)
        await station.sandbox.apply(Fault(.unavailable, path: "auth/refresh"))
        try await station.appointment(1)
        try await station.met(.unavailable)
        // The daemon has read the answer: otherwise the sign-out would share that refresh.
        try await station.event("released")
        station.sandbox.clearFaults()
        let report = try await station.client.call(Endpoints.signOut, SignOut())
        #expect(report.server == "ended", "\(report)")
        #expect(station.sandbox.ledger.requestCount("GET", path: "auth/refresh", status: 200) == 1)
        try await station.end(SIGTERM)
    }

    @Test("17: an expired access token is renewed once before the sign-out") func expiredTokenIsRenewedOnceBeforeSignOut() async throws {
        let station = try await labLoopWithExpiredToken()
        let report = try await station.client.call(Endpoints.signOut, SignOut())
        #expect(report.server == "ended", "\(report)")
        #expect(station.sandbox.ledger.requestCount("GET", path: "auth/refresh", status: 200) == 1)
        #expect(logouts(station) == 1)
        try await station.end(SIGTERM)
    }

    @Test("18: two concurrent sign-outs make one server call") func concurrentSignOutsMakeOneServerCall() async throws {
        let station = try await labLoop()
        await station.sandbox.apply(.slow(milliseconds: 5000, path: "auth/logout"))
        async let first = station.client.call(Endpoints.signOut, SignOut())
        async let second = station.client.call(Endpoints.signOut, SignOut())
        let reports = try await [first, second]
        #expect(reports.allSatisfy { $0.local == "cleared" })
        #expect(logouts(station) == 1)
        #expect(try await station.client.call(Endpoints.signOut, SignOut()).server == "none")
        try await station.end(SIGTERM)
    }

    @Test("19: a refresh in progress does not restore the session") func refreshInProgressDoesNotRestoreTheSession() async throws {
        let station = try await labLoop()
        station.sandbox.expireSessions(rememberTokens: false)
        await station.sandbox.apply(.slow(milliseconds: 700, path: "auth/refresh", count: 1))
        try await station.appointment(1)
        try await station.met(.slow)
        let report = try await station.client.call(Endpoints.signOut, SignOut())
        #expect(report.local == "cleared")
        #expect(try await station.status().backends[0].session.state == "signedOut")
        try await station.end(SIGTERM)
        try await station.start()
        #expect(try await station.status().backends[0].session.state == "signedOut")
        #expect(station.sandbox.ledger.entries.count <= 1)
        try await station.end(SIGTERM)
    }

    enum Step: CaseIterable { case draining, beforeTheServer, afterTheServer, done }

    @Test("20: kill -9 in any step ends signed out and loses nothing", arguments: Step.allCases)
    func killInAnyStepEndsSignedOut(step: Step) async throws {
        let station = try await labLoop()
        if step == .draining {
            await station.sandbox.apply(.slowCommit(milliseconds: 600_000, path: "appointments", count: 1))
            try await station.appointment(1)
            try await station.met(.slowCommit)
        } else {
            // Delivery is paused so that a slow machine does not send the entry before the kill.
            _ = try await station.client.call(Endpoints.pause, PauseRequest(reason: "to gather"))
            try await station.appointment(1)
        }
        if step == .beforeTheServer { await station.sandbox.apply(Fault(.neverAnswer, path: "auth/logout")) }
        if step == .afterTheServer { await station.sandbox.apply(Fault(.neverAnswerAfterCommit, path: "auth/logout")) }
        let signOut = Task { try await station.client.call(Endpoints.signOut, SignOut()) }
        switch step {
        case .draining:
            try await until { try await station.status().backends[0].session.state != "signedIn" }
        case .beforeTheServer: try await station.met(.neverAnswer)
        case .afterTheServer: try await station.met(.neverAnswerAfterCommit)
        case .done: _ = try await signOut.value
        }
        try await station.end(SIGKILL)
        _ = await signOut.result
        station.sandbox.clearFaults()
        try await station.start()
        let status = try await station.status()
        #expect(status.backends[0].session.state == "signedOut")
        #expect(station.sandbox.ledger.requestCount("POST", path: "auth/login") == 1)
        // Unsent entries wait for their account; an entry with an unknown outcome is held.
        try await station.login()
        _ = try await station.client.call(Endpoints.resume, ResumeRequest())
        let end = try await station.event(step == .draining ? "held" : "delivered")
        #expect(end != nil)
        #expect(station.sandbox.ledger.entries.count <= 1)
        try await station.end(SIGTERM)
    }

    @Test("21: waiting entries are not sent under another account") func waitingEntriesAreNotSentUnderAnotherAccount() async throws {
        let station = try await labLoop()
        await station.sandbox.down()
        for number in 1...3 { try await station.appointment(number) }
        try await station.sandbox.up()
        await station.sandbox.apply(.tooManyRequests(retryAfter: 1, path: "appointments"))
        let report = try await station.client.call(Endpoints.signOut, SignOut())
        #expect(report.waiting == 3)
        #expect(report.email == "manager@lab.test")
        station.sandbox.clearFaults()
        try await station.login("other@lab.test")
        try await station.appointment(4)
        try await station.event("delivered")
        #expect(station.sandbox.ledger.entries.map(\.account) == [2])
        let status = try await station.homing("status")
        #expect(status.text.contains("3 entries are waiting until manager@lab.test signs in"), "\(status.text)")
        #expect(try await station.homing("logout", "--yes").code == 0)
        try await station.login()
        try await station.event("delivered", count: 4)
        #expect(station.sandbox.ledger.entries.map(\.account) == [2, 1, 1, 1])
        try await station.end(SIGTERM)
    }

    @Test("22: an unsupported sign-out of all devices is refused and changes nothing") func unsupportedAllDevicesIsRefused() async throws {
        let station = try await TestStation.story16()
        try await station.signedIn()
        let refused = try await station.homing("logout", "--yes", "--all-devices")
        #expect(refused.code != 0)
        #expect(refused.text.contains("cannot end the sessions of all devices"), "\(refused.text)")
        #expect(try await station.status().backends[0].session.state == "signedIn")
        #expect(try await station.client.call(Endpoints.signOut, SignOut()).server == "none")
        try await station.end(SIGTERM)
    }

    /// Uses the best of three rounds, because a real wait would appear in each of them.
    @Test("22: without a server call, a refresh and a send in progress do not delay a sign-out")
    func refreshAndSendDoNotDelaySignOut() async throws {
        let lanes = ("    request: PUT /messages", "    lane: messages/{item.conversation}\n    request: PUT /messages")
        let station = try await TestStation(.story16(), profile: "story16", route: "message", edits: [lanes])
        try await station.start()
        var took: [Duration] = []
        var idle: [Duration] = []
        for round in 1...3 {
            try await station.login()
            if round > 1 { try await station.event("delivered", count: 2 * (round - 1)) }
            let before = ContinuousClock.now
            _ = try await station.client.call(Endpoints.signOut, SignOut())
            idle.append(ContinuousClock.now - before)
            try await station.login()
            await station.sandbox.apply(Fault(.neverAnswer, path: "messages", count: 1))
            try await station.putMessage(2 * round, conversation: "sending\(round)")
            try await station.met(.neverAnswer, count: 2 * round - 1)
            station.sandbox.expireSessions(rememberTokens: false)
            await station.sandbox.apply(Fault(.neverAnswer, path: "/v1/token", count: 1))
            try await station.putMessage(2 * round + 1, conversation: "refreshing\(round)")
            try await station.met(.neverAnswer, count: 2 * round)
            let began = ContinuousClock.now
            let report = try await station.client.call(Endpoints.signOut, SignOut())
            took.append(ContinuousClock.now - began)
            #expect(report.local == "cleared")
            #expect(report.server == "none")
            #expect(try await station.status().backends[0].session.state == "signedOut")
            station.sandbox.clearFaults()
        }
        // A sign-out waits at most five seconds.
        let (quickest, usual) = (try #require(took.min()), try #require(idle.max()))
        #expect(quickest < Duration.seconds(4) + usual, "\(took) \(idle)")
        try await station.login()
        try await station.event("delivered", count: 6)
        try await station.end(SIGTERM)
    }

    @Test("17: a hanging refresh is tried once, and the session is not reported as ended") func hangingRefreshIsTriedOnce() async throws {
        let station = try await labLoopWithExpiredToken(
            edits: [("    request: GET /mobile/auth/refresh\n", "    request: GET /mobile/auth/refresh\n    timeout: 1\n")])
        await station.sandbox.apply(Fault(.neverAnswer, path: "auth/refresh"))
        let report = try await station.client.call(Endpoints.signOut, SignOut())
        #expect(report.server == "failed", "\(report)")
        #expect(report.serverReason == "The backend refused the token, and Homing could not renew it.")
        #expect(station.sandbox.ledger.requestCount("GET", path: "auth/refresh") == 1)
        #expect(logouts(station) == 1)
        try await station.end(SIGTERM)
    }

    @Test("22: a sign-out of all devices does not join one of this device") func allDevicesDoesNotJoinSingleDeviceSignOut() async throws {
        let station = try await labLoop()
        await station.sandbox.apply(.slow(milliseconds: 600_000, path: "auth/logout"))
        async let narrow = station.client.call(Endpoints.signOut, SignOut())
        try await station.met(.slow)
        let refused = await #expect(throws: Problem.self) {
            try await station.client.call(Endpoints.signOut, SignOut(allDevices: true))
        }
        #expect(refused?.detail.contains("of this device only is in progress") == true, "\(String(describing: refused))")
        station.sandbox.clearFaults()
        #expect(try await narrow.server == "ended")
        try await station.end(SIGTERM)
    }

    @Test("22: only a sign-out of all devices ends the sessions of other devices", arguments: [true, false])
    func onlyAllDevicesEndsOtherSessions(all: Bool) async throws {
        let station = try await labLoop()
        let phone = try await signInByPhone(station)
        let ended = try await station.homing(["logout", "--yes"] + (all ? ["--all-devices"] : []))
        #expect(ended.code == 0, "\(ended.text)")
        #expect(logouts(station) == 1)
        #expect(try await station.status().backends[0].session.state == "signedOut")
        let refresh = try await post("mobile/auth/refresh", ["refreshToken": .string(phone)], to: station)
        #expect(refresh.status == (all ? 401 : 200))
        try await station.end(SIGTERM)
    }

    @Test("22: a failed sign-out of all devices is reported") func failedAllDevicesSignOutIsReported() async throws {
        let station = try await labLoop()
        let phone = try await signInByPhone(station)
        let way = "Other devices were not signed out. To sign them out, run: homing login\nThen run: homing logout --all-devices"
        func signOut(_ words: String) async throws {
            let answer = try await station.homing("logout", "--yes", "--all-devices")
            #expect(answer.code == 1 && answer.text.contains(words) && answer.text.contains(way), "\(answer.text)")
            #expect(try await station.status().backends[0].session.state == "signedOut")
        }
        await station.sandbox.apply(Fault(.internalError, path: "auth/logout", count: 1))
        try await signOut("manager@lab.test is signed out of labloop on this station.")
        try await signOut("No account was signed in at labloop.")
        #expect(try await station.homing("logout", "--yes").code == 0)
        #expect(try await post("mobile/auth/refresh", ["refreshToken": .string(phone)], to: station).status == 200)
        try await station.login()
        station.sandbox.expireSessions(rememberTokens: true)
        try await signOut("The session had already ended on the server.")
        try await station.end(SIGTERM)
    }

    /// Signs in on another device and returns its refresh token.
    private func signInByPhone(_ station: TestStation) async throws -> String {
        let answer = try await post(
            "mobile/auth/login",
            ["email": "manager@lab.test", "password": .string(BreatheSafeConfiguration.labPassword), "deviceId": "phone"], to: station)
        return try #require(answer.json["data"]?["tokens"]?["refreshToken"]?.text)
    }

    private func post(_ path: String, _ body: JSON, to station: TestStation) async throws -> (status: UInt, json: JSON) {
        var request = HTTPClientRequest(url: "\(station.sandbox.baseURL)/api/\(path)")
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.headers.add(name: "user-agent", value: "phone")
        request.body = .bytes(ByteBuffer(bytes: body.bytes))
        let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(600))
        return (answer.status.code, try JSON(bytes: Array(buffer: try await answer.body.collect(upTo: 65_536))))
    }

    @Test("23: an empty 204 and a JSON 200 both end the session") func empty204AndJSON200EndTheSession() async throws {
        let lists = try await TestStation.lists2026()
        try await lists.signedIn()
        #expect(try await lists.client.call(Endpoints.signOut, SignOut()).server == "ended")
        try await lists.end(SIGTERM)
        let lab = try await labLoop()
        #expect(try await lab.client.call(Endpoints.signOut, SignOut()).server == "ended")
        try await lab.end(SIGTERM)
    }
}
