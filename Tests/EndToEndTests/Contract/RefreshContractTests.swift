import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

/// The numbers in the test names are those of the contract.
@Suite struct RefreshContractTests {
    @Test("1: two hundred entries that get a 401 together cause one refresh") func concurrent401sCauseOneRefresh() async throws {
        let station = try await TestStation.lists2026(delivery: "in_flight: 64, first_delay: 0.05, first_pause: 0.1")
        try await station.signedIn()
        try await station.sendTwoHundredListsWithExpiredToken(.slow(milliseconds: 600_000, path: "auth/refresh", count: 1))
        await station.waitForUnauthorizedLists(50)
        station.sandbox.clearFaults()
        try await station.event("delivered", count: 200)
        #expect(station.refreshes(200) == 1)
        #expect(station.refreshes() == 1)
        #expect(station.sandbox.ledger.entries.count == 200)
        #expect(station.sandbox.ledger.duplicates.isEmpty)
        #expect(try await station.entries("delivered").allSatisfy { $0.attempts == 0 })
        try await station.end(SIGTERM)
    }

    /// LabLoop's documents describe this way and its web module. The shipped profile uses that of its app.
    @Test("3: both LabLoop modules refresh by request body, with and without a new refresh token", arguments: ["mobile", "web"])
    func labLoopRefreshesByRequestBody(module: String) async throws {
        let station = try await TestStation(
            .labLoop(), profile: "labloop", route: "appointment",
            edits: [
                (
                    "request: GET /mobile/auth/refresh\n    headers: {x-refresh-token: \"{refresh}\"}",
                    "request: POST /\(module)/auth/refresh\n    json: {refreshToken: \"{refresh}\"}"
                )
            ])
        try await station.signedIn()
        try await station.appointment(1)
        try await station.event("delivered")
        // A lost rotated token would only fail in the second round.
        for round in 1...2 {
            station.sandbox.expireSessions(rememberTokens: false)
            for number in 1...3 { try await station.appointment(round * 10 + number) }
            try await station.event("delivered", count: 1 + 3 * round)
            #expect(station.sandbox.ledger.requestCount("POST", path: "\(module)/auth/refresh", status: 200) == round)
        }
        #expect(station.sandbox.ledger.requestCount(path: "auth/refresh") == 2)
        #expect(station.sandbox.ledger.entries.count == 7)
        try await station.stillSignedIn()
        try await station.end(SIGTERM)
    }

    @Test("2: a late 401 for an old token causes no second refresh") func late401CausesNoSecondRefresh() async throws {
        let station = try await TestStation.lists2026()
        try await station.signedIn()
        // Two requests carry the old token; one gets its 401 much later.
        await station.sandbox.apply(.slowCommit(milliseconds: 600_000, path: "api/v1/lists", count: 1))
        try await station.createList(1)
        try await station.met(.slowCommit)
        station.sandbox.expireSessions(rememberTokens: false)
        try await station.createList(2)
        try await station.event("delivered")
        station.sandbox.clearFaults()
        try await station.event("delivered", count: 2)
        #expect(station.unauthorizedLists() == 2)
        #expect(station.refreshes() == 1)
        try await station.end(SIGTERM)
    }

    @Test("3: a refresh without a new refresh token keeps the old one", arguments: [FirebaseConfiguration.Renewal.none, .same, .new])
    func refreshWithoutNewTokenKeepsTheOldOne(renewal: FirebaseConfiguration.Renewal) async throws {
        let station = try await TestStation.story16(FirebaseConfiguration { $0.renewal = renewal })
        try await station.signedIn()
        for round in 1...3 {
            station.sandbox.expireSessions(rememberTokens: false)
            try await station.putMessage(round)
            try await station.event("delivered", count: round)
        }
        #expect(station.sandbox.ledger.requestCount("POST", path: "/v1/token", status: 200) == 3)
        #expect(station.sandbox.ledger.logInCount == 1)
        try await station.end(SIGTERM)
    }

    @Test("4: a token with a textual lifetime is renewed before it expires") func textualLifetimeTriggersRenewal() async throws {
        // The token itself claims an hour, so only the stated lifetime can prompt the renewal.
        let station = try await TestStation.story16(FirebaseConfiguration { ($0.idTokenLifetime, $0.statedLifetime) = (3600, 1) })
        try await station.signedIn()
        try await station.putMessage(1)
        try await station.event("delivered")
        try await Task.sleep(for: .seconds(1))
        try await station.putMessage(2)
        try await station.event("delivered", count: 2)
        #expect(station.sandbox.ledger.requestCount(path: "/v1/token", status: 200) >= 1)
        #expect(station.sandbox.ledger.requestCount(status: 401) == 0)
        try await station.end(SIGTERM)
    }

