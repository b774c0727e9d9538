import ControlAPI
import Foundation
import Sandbox
import SyncModel
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct SessionTests {
    @Test func aSessionThatEndsInTheMiddleIsRenewedWithTheKeptPassword() async throws {
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

    @Test func anIdleSessionIsRenewedByTheRememberCookieWithoutAPassword() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        station.sandbox.expireSessions(rememberTokens: false)
        try await station.submit(id: 1)
        try await station.event("delivered")
        #expect(station.sandbox.ledger.logInCount == 1)
        try await station.end(SIGTERM)
    }

    @Test func withoutAKeptPasswordAPersonIsAskedAndNothingIsLost() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        station.sandbox.expireSessions(rememberTokens: true)
        for number in 1...3 { try await station.submit(id: number) }
        try await station.event("signInRequired")
        let status = try await station.homing("status")
        #expect(status.code == 5, "\(status.text)")
        // What is captured now still belongs to the manager.
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

    @Test func twoAccountsInTurnNeverCross() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        await station.sandbox.down()
        for number in 1...3 { try await station.submit(user: 5, id: number) }
        let logout = try await station.homing("logout", "--yes")
        #expect(logout.code == 0, "\(logout.text)")
        #expect(logout.text.contains("3"))

        // Nobody is signed in: the socket says so, and stores nothing.
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
        // No request of one ever carried the other's credentials.
        for request in station.sandbox.ledger.requests where request.path.contains("facial_measurements") {
            let owner = request.path.contains("/10/") ? 2 : 1
            #expect([request.account, request.rememberedAccount].compactMap { $0 }.allSatisfy { $0 == owner })
        }
        try await station.end(SIGTERM)
    }

    @Test func signingOutWithASendUnderWayLosesNothingAndSendsNothingTwice() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        await station.sandbox.apply(Fault(.neverAnswerAfterCommit, path: "facial_measurements_from_arkit", count: 1))
        try await station.submit(id: 1)
        while station.sandbox.ledger.entries.isEmpty { _ = try await station.status() }
        #expect(try await station.homing("logout", "--yes").code == 0)
        #expect(try await station.entry(1).state == "pending")
        try await station.login()
        try await station.event("delivered")
        #expect(station.sandbox.ledger.entries.count == 1)
        try await station.end(SIGTERM)
    }

    @Test func aWrongPasswordIsRefusedInTheServersWords() async throws {
        let station = try await TestStation()
        try await station.start()
        let result = try await station.homing("login", "--email", "manager@lab.test", "--password-stdin", input: "wrong")
        #expect(result.code == 5)
        #expect(result.text.contains("Invalid Email or password."))
        #expect(try await station.status().backends[0].session.state == "signedOut")
        try await station.end(SIGTERM)
    }
}
