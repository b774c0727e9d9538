import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

/// No entry is a dead end: a person can fix, resolve, export and discard it, and undo the discard.
@Suite struct WaysOutTests {
    private static let path = "facial_measurements_from_arkit"

    /// Signed in as the manager of Anna Example (7), with the list of people. User 10 belongs to another manager.
    private func station() async throws -> TestStation {
        let station = try await TestStation.people()
        try await station.signedIn()
        try await station.event("rosterChanged")
        return station
    }

    private func id(_ number: Int) -> String { Samples.id(number).description }

    private func receipt(_ station: TestStation, _ number: Int) async throws -> ReceiptReport {
        try await station.client.call(Endpoints.receipt, EntryReference(id: id(number)))
    }

    private func why(_ station: TestStation, _ number: Int) async throws -> Explanation {
        try await station.client.call(Endpoints.why, EntryReference(id: id(number)))
    }

    private func pause(_ station: TestStation) async throws {
        _ = try await station.client.call(Endpoints.pause, PauseRequest(reason: "a test"))
    }

    private func resume(_ station: TestStation) async throws { _ = try await station.client.call(Endpoints.resume, ResumeRequest()) }

    private func isDelivered(_ station: TestStation, _ number: Int) async throws {
        let id = id(number)
        try await station.event("delivered") { $0.entry == id }
    }

    // MARK: Fix

    @Test func captureOfAWrongPersonIsFixed() async throws {
        let station = try await station()
        try await station.submit(user: 10, id: 1)
        try await station.event("dead")
        #expect(station.sandbox.ledger.entries.isEmpty)

        let fix = FixRequest(id: id(1), newID: id(2), fields: ["user_id": "7"])
        let fixed = try await station.client.call(Endpoints.fix, fix)
        #expect(fixed.id == id(2) && !fixed.duplicate && fixed.lane == "users/7" && fixed.subject?.text == "Anna Example (7)")
        try await isDelivered(station, 2)
        #expect(station.sandbox.ledger.entries.map(\.user) == [7])
        #expect(station.sandbox.ledger.entries.map(\.clientMutationID) == [id(2)])

        let old = try await receipt(station, 1)
        #expect(old.outcome == "discarded" && old.supersededBy == id(2))
        #expect(try await why(station, 1).sentence.hasPrefix("Entry \(id(2)) replaced it at "))
        #expect(try await station.event("superseded")?.detail["new"] == id(2))
        let detail = try await station.client.call(Endpoints.entry, EntryReference(id: id(1)))
        #expect(detail.entry.supersededBy == id(2))
        // Nothing was thrown away.
        let status = try await station.status()
        #expect(status.backends.map(\.queue.discarded) == [0] && !status.sentence.contains("discarded"), "\(status.sentence)")
        let page = try await station.client.call(Endpoints.entries, EntryQuery(state: "discarded"))
        #expect(page.entries.map(\.supersededBy) == [id(2)])
        // Every change is refused in the same words.
        let (client, first) = (station.client, id(1))
        let changes: [@Sendable () async throws -> EntrySummary] = [
            { try await client.call(Endpoints.restore, EntryReference(id: first)) },
            { try await client.call(Endpoints.retry, RetryRequest(id: first)) },
            { try await client.call(Endpoints.discard, DiscardRequest(id: first)) },
            { try await client.call(Endpoints.resolve, ResolveRequest(id: first, delivered: false)) },
        ]
        for change in changes {
            let refusal = await #expect(throws: Problem.self) { try await change() }
            #expect(refusal?.detail == "Entry \(first) was corrected: entry \(id(2)) replaced it. Nothing was changed.")
            #expect(refusal?.next == "To see the state of the new entry and the next step, run: homing why \(id(2))")
            #expect(refusal?.supersededBy == id(2) && refusal?.code == .wrongState)
        }
        // The answer may have been lost.
        let again = try await station.client.call(Endpoints.fix, fix)
        #expect(again.duplicate && again.sequence == fixed.sequence)
        #expect(station.sandbox.ledger.entries.count == 1)
        try await station.end(SIGTERM)
    }

    /// The deletion must follow the refused capture, and nothing else is left.
    @Test func waitEndsIfAllThatIsLeftWaitsForAPerson() async throws {
        let station = try await station()
        try await station.submit(user: 10, id: 1)
        try await station.event("dead")
        try await station.submit("delete_managed_user", 2, user: "10")
        let told = try await station.homing("sync", "--wait", "--timeout", "600")
        #expect(told.code == 6 && told.text.contains("1 entry is waiting behind one that needs your decision."), "\(told.text)")
        #expect(try await station.entry(2).state == "pending")
        try await station.end(SIGTERM)
    }

