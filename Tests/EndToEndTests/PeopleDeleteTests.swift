import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import Synchronization
import TestSupport
import Testing

/// Deleting people: 9 is Zoë Quiroga in row 1, 5 is Eve Lab in row 2, 7 is Anna Example in row 3; 10 in row 4 belongs to another manager.
@Suite struct PeopleDeleteTests {
    private func deletes(_ station: TestStation) -> [String] {
        station.sandbox.ledger.requests.filter { $0.method == "DELETE" && $0.path.hasPrefix("/managed_users") }.map(\.path)
    }

    @discardableResult
    private func delete(_ user: String, _ number: Int, _ station: TestStation) async throws -> SubmissionReceipt {
        try await station.submit("delete_managed_user", number, user: user)
    }

    /// The ids in the list, read again.
    private func listed(_ station: TestStation) async throws -> Set<String> {
        _ = try await station.refreshedPeople()
        return Set(try await station.people().rows.map(\.id))
    }

    @Test func deletesThePersonByTheRowAfterAllCaptures() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.down()
        for number in 1...2 { try await station.measure("7", number) }
        try await station.nameUser("7", 3)
        let unconfirmed = try await station.homing("people", "delete", "Anna Example")
        #expect(unconfirmed.code != 0 && unconfirmed.text.contains("--yes"), "\(unconfirmed.text)")
        let told = try await station.homing("people", "delete", "Anna Example", "--yes", "--id", Samples.id(4).description)
        #expect(told.code == 0 && told.text.contains("The deletion of Anna Example (7) is stored safely"), "\(told.text)")
        #expect(told.text.contains("homing discard "), "\(told.text)")
        let why = try await station.homing("why", Samples.id(4).description)
        #expect(why.text.contains("Anna Example (7)") && why.text.contains("3 earlier entries"), "\(why.text)")

