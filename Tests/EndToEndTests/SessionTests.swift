import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

@Suite struct SessionTests {
    @Test func expiredSessionIsRenewedWithRememberedPassword() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login(remember: true)
        for number in 1...4 { try await station.submit(id: number) }
        try await station.event("delivered", count: 4)
        station.sandbox.expireSessions(rememberTokens: true)
        for number in 5...8 { try await station.submit(id: number) }
        try await station.event("delivered", count: 8)
        #expect(station.sandbox.ledger.logInCount == 2)
        #expect(station.sandbox.ledger.entries.count == 8)
        #expect(try await station.entries("delivered").allSatisfy { $0.attempts == 0 })
        try await station.end(SIGTERM)
    }

    @Test func signInWithoutRememberSaysThatThePasswordIsNoLongerKept() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login(remember: true)
        let login = ["login", "--email", "manager@lab.test", "--password-stdin"]
        let told = try await station.homing(login, input: BreatheSafeConfiguration.labPassword)
        let note =
            "Homing no longer keeps the password of manager@lab.test. To keep it, run: homing login --email manager@lab.test --remember\n"
        #expect(told.code == 0 && told.text.contains(note), "\(told.text)")
        #expect(try await station.status().backends.first?.session.remembered == false)
        let again = try await station.homing(login, input: BreatheSafeConfiguration.labPassword)
        #expect(again.code == 0 && !again.text.contains("keeps the password"), "\(again.text)")
        let kept = try await station.homing(login + ["--remember"], input: BreatheSafeConfiguration.labPassword)
        #expect(kept.code == 0 && !kept.text.contains("keeps the password"), "\(kept.text)")
        #expect(try await station.status().backends.first?.session.remembered == true)
        try await station.end(SIGTERM)
    }

    @Test func multilineTokenIsRefusedAndTrailingNewlineIgnored() async throws {
        let station = try await TestStation.story16(FirebaseConfiguration { $0.refreshTokens = ["from-the-app": "manager@lab.test"] })
        try await station.start()
        for (option, input) in [
            ("--refresh-token-stdin", "from-\nthe-app\n"), ("--refresh-token-stdin", "from-the-app \n"), ("--token-stdin", "a\tb\u{7f}"),
        ] {
            let refused = try await station.homing("login", option, "--email", "manager@lab.test", input: input)
            #expect(refused.code == 2 && refused.text.contains("line break"), "\(refused.text)")
        }
        #expect(station.sandbox.ledger.requests.isEmpty)
        let taken = try await station.homing("login", "--refresh-token-stdin", "--email", "manager@lab.test", input: "from-the-app\n")
        #expect(taken.code == 0, "\(taken.text)")
        try await station.end(SIGTERM)
    }

    @Test func expiredSessionIsRenewedWithRememberCookie() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        station.sandbox.expireSessions(rememberTokens: false)
        try await station.submit(id: 1)
        try await station.event("delivered")
        #expect(station.sandbox.ledger.logInCount == 1)
        try await station.end(SIGTERM)
    }

    @Test func expiredSessionWithoutPasswordRequiresSignIn() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        station.sandbox.expireSessions(rememberTokens: true)
        for number in 1...3 { try await station.submit(id: number) }
        try await station.event("signInRequired") { $0.detail["email"] == "manager@lab.test" }
        let status = try await station.homing("status")
        #expect(status.code == 5, "\(status.text)")
        // This capture still belongs to the manager.
        try await station.submit(id: 4)
        #expect(try await station.entry(4).account == "1")
        try await station.login()
        try await station.event("delivered", count: 4)
        #expect(try await station.entries("delivered").allSatisfy { $0.attempts == 0 })
        try await station.end(SIGTERM)
    }

    @Test func aSessionOutlivesARestart() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        try await station.end(SIGTERM)
        try await station.start()
        try await station.submit(id: 1)
        try await station.event("delivered")
        #expect(station.sandbox.ledger.logInCount == 1)
        try await station.end(SIGTERM)
    }

    @Test func entriesAreSentOnlyUnderTheirOwnAccount() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        await station.sandbox.down()
        for number in 1...3 { try await station.submit(user: 5, id: number) }
        let logout = try await station.homing("logout", "--yes")
        #expect(logout.code == 0, "\(logout.text)")
        #expect(logout.text.contains("3"))

        let refused = await #expect(throws: Problem.self) { try await station.submit(user: 5, id: 9) }
        #expect(refused?.code == .signInRequired)

        try await station.sandbox.up()
        try await station.login("other@lab.test")
        for number in 4...6 { try await station.submit(user: 10, id: number) }
        try await station.event("delivered", count: 3)
        #expect(Set(station.sandbox.ledger.entries.map(\.account)) == [2])
        #expect(
            try await station.status().backends[0].otherAccounts == [WaitingAccount(account: "1", email: "manager@lab.test", waiting: 3)])
        #expect(try await station.homing("why", Samples.id(1).description).text.contains("manager@lab.test"))

        #expect(try await station.homing("logout", "--yes").code == 0)
        try await station.login()
        try await station.event("delivered", count: 6)
        for entry in station.sandbox.ledger.entries where entry.path.contains("arkit") {
            #expect(entry.account == (entry.user == 10 ? 2 : 1))
        }
        for request in station.sandbox.ledger.requests where request.path.contains("facial_measurements") {
            let owner = request.path.contains("/10/") ? 2 : 1
            #expect([request.account, request.rememberedAccount].compactMap { $0 }.allSatisfy { $0 == owner })
        }
        try await station.end(SIGTERM)
    }

    @Test func signOutDuringSendLosesAndDuplicatesNothing() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        await station.sandbox.apply(Fault(.neverAnswerAfterCommit, path: "facial_measurements_from_arkit", count: 1))
        try await station.submit(id: 1)
        await station.sandbox.ledger.waits { !$0.entries.isEmpty }
        #expect(try await station.homing("logout", "--yes").code == 0)
        #expect(try await station.entry(1).state == "pending")
        try await station.login()
        try await station.event("delivered")
        #expect(station.sandbox.ledger.entries.count == 1)
        try await station.end(SIGTERM)
    }

    @Test func entriesInFlightAtSignOutAreDeliveredOnce() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        // Four requests are in flight, and one entry waits behind each.
        await station.sandbox.apply(.slow(milliseconds: 60_000, path: "facial_measurements_from_arkit", count: 4))
        for number in 1...8 { try await station.submit(user: 5 + number % 4, id: number) }
        try await station.met(.slow, count: 4)

        let logout = try await station.homing("logout", "--yes")
        #expect(logout.code == 0, "\(logout.text)")
        let report = try await station.status().backends[0]
        #expect(report.session.state == "signedOut")
        #expect(report.queue == QueueReport(pending: 8))
        #expect(station.sandbox.ledger.entries.count == 4)
        #expect(try await station.homing("status").code == 5)

        try await station.login()
        try await station.event("delivered", count: 8)
        #expect(station.sandbox.ledger.entries.count == 8)
        #expect(station.sandbox.ledger.duplicates.isEmpty)
        #expect(try await station.entries("delivered").allSatisfy { $0.attempts == 0 })
        let requests = station.sandbox.ledger.requests
        let left = try #require(requests.firstIndex { $0.method == "DELETE" })
        let returned = try #require(requests.lastIndex { $0.signingIn != nil })
        try #require(left < returned)
        #expect(requests[left...returned].allSatisfy { !$0.path.contains("facial_measurements") })
        try await station.end(SIGTERM)
    }

    /// A 401 concerns the entry, not the session, while the health route still reports the account.
    @Test func deniedEntryIsHeldWithoutAffectingSessionOrLanes() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login(remember: true)
        await station.sandbox.apply(Fault(.unauthorized, path: "users/6/facial_measurements_from_arkit"))
        for number in 1...3 { try await station.submit(user: 4 + number, id: number) }
        try await station.event("delivered", count: 2)
        try await station.letOthersThrough(user: 5, from: 4, whileFailing: 2)
        #expect(Set(station.sandbox.ledger.entries.map(\.user)) == [5, 7])

        let denied = try await station.entry(2)
        #expect(denied.state == "held")
        #expect(denied.holdReason == "forbidden")
        #expect(denied.attempts == 3)
        let session = try await station.status().backends[0].session
        #expect(session.state == "signedIn")
        #expect(session.email == "manager@lab.test")
        #expect(station.sandbox.ledger.logInCount == 1)
        #expect(try await station.homing("status").code == 6)
        let why = try await station.homing("why", Samples.id(2).description)
        #expect(why.text.contains("Unauthorized."), "\(why.text)")

        station.sandbox.clearFaults()
        let retry = try await station.homing("retry", Samples.id(2).description)
        #expect(retry.code == 0, "\(retry.text)")
        try await station.event("delivered") { $0.entry == Samples.id(2).description }
        #expect(station.sandbox.ledger.entries.filter { $0.user == 6 }.count == 1)
        #expect(try await station.homing("status").code == 0)
        try await station.end(SIGTERM)
    }

    @Test func wrongPasswordIsRefusedWithServerMessage() async throws {
        let station = try await TestStation()
        try await station.start()
        let result = try await station.homing("login", "--email", "manager@lab.test", "--password-stdin", input: "wrong")
        #expect(result.code == 5)
        #expect(result.text.contains("Invalid Email or password."))
        let refused = try await station.event("signInRefused")
        #expect(refused?.backend == "breathesafe")
        #expect(refused?.detail["by"]?.hasPrefix("uid \(geteuid()), pid ") == true)
        #expect(try await station.status().backends[0].session.state == "signedOut")
        try await station.end(SIGTERM)
    }
}
