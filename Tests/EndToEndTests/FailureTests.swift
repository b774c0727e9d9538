import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

@Suite struct FailureTests {
    @Test func lockedResponseDelaysItsLaneWithoutCountingAttempts() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        await station.sandbox.apply(.error(423, path: "users/5/facial_measurements_from_arkit", count: 1))
        try await station.submit(user: 5, id: 1)
        try await station.met(.error)
        try await station.submit(user: 6, id: 2)
        try await station.event("delivered") { $0.entry == Samples.id(2).description }
        let entry = try await station.entry(1)
        #expect(entry.state == "pending" && entry.attempts == 0)
        let why = try await station.homing("why", Samples.id(1).description).text
        #expect(why.hasPrefix("Homing tries again at"), "\(why)")
        try await station.sync()
        try await station.event("delivered", count: 2)
        #expect(try await station.entry(1).attempts == 0)
        try await station.end(SIGTERM)
    }

    @Test func entryWithLostResponseIsLookedUpNotResent() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        await station.sandbox.apply(Fault(.commitThenCut, path: "facial_measurements_from_arkit", count: 1))
        try await station.submit(id: 1)
        let delivered = try await station.event("delivered")
        #expect(delivered?.detail["foundByLookup"] == "true")
        #expect(station.sandbox.ledger.entries.count == 1)
        #expect(try await station.entry(1).attempts == 0)
        try await station.end(SIGTERM)
    }

    @Test(arguments: [FaultName.loginPageAfterCommit, .truncated])
    func entryWithUnreadableResponseIsLookedUpNotResent(fault: FaultName) async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        await station.sandbox.apply(Fault(fault, path: "facial_measurements_from_arkit", count: 1))
        try await station.submit(id: 1)
        #expect(try await station.event("delivered")?.detail["foundByLookup"] == "true")
        #expect(station.sandbox.ledger.entries.map(\.clientMutationID) == [Samples.id(1).description])
        #expect(try await station.entry(1).attempts == 0)
        #expect(try await station.homing("status").code == 0)
        try await station.end(SIGTERM)
    }

    /// The limit of the guarantee: without a lookup, an entry with a lost response is sent again.
    @Test func entryWithoutLookupIsResentAfterLostResponse() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        await station.sandbox.apply(Fault(.commitThenCut, path: "fit_tests", count: 1))
        _ = try await station.client.call(
            Endpoints.submit,
            ControlAPI.Submission(
                route: "fit_test", id: Samples.id(1).description, fields: ["user_id": "5"], payload: Data(#"{"mask_id":1}"#.utf8)))
        // The daemon itself would wait longer than a server can hang.
        try await station.event("released")
        #expect(try await station.homing("retry", Samples.id(1).description, "--without-looking", "--yes").code == 0)
        try await station.event("delivered")
        #expect(station.sandbox.ledger.entries.filter { $0.path == "/fit_tests" }.count == 2)
        let detail = try await station.client.call(Endpoints.entry, EntryReference(id: Samples.id(1).description))
        #expect(detail.attempts.map(\.verdict) == ["unknown", "accepted"])
        #expect(detail.entry.attempts == 0)
        try await station.end(SIGTERM)
    }

    @Test func atMostOnceEntryIsHeldAfterLostResponse() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        await station.sandbox.apply(Fault(.commitThenCut, path: "managed_users", count: 1))
        _ = try await station.client.call(
            Endpoints.submit, ControlAPI.Submission(route: "create_managed_user", id: Samples.id(1).description))
        try await station.event("held")
        #expect(try await station.entry(1).holdReason == "unknownOutcome")
        #expect(station.sandbox.ledger.entries.filter { $0.path == "/managed_users" }.count == 1)
        #expect(try await station.homing("status").code == 6)
        #expect(try await station.homing("why", Samples.id(1).description).text.contains("may have taken effect"))
        try await station.end(SIGTERM)
    }

    @Test func entryIsLookedUpAfterServerError() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        await station.sandbox.apply(Fault(.internalErrorAfterCommit, path: "facial_measurements_from_arkit", count: 1))
        try await station.submit(id: 1)
        #expect(try await station.event("delivered")?.detail["foundByLookup"] == "true")
        #expect(station.sandbox.ledger.entries.count == 1)
        try await station.end(SIGTERM)
    }

    @Test func atMostOnceEntryIsHeldAfterServerError() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        await station.sandbox.apply(Fault(.internalErrorAfterCommit, path: "managed_users", count: 1))
        _ = try await station.client.call(
            Endpoints.submit, ControlAPI.Submission(route: "create_managed_user", id: Samples.id(1).description))
        try await station.event("held")
        #expect(station.sandbox.ledger.entries.filter { $0.path == "/managed_users" }.count == 1)
        try await station.end(SIGTERM)
    }

    @Test func entryFailsAfterThreeAttemptsUntilRetried() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        await station.sandbox.apply(Fault(.internalError, path: "users/5/facial_measurements_from_arkit"))
        try await station.submit(id: 1)
        try await station.letOthersThrough(user: 6, from: 2, whileFailing: 1)
        #expect(try await station.entry(1).state == "dead")
        #expect(try await station.entry(1).attempts == 3)
        #expect(try await station.homing("status").code == 6)

        station.sandbox.clearFaults()
        #expect(try await station.homing("retry", Samples.id(1).description).code == 0)
        try await station.event("delivered") { $0.entry == Samples.id(1).description }
        #expect(station.sandbox.ledger.entries.filter { $0.user == 5 }.count == 1)
        #expect(try await station.homing("status").code == 0)
        try await station.end(SIGTERM)
    }

    @Test(arguments: [FaultName.loginPage, .redirect])
    func aLoginPageIsNeverTakenForSuccess(fault: FaultName) async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        await station.sandbox.apply(Fault(fault))
        try await station.submit(id: 1)
        try await station.event("gateChanged") { $0.detail["reason"] == "intercepted" }
        let check = try await station.homing("check")
        #expect(check.code == 1 && check.text.contains("because the answer does not come from the backend"), "\(check.text)")
        #expect(try await station.status().attention.first?.code == "network-sign-in")
        // The outcome is stored shortly after the gate event.
        #expect(["inflight", "pending"].contains(try await station.entry(1).state))
        station.sandbox.clearFaults()
        try await station.event("delivered")
        #expect(station.sandbox.ledger.entries.count == 1)
        #expect(try await station.entry(1).attempts == 0)
        try await station.end(SIGTERM)
    }

    /// The server knows no such user. One answer does not tell whether the backend is ill.
    @Test func captureForAnUnknownPersonDoesNotBlameTheBackend() async throws {
        let station = try await TestStation(delivery: "first_pause: 600")
        try await station.start()
        try await station.login()
        try await station.submit(user: 99_999, id: 1)
        try await station.event("released") { $0.detail["status"] == "404" }
        let status = try await station.status()
        #expect(
            status.sentence.hasPrefix(
                "1 capture is safe here and waits, because the backend refused an entry: BreatheSafe has no user 99999. Homing "),
            "\(status.sentence)")
        let id = EntryName.short(Samples.id(1).description)
        #expect(status.sentence.hasSuffix("; ‘homing fix \(id) --user USER’ corrects it."), "\(status.sentence)")
        let why = try await station.homing("why", Samples.id(1).description)
        #expect(why.text.contains("BreatheSafe has no user 99999."), "\(why.text)")
        // Only a person can correct it.
        let shown = try await station.homing("status")
        #expect(shown.code == 6 && shown.text.contains("Needs a person:\n  • breathesafe refused one capture: "), "\(shown.text)")
        let check = try await station.homing("check")
        #expect(check.code == 1 && check.text.hasPrefix("HOMING WARNING - breathesafe refused one capture."), "\(check.text)")

        // The server has not seen the correction yet, so it has not refused it.
        let fixed = try await station.homing("fix", id, "--user", "5")
        #expect(fixed.code == 0, "\(fixed.text)")
        let now = try await station.status()
        #expect(!now.sentence.contains("refused") && !now.sentence.contains("not accept"), "\(now.sentence)")
        #expect(now.attention.allSatisfy { $0.knownCode != .routeFailing }, "\(now.attention)")
        let next = try await station.homing("why", "2")
        #expect(!next.text.contains("refused") && !next.text.contains("no user"), "\(next.text)")
        try await station.end(SIGTERM)
    }

    /// Each notice ends with what a person does about its own entry.
    @Test func refusalsOnTwoRoutesAreOvercomeOneByOne() async throws {
        let station = try await TestStation(delivery: "first_pause: 600")
        try station.keepResources()
        try await station.start()
        try await station.login()
        try await station.submit(user: 99_999, id: 1)
        let change = ControlAPI.Submission(
            route: "profile", id: Samples.id(2).description, fields: ["user_id": "99998"], payload: Data(#"{"first_name":"Anna"}"#.utf8))
        _ = try await station.client.call(Endpoints.submit, change)
        try await station.event("released", count: 2) { $0.detail["status"] == "404" }
        func refusals() async throws -> [String] {
            try await station.status().attention.filter { $0.knownCode == .routeFailing }.map(\.text)
        }
        let id = EntryName.short(Samples.id(2).description)
        let capture = "breathesafe refused one capture, and 1 other entry is waiting: BreatheSafe has no user 99999."
        let edit = "breathesafe refused one person change, and 1 other entry is waiting: BreatheSafe has no user 99998."
        let both = try await refusals()
        #expect(both.count == 2 && both.first?.hasPrefix(capture) == true && both.last?.hasPrefix(edit) == true, "\(both)")
        #expect(both.last?.hasSuffix("; ‘homing fix \(id) --user USER’ corrects it.") == true, "\(both)")
        let why = try await station.homing("why", id)
        #expect(why.text.contains("To make this change for another person, run: homing fix \(id) --user USER"), "\(why.text)")

        let fixed = try await station.homing("fix", id, "--user", "5")
        #expect(fixed.code == 0, "\(fixed.text)")
        let one = try await refusals()
        #expect(one.count == 1 && one.first?.hasPrefix(capture) == true, "\(one)")
        #expect(try await station.homing("discard", Samples.id(1).description, "--yes").code == 0)
        #expect(try await refusals() == [])
        #expect(try await !station.status().sentence.contains("refused"))
        let next = try await station.homing("why", "3")
        #expect(next.text.contains("It is the next to be sent"), "\(next.text)")

        #expect(try await station.homing("sync").code == 0)
        try await station.event("delivered")
        let delivered = try await station.entries("delivered")
        #expect(delivered.map(\.route) == ["profile"] && delivered.first?.subject?.id == "5", "\(delivered)")
        #expect(try await refusals() == [])
        try await station.end(SIGTERM)
    }

    @Test func unavailableWithRetryAfterCountsNoAttempt() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        await station.sandbox.apply(.unavailable(retryAfter: 1, path: "facial_measurements_from_arkit", count: 1))
        for number in 1...3 { try await station.submit(user: 4 + number, id: number) }
        try await station.event("delivered", count: 3)
        #expect(try await station.entries("delivered").allSatisfy { $0.attempts == 0 })
        try await station.end(SIGTERM)
    }

    @Test func refusedEntryDoesNotBlockOtherLanes() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        try await station.submit(user: 10, id: 1)  // user 10 belongs to another account, so the server refuses at once
        for number in 2...5 { try await station.submit(user: 5, id: number) }
        try await station.event("delivered", count: 4)
        try await station.event("dead")
        #expect(try await station.entry(1).lastError == "breathesafe answered: Not managed by current user.")
        try await station.end(SIGTERM)
    }

    @Test func unansweredRequestDoesNotDelayStopOrLoseEntry() async throws {
        let station = try await TestStation()
        try await station.start()
        try await station.login()
        await station.sandbox.apply(Fault(.neverAnswerAfterCommit, path: "facial_measurements_from_arkit"))
        try await station.submit(id: 1)
        await station.sandbox.ledger.waits { !$0.entries.isEmpty }
        let started = ContinuousClock.now
        #expect(try await station.end(SIGTERM) == 0)
        #expect(ContinuousClock.now - started < TestStation.hang)

        station.sandbox.clearFaults()
        try await station.start()
        let delivered = try await station.event("delivered")
        #expect(delivered?.detail["foundByLookup"] == "true")
        #expect(station.sandbox.ledger.entries.count == 1)
        try await station.end(SIGTERM)
    }

    @Test func secondDaemonIsRefusedAndTheFirstContinues() async throws {
        let station = try await TestStation()
        try await station.start()
        let error = await #expect(throws: StationError.self) { try await station.start() }
        #expect(error?.description.contains("Another daemon is already running") == true)
        #expect(try await station.homing("status").code == 0)
        try await station.end(SIGTERM)
    }
}