        try await station.sandbox.up()
        try await station.sync()
        try await station.allSettled(1...4)
        let ledger = station.sandbox.ledger
        #expect(ledger.entries.count == 4 && ledger.deleted == [7])
        #expect(ledger.entries.last?.path == "/managed_users/3" && ledger.entries.last?.method == "DELETE")
        #expect(try await listed(station) == ["5", "9"])
        #expect(try await station.receipt(4).foundByLookup == false)
        try await station.end(SIGTERM)
    }

    @Test func acceptedDeletionIsMarkedAndLaterCapturesAreWarnedOf() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.down()
        try await station.create(1)
        #expect(try await station.measure("7", 2).warning == nil)
        try await delete("7", 3, station)
        try await delete(TestStation.reference(to: 1), 4, station)
        let deletion = Samples.id(3).description
        let new = [TestStation.reference(to: 1): Samples.id(4).description]
        #expect(try await marks(station) == new.merging(["7": deletion]) { $1 })
        let table = try await station.homing("people").text
        #expect(table.contains("Anna Example (being deleted)") && table.contains("new person (new, being deleted)"), "\(table)")

        let warning = "Anna Example (7) will be deleted: the deletion was accepted before this measurement."
        #expect(try await station.measure("7", 5).warning == warning)
        #expect(try await station.measure(TestStation.reference(to: 1), 6).warning?.contains(" will be deleted: ") == true)
        let strict = ControlAPI.Submission(
            route: "measurement", fields: ["user_id": "7"], payload: TestStation.measurement(7), strict: true)
        let problem = await #expect(throws: Problem.self) { try await station.client.call(Endpoints.submit, strict) }
        #expect(problem?.code == .notListed && problem?.detail == "Nothing was accepted: \(warning)")
        #expect(problem?.next?.hasSuffix("runs: homing discard \(deletion)") == true)
        // A repeated submission was accepted before the deletion.
        #expect(try await station.measure("7", 2).warning == nil)

        // A correction of the earlier capture takes its place, before the deletion.
        let fixed = try await station.client.call(
            Endpoints.fix, FixRequest(id: Samples.id(2).description, fields: ["user_id": "9"]))
        let back = try await station.client.call(Endpoints.fix, FixRequest(id: fixed.id, fields: ["user_id": "7"], strict: true))
        #expect(back.warning == nil)

        _ = try await station.client.call(Endpoints.discard, DiscardRequest(id: deletion, grace: 600))
        #expect(try await marks(station) == new)
        #expect(try await station.measure("7", 8).warning == nil)
        _ = try await station.client.call(Endpoints.restore, EntryReference(id: deletion))
        #expect(try await marks(station)["7"] == deletion)
        _ = try await station.client.call(Endpoints.discard, DiscardRequest(id: deletion))
        #expect(try await marks(station) == new)
        try await station.end(SIGTERM)
    }

    /// The answer to a deletion, and all later answers about the list, are server errors.
    private final class Outage: Sendable {
        private let hasBegun = Mutex(false)

        func answer(_ request: SandboxRequest, _ response: SandboxResponse) -> SandboxResponse {
            guard request.path.hasPrefix("/managed_users") else { return response }
            let fails = hasBegun.withLock { begun in
                begun = begun || request.method == "DELETE"
                return begun
            }
            return fails ? SandboxResponse(status: 502) : response
        }
    }

    /// The list cannot be read, so the deletion waits for half a minute or longer.
    @Test func syncSaysUntilWhenADeletionWithALostAnswerWaits() async throws {
        let outage = Outage()
        let station = try await TestStation.people(
            delivery: "first_delay: 0.05, lookup_after: 3600, first_pause: 0.1", answering: outage.answer)
        try await station.signedIn()
        try await station.event("rosterChanged")
        try await delete("7", 1, station)
        // Of the lost answer, and of the list that cannot be read.
        let released = try #require(try await station.event("released", count: 2))
        let (due, isUncertain) = (try await station.entry(1).dueAt, try await station.entry(1).uncertain)
        #expect(isUncertain && due.map { $0 > released.at.addingTimeInterval(20) } == true)
        let report = try await station.client.call(Endpoints.sync, SyncRequest())
        let words = "It is not known whether the last send took effect at breathesafe. So that"
        #expect(report.waiting == 1 && report.obstacle?.hasPrefix(words) == true, "\(report)")
        #expect(try await station.entry(1).dueAt == due)
        try await station.end(SIGTERM)
    }

    /// A deletion may name the row by the entry that created it, and a capture by the server's id, or the other way round.
    @Test func deletionOfACreatedRowIsMarkedUnderItsNewID() async throws {
        let station = try await TestStation.signedInWithPeople()
        try await station.create(1)
        try await station.settled(1, as: "delivered")
        let id = try #require(try await station.receipt(1).remoteID)
        _ = try await station.refreshedPeople()
        await station.sandbox.down()
        try await delete(TestStation.reference(to: 1), 2, station)
        #expect(try await marks(station) == [id: Samples.id(2).description])
        for (number, subject) in [(3, id), (4, TestStation.reference(to: 1))] {
            let warning = try await station.measure(subject, number).warning
            #expect(warning?.hasSuffix(" (\(id)) will be deleted: the deletion was accepted before this measurement.") == true)
        }
        try await station.sandbox.up()
        try await station.sync()
        try await station.settled(2, as: "delivered")
        #expect(try await marks(station) == [:])
        try await station.end(SIGTERM)
    }

    /// The entries that delete rows of the list, by row.
    private func marks(_ station: TestStation) async throws -> [String: String] {
        let rows = try await station.people().rows
        return Dictionary(uniqueKeysWithValues: rows.compactMap { row in row.deletion.map { (row.id, $0) } })
    }

    @Test func deletesANewPersonAfterItsCreate() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.down()
        try await station.create(1)
        try await station.measure(TestStation.reference(to: 1), 2)
        try await delete(TestStation.reference(to: 1), 3, station)
        try await station.sandbox.up()
        try await station.sync()
        try await station.allSettled(1...3)
        let ledger = station.sandbox.ledger
        #expect(ledger.created.count == 1 && ledger.deleted == ledger.created && ledger.entries.count == 3)
        #expect(try await listed(station) == ["5", "7", "9"])
        try await station.end(SIGTERM)
    }

    @Test func failedCaptureStopsTheDeleteUntilAPersonDecides() async throws {
        let station = try await TestStation.signedInWithPeople()
        try await station.pauseSending()
        _ = try await station.submit("measurement", 1, user: "7", #"{"average_measurements":{"1-2":{"value":-1,"description":"a"}}}"#)
        try await delete("7", 2, station)
        try await station.resumeSending()
        try await station.settled(1, as: "dead")
        let why = try await station.why(2)
        #expect(why.needsPerson && why.sentence.contains("has failed"), "\(why.sentence)")
        #expect(deletes(station).isEmpty)
        let told = try await station.homing("discard", Samples.id(1).description, "--yes", "--now")
        #expect(told.code == 0, "\(told.text)")
        try await station.settled(2, as: "delivered")
        #expect(station.sandbox.ledger.deleted == [7])
        try await station.end(SIGTERM)
    }

    /// The list no longer has the person, so nothing may be sent.
    @Test func personOfAnotherManagerIsLeftAlone() async throws {
        let station = try await TestStation.signedInWithPeople()
        let receipt = try await delete("10", 1, station)
        #expect(receipt.warning != nil)
        try await station.settled(1, as: "delivered")
        #expect(try await station.receipt(1).foundByLookup)
        #expect(deletes(station).isEmpty && station.sandbox.ledger.entries.isEmpty)
        try await station.end(SIGTERM)
    }

    @Test func lostAnswerIsSettledByReadingAgain() async throws {
        let station = try await TestStation.signedInWithPeople()
        await station.sandbox.apply(Fault(.commitThenCut, path: "/managed_users/", method: "DELETE", count: 1))
        try await delete("7", 1, station)
        try await station.settled(1, as: "delivered")
        #expect(try await station.receipt(1).foundByLookup)
        #expect(station.sandbox.ledger.deleted == [7] && deletes(station) == ["/managed_users/3"])
        try await station.end(SIGTERM)
    }

    /// Replaces the next responses with a list.
    private final class Lists: Sendable {
        private let hidden = Mutex(0)

        func hideNext(_ count: Int) { hidden.withLock { $0 = count } }

        func answer(_ request: SandboxRequest, _ response: SandboxResponse) -> SandboxResponse {
            guard request.method == "GET", request.path == "/managed_users" else { return response }
            let isHidden = hidden.withLock { left in
                defer { left = max(0, left - 1) }
                return left > 0
            }
            guard isHidden else { return response }
            return .json(200, ["managed_users": [], "messages": [], "total_count": 0, "page": 1, "per_page": 100])
        }
    }

    @Test func listThatChangesBetweenTheReadsProvesNothing() async throws {
        let lists = Lists()
        let station = try await TestStation.people { lists.answer($0, $1) }
        try await station.signedIn()
        try await station.event("rosterChanged")
        lists.hideNext(1)
        try await delete("7", 1, station)
        try await station.event("released") { $0.detail["message"]?.contains("changed while Homing read it") == true }
        let entry = try await station.entry(1)
        #expect(entry.state == "pending" && entry.attempts == 0)
        #expect(deletes(station).isEmpty)
        try await station.end(SIGTERM)
    }

    @Test(arguments: [
        "send:before:DELETE /managed_users/3:1", "send:after:DELETE /managed_users/3:1", "receive:after:deleted successfully:1",
        "receive:after:deleted successfully:1;sync:before:outbox.sqlite-wal:1",
        "receive:after:deleted successfully:1;sync:after:outbox.sqlite-wal:1",
    ])
    func killAroundTheSendDeletesNobodyElse(place: String) async throws {
        let station = try await TestStation.people()
        try await station.start()
        try await station.login(remember: true)
        try await station.event("rosterChanged")
        try await station.end(SIGTERM)
        try await station.dies(at: place) {
            try await station.submit("delete_managed_user", 1, user: "7")
            try await station.settled(1, as: "delivered")
        }
        try await station.start()
        try await station.settled(1, as: "delivered")
        #expect(station.sandbox.ledger.deleted == [7])
        #expect(try await listed(station) == ["5", "9"])
        try await station.end(SIGTERM)
    }
}

extension Ledger {
    /// The deleted people, in order.
    fileprivate var deleted: [Int] { entries.filter { $0.method == "DELETE" }.compactMap(\.user) }
}