    @Test(
        "5: a page or an error in response to a refresh does not sign out",
        arguments: [FaultName.loginPage, .redirect, .internalError, .unavailable])
    func failedRefreshDoesNotSignOut(fault: FaultName) async throws {
        let station = try await TestStation.lists2026()
        try await station.signedIn()
        station.sandbox.expireSessions(rememberTokens: false)
        await station.sandbox.apply(Fault(fault, path: "auth/refresh"))
        try await station.createList(1)
        try await station.met(fault)
        try await station.event("gateChanged") { $0.detail["gate"] == "cooling" }
        let session = try await station.status().backends[0].session
        #expect(session.state == "signedIn")
        station.sandbox.clearFaults()
        try await station.homing("sync")
        try await station.event("delivered")
        #expect(try await station.entry(1).attempts == 0)
        try await station.end(SIGTERM)
    }

    @Test("6: a connection cut during a refresh does not sign out") func cutConnectionDuringRefreshDoesNotSignOut() async throws {
        let station = try await TestStation.lists2026()
        try await station.signedIn()
        station.sandbox.expireSessions(rememberTokens: false)
        await station.sandbox.apply(Fault(.cut, path: "auth/refresh", count: 3))
        try await station.createList(1)
        try await station.met(.cut, count: 3)
        try await station.event("delivered")
        try await station.stillSignedIn()
        try await station.end(SIGTERM)
    }

    @Test("6: going offline during a refresh does not sign out") func goingOfflineDuringRefreshDoesNotSignOut() async throws {
        let station = try await TestStation.lists2026()
        try await station.signedIn()
        station.sandbox.expireSessions(rememberTokens: false)
        await station.sandbox.apply(Fault(.neverAnswer, path: "auth/refresh", count: 1))
        try await station.createList(1)
        try await station.met(.neverAnswer)
        await station.sandbox.down()
        try await station.event("gateChanged") { $0.detail["gate"] == "cooling" }
        try await station.stillSignedIn()
        try await station.sandbox.up()
        try await station.event("delivered")
        try await station.stillSignedIn()
        try await station.end(SIGTERM)
    }

    @Test("7: a 401 right after a refresh counts no attempt and keeps the session")
    func status401AfterRefreshCountsNoAttempt() async throws {
        let station = try await TestStation.lists2026(delivery: "first_pause: 1")
        try await station.signedIn()
        await station.sandbox.apply(Fault(.unauthorized, path: "api/v1/lists", count: 2))
        try await station.createList(1)
        try await station.event("released")
        #expect(station.refreshes() == 1)
        try await station.event("delivered")
        #expect(try await station.entry(1).attempts == 0)
        #expect(try await station.status().backends[0].session.state == "signedIn")
        try await station.end(SIGTERM)
    }

