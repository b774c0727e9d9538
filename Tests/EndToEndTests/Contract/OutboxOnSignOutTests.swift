import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

/// Tests the profile key `outbox`. See DroppingAtSignOut.
@Suite struct OutboxOnSignOutTests {
    private func labLoop(outbox: String, delivery: String = TestStation.shortPauses) async throws -> TestStation {
        let station = try await TestStation(
            .labLoop(), profile: "labloop", route: "appointment",
            edits: [("on_failure: clear", "on_failure: clear\n    outbox: \(outbox)")], delivery: delivery)
        try await station.signedIn()
        return station
    }

    private func capture(_ numbers: ClosedRange<Int>, _ station: TestStation) async throws {
        _ = try await station.client.call(Endpoints.pause, PauseRequest(reason: "to gather"))
        for number in numbers { try await station.appointment(number) }
    }

    private func events(_ station: TestStation, _ kind: String) async throws -> [Event] {
        var found: [Event] = []
        try await station.client.events(EventQuery(since: 0)) { event in
            if event.kind == kind { found.append(event) }
            return true
        }
        return found
    }

    private var me: String { "uid \(geteuid()), pid " }

    @Test("drop: the sign-out reports and records each discarded entry") func signOutReportsDiscardedEntries() async throws {
        let station = try await labLoop(outbox: "drop")
        try await capture(1...3, station)
        #expect(try await station.status().backends[0].discardedBySigningOut == 3)
        let out = try await station.homing("logout", "--yes")
        #expect(out.code == 0)
        #expect(out.text.contains("3 entries of manager@lab.test were discarded"), "\(out.text)")
        #expect(try await station.entries("discarded").count == 3)
        let discards = try await events(station, "discarded")
        #expect(discards.count == 3)
        #expect(discards.allSatisfy { $0.detail["by"]?.hasPrefix(me) == true })
        let receipts = try await station.client.call(Endpoints.receipts, ReceiptQuery()).receipts
        #expect(receipts.count == 3)
        #expect(receipts.allSatisfy { $0.outcome == "discarded" && $0.discardedBy?.isEmpty == false })
        let ends = try await events(station, "signedOut")
        #expect(ends.map { $0.detail["discarded"] } == ["3"])
        #expect(ends.first?.detail["by"]?.hasPrefix(me) == true)
        #expect(ends.first?.account == discards.first?.account)
        try await station.end(SIGTERM)
    }

    @Test("drop: two concurrent sign-outs discard once and both report it") func concurrentSignOutsDiscardOnce() async throws {
        let station = try await labLoop(outbox: "drop")
        try await capture(1...3, station)
        await station.sandbox.apply(.slow(milliseconds: 5000, path: "auth/logout"))
        async let first = station.client.call(Endpoints.signOut, SignOut())
        try await station.met(.slow)
        async let second = station.client.call(Endpoints.signOut, SignOut())
        let reports = try await [first, second]
        #expect(reports.map(\.discarded) == [3, 3])
        #expect(try await events(station, "discarded").count == 3)
        #expect(try await events(station, "signedOut").count == 1)
        try await station.end(SIGTERM)
    }

    @Test("drop: a sign-out during a sign-in keeps the entries of another account")
    func signOutKeepsEntriesOfAnotherAccount() async throws {
        let station = try await labLoop(outbox: "drop")
        try await capture(1...2, station)
        station.sandbox.expireSessions(rememberTokens: true)
        #expect(try await station.homing("resume").code == 0)
        try await station.event("signInRequired")
        await station.sandbox.apply(.slow(milliseconds: 1000, path: "auth/login", count: 1))
        async let other: Void = station.login("other@lab.test")
        try await station.met(.slow)
        let report = try await station.client.call(Endpoints.signOut, SignOut())
        try await other
        #expect(report.email == "other@lab.test")
        #expect(report.discarded == nil)
        let waiting = try await station.entries()
        #expect(waiting.map(\.state) == ["pending", "pending"])
        let end = try #require(try await events(station, "signedOut").last)
        #expect(end.account != waiting.first?.account)
        try await station.login()
        try await station.event("delivered", count: 2)
        try await station.end(SIGTERM)
    }