    /// The older values must not win at the server.
    @Test func olderChangeIsNotSentAfterANewerOne() async throws {
        let station = try await station()
        try await pause(station)
        for number in 1...2 { try await station.nameUser("7", number) }
        try station.directory.write(Arrival.profile(3), to: "corrected.json")
        let submission = ["submit", station.directory("corrected.json"), "--route", "profile", "--user", "7"]
        let told = try await station.homing(submission + ["--supersedes", id(1)])
        let (older, newer) = (EntryName.short(id(1)), EntryName.short(id(2)))
        #expect(told.code != 0 && told.text.contains("Entry \(newer) is newer than entry \(older)."), "\(told.text)")
        #expect(told.text.contains("To let the newer one win, an administrator runs: homing discard \(older)"), "\(told.text)")

        _ = try await station.client.call(Endpoints.discard, DiscardRequest(id: id(1)))
        let again = try await station.homing(submission)
        #expect(again.code == 0, "\(again.text)")
        try await resume(station)
        try await station.event("delivered", count: 2)
        #expect(station.sandbox.ledger.arrivals.map(\.number) == [2, 3])
        try await station.end(SIGTERM)
    }

    @Test func fixKeepsPayloadAndTimeOfCapture() async throws {
        let station = try await station()
        try await pause(station)
        let payload = "{\"average_measurements\": {},\r\n\t\"n\": 1.50, \"é\": \"\\u00e9\"}"
        let day = try #require(JSONCoding.date("2025-03-11T14:00:00.042Z"))
        _ = try await station.client.call(
            Endpoints.submit,
            ControlAPI.Submission(
                route: "measurement", id: id(1), fields: ["user_id": "5"], payload: Data(payload.utf8), capturedAt: day))
        _ = try await station.client.call(Endpoints.fix, FixRequest(id: id(1), newID: id(2), fields: ["user_id": "7"]))
        let exported = try await station.client.call(Endpoints.export, EntryReference(id: id(2)))
        #expect(exported.payload.map { Data($0.utf8) } == Data(payload.utf8))
        #expect(exported.fields == ["user_id": "7"] && exported.entry.capturedAt == day)
        try await station.end(SIGTERM)
    }