    @Test("7: repeated 401 responses pause the backend and hold no entry") func repeated401sPauseTheBackend() async throws {
        let station = try await TestStation.lists2026(delivery: "first_pause: 2, in_flight: 1")
        try await station.signedIn()
        await station.sandbox.apply(Fault(.unauthorized, path: "api/v1/lists"))
        for number in 1...5 { try await station.createList(number) }
        try await station.event("gateChanged") { $0.detail["gate"] == "cooling" }
        try await station.event("released", count: 2)
        station.sandbox.clearFaults()
        try await station.event("delivered", count: 5)
        for number in 1...5 { #expect(try await station.entry(number).attempts == 0) }
        #expect(try await station.status().backends[0].session.state == "signedIn")
        try await station.end(SIGTERM)
    }

    @Test("8: kill -9 between the server’s rotation and the commit ends in “refresh answer lost”")
    func killAfterRotationRequiresSignIn() async throws {
        let station = try await TestStation.lists2026(grace: 0)
        try await station.signedIn()
        station.sandbox.expireSessions(rememberTokens: false)
        await station.sandbox.apply(Fault(.neverAnswerAfterCommit, path: "auth/refresh", count: 1))
        try await station.createList(1)
        try await station.met(.neverAnswerAfterCommit)
        try await station.end(SIGKILL)
        try await station.start()
        try await station.event("signInRequired")
        let session = try await station.status().backends[0].session
        #expect(session.state == "signInRequired")
        #expect(session.reason?.hasPrefix("refresh answer lost") == true, "\(session.reason ?? "")")
        #expect(try await station.homing("status").text.contains("refresh answer lost"))
        // The daemon tried the old token once.
        #expect(station.refreshes() == 2)
        try await station.login()
        try await station.event("delivered")
        #expect(try await station.entry(1).attempts == 0)
        try await station.end(SIGTERM)
    }

    @Test("8: kill -9 before the server’s rotation loses nothing") func killBeforeRotationLosesNothing() async throws {
        let station = try await TestStation.lists2026(grace: 0)
        try await station.signedIn()
        station.sandbox.expireSessions(rememberTokens: false)
        await station.sandbox.apply(Fault(.neverAnswer, path: "auth/refresh", count: 1))
        try await station.createList(1)
        try await station.met(.neverAnswer)
        try await station.end(SIGKILL)
        try await station.start()
        try await station.event("delivered")
        #expect(station.sandbox.ledger.logInCount == 1)
        #expect(try await station.entry(1).attempts == 0)
        try await station.end(SIGTERM)
    }

    @Test("8: kill -9 during a refresh for two hundred entries loses and duplicates none")
    func killDuringRefreshLosesAndDuplicatesNothing() async throws {
        let station = try await TestStation.lists2026(grace: 0, delivery: "in_flight: 64, first_pause: 0.1, lookup_after: 0.05")
        try await station.signedIn()
        try await station.sendTwoHundredListsWithExpiredToken(Fault(.neverAnswerAfterCommit, path: "auth/refresh", count: 1))
        try await station.met(.neverAnswerAfterCommit)
        await station.waitForUnauthorizedLists(50)
        try await station.end(SIGKILL)
        try await station.start()
        try await station.event("signInRequired")
        #expect(station.refreshes() == 2)
        try await station.login()
        try await station.event("delivered", count: 200)
        #expect(station.sandbox.ledger.entries.count == 200)
        #expect(station.sandbox.ledger.duplicates.isEmpty)
        try await station.end(SIGTERM)
    }

    @Test("9: a second use of the old token ends the session, with and without a grace period", arguments: [0, 10])
    func secondUseOfOldTokenEndsTheSession(grace: Int) async throws {
        let station = try await TestStation.lists2026(grace: grace)
        try await station.signedIn()
        station.sandbox.expireSessions(rememberTokens: false)
        await station.sandbox.apply(Fault(.commitThenCut, path: "auth/refresh", count: 1))
        try await station.createList(1)
        try await station.event("signInRequired")
        let reason = try await station.status().backends[0].session.reason ?? ""
        #expect(reason.hasPrefix("refresh answer lost"), "\(reason)")
        #expect(station.refreshes() == 2)
        try await station.login()
        try await station.event("delivered")
        try await station.end(SIGTERM)
    }

    @Test("9: a lost response is harmless if the server accepts the old token again")
    func lostResponseIsHarmlessIfOldTokenWorks() async throws {
        let station = try await TestStation.story16(FirebaseConfiguration { $0.renewal = .new })
        try await station.signedIn()
        station.sandbox.expireSessions(rememberTokens: false)
        await station.sandbox.apply(Fault(.commitThenCut, path: "/v1/token", count: 1))
        try await station.putMessage(1)
        try await station.event("delivered")
        #expect(station.sandbox.ledger.logInCount == 1)
        try await station.end(SIGTERM)
    }

    @Test("10: a sign-out completes even if its caller is killed during the refresh")
    func signOutCompletesAfterItsCallerIsKilled() async throws {
        let station = try await TestStation(.labLoop(), profile: "labloop", route: "appointment")
        try await station.signedIn()
        station.sandbox.expireSessions(rememberTokens: false)
        await station.sandbox.apply(.slow(milliseconds: 600_000, path: "auth/refresh", count: 1))
        let logout = try station.begin(["logout", "--yes"])
        try await station.met(.slow)
        logout.signal(SIGKILL)
        _ = await logout.status
        station.sandbox.clearFaults()
        let end = try await station.event("signedOut")
        #expect(end?.detail["server"] == "ended")
        #expect(end?.detail["by"] == "uid \(geteuid()), pid \(logout.processIdentifier)")
        #expect(station.sandbox.ledger.requestCount("GET", path: "auth/refresh") == 1)
        #expect(try await station.status().backends[0].session.state == "signedOut")
        try await station.end(SIGTERM)
    }

    @Test("11: a server clock two hours off causes no refresh and no sign-out", arguments: [-7200.0, 7200] as [TimeInterval])
    func serverClockOffsetCausesNoRefresh(offset: TimeInterval) async throws {
        let station = try await TestStation(
            .labLoop(), profile: "labloop", route: "appointment", clock: SandboxClock { Date().addingTimeInterval(offset) })
        try await station.signedIn()
        try await station.appointment(1)
        try await station.event("delivered")
        #expect(station.sandbox.ledger.requestCount("GET", path: "auth/refresh") == 0)
        station.sandbox.expireSessions(rememberTokens: false)
        try await station.appointment(2)
        try await station.event("delivered", count: 2)
        #expect(station.sandbox.ledger.requestCount("GET", path: "auth/refresh") == 1)
        #expect(try await station.entry(2).attempts == 0)
        try await station.stillSignedIn()
        try await station.end(SIGTERM)
    }

    @Test("12: unknown fields and ISO 8601 times are ignored") func unknownFieldsAreIgnored() async throws {
        let station = try await TestStation(.labLoop(), profile: "labloop", route: "appointment") { request, response in
            guard request.path.contains("auth/"), var json = (try? JSON(bytes: response.body))?.members else { return response }
            json["expiresAt"] = "2026-11-21T20:00:00.000+02:00"
            json["issued_at"] = "2026-11-21T20:00:00Z"
            json["more"] = ["a": [1, true, nil, ["b": "ž"]], "expiresIn": "tomorrow"]
            if var data = json["data"]?.members {
                data["expiresAt"] = "2026-11-21T20:00:00.000Z"
                data["scope"] = ["x", "y"]
                json["data"] = .object(data)
            }
            var changed = response
            changed.body = JSON.object(json).bytes
            return changed
        }
        try await station.signedIn()
        station.sandbox.expireSessions(rememberTokens: false)
        try await station.appointment(1)
        try await station.event("delivered")
        #expect(station.sandbox.ledger.requestCount("GET", path: "auth/refresh", status: 200) == 1)
        try await station.stillSignedIn()
        #expect(try await station.client.call(Endpoints.signOut, SignOut()).server == "ended")
        try await station.end(SIGTERM)
    }

    @Test("13: a refresh by GET is never answered from a cache") func refreshByGETIsNeverCached() async throws {
        let station = try await TestStation(.labLoop(), profile: "labloop", route: "appointment")
        try await station.signedIn()
        for round in 1...3 {
            station.sandbox.expireSessions(rememberTokens: false)
            try await station.appointment(round)
            try await station.event("delivered", count: round)
        }
        #expect(station.sandbox.ledger.requestCount("GET", path: "auth/refresh", status: 200) == 3)
        try await station.end(SIGTERM)
    }

    @Test("14: an edited address gets no token") func editedAddressGetsNoToken() async throws {
        let station = try await TestStation.lists2026()
        try await station.signedIn()
        await station.sandbox.down()
        try await station.createList(1)
        try await station.end(SIGTERM)
        let other = try Sandbox(SandboxConfiguration { $0.backend = .lists2026() })
        try await other.start()
        try TestStation.place("lists-2026", in: station.directory, baseURL: other.baseURL)
        try await station.start()
        #expect(try await station.status().backends[0].session.state == "signInRequired")
        try await station.sync()
        #expect(other.ledger.requests.isEmpty)
        #expect(try await station.status().attention.contains { $0.code == "other-address" })
        try await station.login()
        try await station.createList(2)
        try await station.event("delivered")
        // Otherwise an earlier request would have arrived first.
        #expect(other.ledger.requests.first?.signingIn == "manager@lab.test")
        #expect(other.ledger.entries.count == 1)
        try await station.end(SIGTERM)
        await other.stop()
    }

    @Test("14: an edited address does not take over the account of an expired session")
    func editedAddressDoesNotTakeOverTheAccount() async throws {
        let station = try await TestStation.lists2026(grace: 0)
        try await station.signedIn()
        station.sandbox.expireSessions(rememberTokens: true)
        try await station.createList(1)
        try await station.event("signInRequired")
        #expect(try await station.status().backends[0].session.account != nil)
        try await station.end(SIGTERM)
        let other = try Sandbox(SandboxConfiguration { $0.backend = .lists2026() })
        try await other.start()
        try TestStation.place("lists-2026", in: station.directory, baseURL: other.baseURL)
        try await station.start()
        #expect(try await station.status().backends[0].session.account == nil)
        await #expect(throws: (any Error).self) { try await station.createList(2) }
        #expect(try await station.entries().count == 1)
        #expect(other.ledger.requests.isEmpty)
        try await station.end(SIGTERM)
        await other.stop()
    }

    @Test("14: an edited token service gets no token") func editedTokenServiceGetsNoToken() async throws {
        let station = try await TestStation.story16()
        try await station.signedIn()
        try await station.end(SIGTERM)
        let other = try Sandbox(SandboxConfiguration { $0.backend = .story16() })
        try await other.start()
        let file = station.directory("backends/firebase.yaml")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let edited = text.replacing("sts: \(station.sandbox.baseURL)", with: "sts: \(other.baseURL)")
        #expect(edited != text)
        try edited.write(toFile: file, atomically: true, encoding: .utf8)
        station.sandbox.expireSessions(rememberTokens: false)
        try await station.start()
        let session = try await station.status().backends[0].session
        #expect(session.state == "signInRequired" && session.account == nil)
        await #expect(throws: (any Error).self) { try await station.putMessage(1) }
        #expect(other.ledger.requests.isEmpty)
        try await station.end(SIGTERM)
        await other.stop()
    }

    @Test("a throttled refresh is tried once, and a new sign-in resumes sending") func throttledRefreshIsTriedOnce() async throws {
        let station = try await TestStation.lists2026(delivery: "in_flight: 4, first_delay: 0.05, first_pause: 0.1")
        try await station.signedIn()
        station.sandbox.expireSessions(rememberTokens: false)
        await station.sandbox.apply(.tooManyRequests(retryAfter: 3600, path: "auth/refresh"))
        for number in 1...40 { try await station.createList(number) }
        try await station.event("gateChanged") { $0.detail["gate"] == "cooling" }
        try await station.homing("sync")
        #expect(try await station.homing("why", "40").text.hasPrefix("The session cannot be renewed yet:"))
        #expect(station.refreshes() == 1)
        #expect(station.sandbox.ledger.requestCount("POST", path: "api/v1/lists") <= 4)
        station.sandbox.clearFaults()
        try await station.login()
        try await station.event("delivered", count: 40)
        #expect(try await station.entries("delivered").allSatisfy { $0.attempts == 0 })
        try await station.end(SIGTERM)
    }

    /// Both delays exceed the grace period, so the waiting entry is cancelled.
    @Test(
        "10: a daemon stopped during a refresh stores the result and keeps the session", arguments: [2500, 7000])
    func stopDuringRefreshStoresTheResult(milliseconds: Int) async throws {
        let station = try await TestStation.lists2026(grace: 0)
        try await station.signedIn()
        station.sandbox.expireSessions(rememberTokens: false)
        await station.sandbox.apply(.slow(milliseconds: milliseconds, path: "auth/refresh", count: 1))
        try await station.createList(1)
        try await station.met(.slow)
        #expect(try await station.end(SIGTERM) == 0)
        try await station.start()
        try await station.event("delivered")
        #expect(station.refreshes() == 1)
        #expect(station.sandbox.ledger.logInCount == 1)
        try await station.end(SIGTERM)
    }

    @Test("1: a cut refresh response for two hundred entries is retried once and counts no attempt")
    func cutRefreshResponseCountsNoAttempt() async throws {
        let station = try await TestStation.lists2026(delivery: "in_flight: 64, first_pause: 0.1")
        try await station.signedIn()
        try await station.sendTwoHundredListsWithExpiredToken(Fault(.commitThenCut, path: "auth/refresh", count: 1))
        try await station.event("signInRequired")
        await station.waitForUnauthorizedLists(50)
        #expect(station.refreshes() == 2)
        try await station.login()
        try await station.event("delivered", count: 200)
        #expect(try await station.entries("delivered").allSatisfy { $0.attempts == 0 })
        #expect(station.sandbox.ledger.duplicates.isEmpty)
        try await station.end(SIGTERM)
    }
}