    @Test("drop: a sign-out that names another account is refused and discards nothing")
    func signOutNamingAnotherAccountIsRefused() async throws {
        let station = try await labLoop(outbox: "drop")
        let first = try #require(try await station.status().backends[0].session.account)
        _ = try await station.client.call(Endpoints.signOut, SignOut(account: first))
        try await station.login("other@lab.test")
        try await capture(1...2, station)
        let refused = await #expect(throws: Problem.self) {
            try await station.client.call(Endpoints.signOut, SignOut(account: first))
        }
        #expect(refused?.code == .wrongState && refused?.status == 409)
        #expect(refused?.detail.contains("other@lab.test is signed in now") == true, "\(String(describing: refused))")
        #expect(refused?.next?.contains("run: homing logout") == true)
        #expect(try await station.status().backends[0].session.email == "other@lab.test")
        #expect(try await station.entries().map(\.state) == ["pending", "pending"])
        #expect(try await events(station, "signOutFailed").map { $0.detail["reason"] } == ["the request named another account"])
        #expect(station.sandbox.ledger.requestCount(path: "auth/logout") == 1)
        try await station.end(SIGTERM)
    }

    @Test("drop: a late confirmation discards nothing of the new account") func lateConfirmationDiscardsNothingOfNewAccount() async throws {
        let station = try await labLoop(outbox: "drop")
        try await capture(1...1, station)
        let terminal = try PseudoTerminal()
        let output = Pipe()
        let logout = try station.begin(["logout"], output: output, input: try terminal.opened())
        _ = await output.fileHandleForReading.text(until: "Type the word ‘discard’ to continue: ")
        _ = try await station.client.call(Endpoints.signOut, SignOut())
        try await station.login("other@lab.test")
        try await station.appointment(2)
        try terminal.keyboard.write(contentsOf: Data("discard\n".utf8))
        let answer = await output.fileHandleForReading.text()
        #expect(await logout.status == 1)
        #expect(answer.contains("not the account that was to be signed out. Nothing was changed."), "\(answer)")
        #expect(try await station.status().backends[0].session.email == "other@lab.test")
        #expect(try await station.entry(2).state == "pending")
        try await station.end(SIGTERM)
    }

    @Test("drop: the next start finishes an interrupted sign-out", arguments: [SIGKILL, SIGTERM])
    func nextStartFinishesInterruptedSignOut(signal: Int32) async throws {
        let station = try await labLoop(outbox: "drop")
        try await capture(1...3, station)
        await station.sandbox.apply(Fault(.neverAnswer, path: "auth/logout"))
        let out = Task { try await station.client.call(Endpoints.signOut, SignOut()) }
        try await station.met(.neverAnswer)
        try await station.end(signal)
        _ = await out.result
        try await station.start()
        try await station.event("signedOut")
        #expect(try await station.entries("discarded").count == 3)
        #expect(try await events(station, "discarded").count == 3)
        let end = try #require(try await events(station, "signedOut").last)
        #expect(end.detail["by"]?.hasPrefix(me) == true)
        #expect(end.account == (try await station.entries("discarded")).first?.account)
        #expect(try await station.status().backends[0].session.state == "signedOut")
        try await station.end(SIGTERM)
    }

    @Test("refuse: a sign-out is refused until everything is delivered") func signOutIsRefusedUntilEverythingIsDelivered() async throws {
        let station = try await labLoop(outbox: "refuse")
        try await capture(1...2, station)
        let refused = try await station.homing("logout", "--yes")
        #expect(refused.code != 0)
        #expect(
            refused.text.contains("2 entries are waiting, and the profile of labloop forbids signing out before delivery."),
            "\(refused.text)")
        #expect(try await station.status().backends[0].session.state == "signedIn")
        #expect(station.sandbox.ledger.requestCount(path: "auth/logout") == 0)
        #expect(try await station.homing("resume").code == 0)
        try await station.event("delivered", count: 2)
        #expect(try await station.client.call(Endpoints.signOut, SignOut()).server == "ended")
        try await station.end(SIGTERM)
    }

    @Test("refuse: --force signs out and keeps the waiting entries") func forceSignsOutAndKeepsEntries() async throws {
        let station = try await labLoop(outbox: "refuse")
        try await capture(1...2, station)
        let forced = try await station.homing("logout", "--yes", "--force")
        #expect(forced.code == 0 && forced.text.contains("2 entries of manager@lab.test are waiting."), "\(forced.text)")
        #expect(try await station.status().backends[0].session.state == "signedOut")
        #expect(station.sandbox.ledger.requestCount(path: "auth/logout") == 1)
        #expect(try await station.entries("pending").count == 2)
        try await station.end(SIGTERM)
    }

    @Test("refuse: entries of another account do not block a sign-out") func entriesOfAnotherAccountDoNotBlockSignOut() async throws {
        let station = try await labLoop(outbox: "refuse")
        try await capture(1...2, station)
        station.sandbox.expireSessions(rememberTokens: true)
        #expect(try await station.homing("resume").code == 0)
        try await station.event("signInRequired")
        await station.sandbox.apply(.slow(milliseconds: 1000, path: "auth/login", count: 1))
        async let other: Void = station.login("other@lab.test")
        try await station.met(.slow)
        #expect(try await station.client.call(Endpoints.signOut, SignOut()).email == "other@lab.test")
        try await other
        try await station.end(SIGTERM)
    }

    @Test("hold: a sign-out discards nothing and does not ask") func signOutWithHoldDiscardsNothing() async throws {
        let station = try await labLoop(outbox: "hold")
        try await capture(1...2, station)
        #expect(try await station.status().backends[0].discardedBySigningOut == nil)
        let report = try await station.client.call(Endpoints.signOut, SignOut())
        #expect(report.waiting == 2)
        #expect(report.discarded == nil)
        try await station.end(SIGTERM)
    }
}