    @Test func invalidFixChangesNothing() async throws {
        let station = try await station()
        try await pause(station)
        try await station.submit(user: 5, id: 1)
        func problem(_ fields: [String: String], strict: Bool = false) async -> Problem? {
            await #expect(throws: Problem.self) {
                try await station.client.call(Endpoints.fix, FixRequest(id: id(1), fields: fields, strict: strict))
            }
        }
        #expect(await problem(["user_id": "5"])?.next == "To send it again, run: homing retry \(id(1))")
        #expect(await problem(["user_id": "seven"])?.status == 400)
        #expect(await problem(["user": "7"])?.status == 400)
        #expect(await problem(["user_id": "77"], strict: true)?.code == .notListed)
        _ = try await station.client.call(Endpoints.signOut, SignOut())
        #expect(await problem(["user_id": "7"])?.code == .signInRequired)
        try await station.login("other@lab.test")
        let other = await problem(["user_id": "7"])
        #expect(other?.code == .signInRequired && other?.detail.contains("manager@lab.test") == true)
        #expect(try await station.entries().map(\.state) == ["pending"])
        try await station.end(SIGTERM)
    }

    // MARK: Resolve

    /// Two measurements that took effect without an answer. They are on hold: the profile has no look-up.
    private func twoHeld() async throws -> TestStation {
        let station = try await TestStation()
        let file = station.directory("backends/breathesafe.yaml")
        let marker = "    marker: /arkit_data/client_mutation_id\n"
        let profile = try String(contentsOfFile: file, encoding: .utf8).replacing(marker, with: marker + "    delivery: at-most-once\n")
        let edited = profile.replacing(try Regex("    find:\\n(      .*\\n)+"), with: "", maxReplacements: 1)
        try station.directory.write(edited, to: "backends/breathesafe.yaml")
        try await station.signedIn()
        await station.sandbox.apply(Fault(.commitThenCut, path: Self.path, count: 2))
        for number in 1...2 {
            try await station.submit(user: 4 + number, id: number)
            try await station.event("held", count: number)
        }
        return station
    }

    @Test func unknownOutcomesAreResolvedByAPerson() async throws {
        let station = try await twoHeld()
        #expect(try await why(station, 1).next?.contains("homing resolve \(id(1)) --delivered\n") == true)
        try await station.end(SIGKILL)
        try await station.start()

        let delivered = try await station.client.call(Endpoints.resolve, ResolveRequest(id: id(1), remoteID: "17", delivered: true))
        #expect(delivered.state == "delivered" && delivered.remoteID == "17" && !delivered.uncertain)
        let proof = try await receipt(station, 1)
        #expect(proof.outcome == "delivered" && proof.resolvedBy != nil && proof.status == nil)
        #expect(try await why(station, 1).sentence.hasSuffix(", as \(proof.resolvedBy ?? "") stated."))

        _ = try await station.client.call(Endpoints.resolve, ResolveRequest(id: id(2), delivered: false))
        try await isDelivered(station, 2)
        // The person was wrong about the second one: it is there twice.
        #expect(station.sandbox.ledger.requestCount("POST", path: Self.path) == 3)
        #expect(try await receipt(station, 2).resolvedBy == nil)

        let problem = await #expect(throws: Problem.self) {
            try await station.client.call(Endpoints.resolve, ResolveRequest(id: id(2), delivered: true))
        }
        #expect(problem?.code == .wrongState)
        try await station.end(SIGTERM)
    }

    @Test func createIsResolvedWithTheIDOfItsRow() async throws {
        let station = try await station()
        await station.sandbox.apply(Fault(.commitThenCut, path: "managed_users", count: 1))
        _ = try await station.client.call(Endpoints.submit, ControlAPI.Submission(route: "create_managed_user", id: id(1)))
        try await station.event("held") { $0.detail["reason"] == "unknownOutcome" }
        for remoteID in [nil, "", "seventeen", "@\(id(1))"] {
            let problem = await #expect(throws: Problem.self) {
                try await station.client.call(Endpoints.resolve, ResolveRequest(id: id(1), remoteID: remoteID, delivered: true))
            }
            #expect(problem?.status == 400 && problem?.next != nil, "\(remoteID ?? "none")")
        }
        let user = "\(try #require(station.sandbox.ledger.created.first))"
        try await station.refreshedPeople()
        let resolved = try await station.client.call(Endpoints.resolve, ResolveRequest(id: id(1), remoteID: user, delivered: true))
        #expect(resolved.state == "delivered" && resolved.remoteID == user)
        try await station.end(SIGTERM)
    }

    // MARK: Export and discard

    @Test func exportIsExactAndRecorded() async throws {
        let station = try await station()
        try await pause(station)
        try await station.submit(user: 7, id: 1)
        let exported = try await station.client.call(Endpoints.export, EntryReference(id: id(1)))
        #expect(exported.payload.map { Data($0.utf8) } == TestStation.measurement(1))
        #expect(exported.entry.state == "pending" && exported.entry.subject?.text == "Anna Example (7)")
        #expect(try await station.event("exported")?.entry == id(1))
        try await resume(station)
        try await isDelivered(station, 1)
        let problem = await #expect(throws: Problem.self) { try await station.client.call(Endpoints.export, EntryReference(id: id(1))) }
        #expect(problem?.code == .wrongState)
        try await station.end(SIGTERM)
    }

    @Test func discardIsUndoneAfterARestart() async throws {
        let station = try await station()
        try await pause(station)
        try await station.submit(user: 7, id: 1)
        let request = DiscardRequest(id: id(1), grace: 600, reason: "the wrong room")
        let discarded = try await station.client.call(Endpoints.discard, request)
        let due = try #require(discarded.discardAt)
        #expect(discarded.state == "held" && discarded.holdReason == "discarding")
        let explanation = try await why(station, 1)
        #expect(explanation.sentence.contains(" discarded it. Its payload will be destroyed at "))
        #expect(explanation.sentence.hasSuffix(". Reason: “the wrong room”."))
        let repeated = try await station.submit(user: 7, id: 1)
        #expect(repeated.duplicate && repeated.warning?.hasSuffix("an administrator can undo this: homing undo \(id(1))") == true)
        #expect(explanation.next == "To undo this, run: homing undo \(id(1))" && !explanation.needsPerson)
        let status = try await station.status()
        #expect(status.attention.allSatisfy { $0.code != "held" }, "\(status.attention)")
        #expect(status.backends.map(\.queue.held) == [0] && status.backends.map(\.queue.discarding) == [1])
        #expect(try await station.event("held")?.detail["note"] == "the wrong room")
        let retry = await #expect(throws: Problem.self) { try await station.client.call(Endpoints.retry, RetryRequest(id: id(1))) }
        #expect(retry?.next == "To undo this, an administrator runs: homing undo \(id(1))")

        try await station.end(SIGKILL)
        try await station.start()
        #expect(try await station.entry(1).discardAt == due)
        let restored = try await station.client.call(Endpoints.restore, EntryReference(id: id(1)))
        #expect(restored.state == "pending" && restored.discardAt == nil && restored.holdReason == nil)
        let again = await #expect(throws: Problem.self) { try await station.client.call(Endpoints.restore, EntryReference(id: id(1))) }
        #expect(again?.code == .wrongState && again?.next != nil)
        try await resume(station)
        try await isDelivered(station, 1)
        #expect(station.sandbox.ledger.entries.map(\.user) == [7])
        try await station.end(SIGTERM)
    }

    @Test func contentIsDestroyedAfterTheGrace() async throws {
        let station = try await station()
        try await pause(station)
        for number in 1...2 { try await station.submit(user: 7, id: number) }
        _ = try await station.client.call(Endpoints.discard, DiscardRequest(id: id(1), grace: 1))
        try await station.event("discarded") { $0.entry == id(1) }
        #expect(try await receipt(station, 1).discardedBy != nil)
        // Due while no daemon runs.
        _ = try await station.client.call(Endpoints.discard, DiscardRequest(id: id(2), grace: 1))
        try await station.end(SIGKILL)
        try await station.start()
        try await station.event("discarded", count: 2)
        let problem = await #expect(throws: Problem.self) { try await station.client.call(Endpoints.restore, EntryReference(id: id(2))) }
        #expect(problem?.detail == "Entry \(id(2)) was discarded, and its payload is destroyed.")
        try await resume(station)
        #expect(station.sandbox.ledger.entries.isEmpty)
        try await station.end(SIGTERM)
    }
}
