import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import Synchronization
import TestSupport
import Testing

/// Lists and answers with an id that Homing must not guess about: 7 is Anna Example in row 3, and 5 is Eve Lab in row 2.
@Suite struct DoubtfulIDTests {
    /// Edits the bodies of the answers about people to requests of one method.
    private final class Edit: Sendable {
        private let edit = Mutex<(method: String, old: String, new: String)?>(nil)

        func set(_ method: String, _ old: String, _ new: String) { edit.withLock { $0 = (method, old, new) } }
        func clear() { edit.withLock { $0 = nil } }

        func answer(_ request: SandboxRequest, _ response: SandboxResponse) -> SandboxResponse {
            guard let edit = edit.withLock({ $0 }), request.method == edit.method, request.path == "/managed_users" else { return response }
            var response = response
            let text = String(decoding: response.body, as: UTF8.self)
            response.body = Array(text.replacingOccurrences(of: edit.old, with: edit.new, options: .regularExpression).utf8)
            return response
        }
    }

    private let edit = Edit()

    private func station() async throws -> TestStation {
        let station = try await TestStation.people { [edit] in edit.answer($0, $1) }
        try await station.signedIn()
        try await station.event("rosterChanged")
        return station
    }

    private func deletes(_ station: TestStation) -> [String] {
        station.sandbox.ledger.requests.filter { $0.method == "DELETE" && $0.path.hasPrefix("/managed_users") }.map(\.path)
    }

    private func delete(_ user: String, _ number: Int, _ station: TestStation) async throws {
        try await station.submit("delete_managed_user", number, user: user)
    }

    @Test func deleteOfAPersonInTwoRowsNeedsAPerson() async throws {
        let station = try await station()
        edit.set("GET", #""managed_id":5\b"#, #""managed_id":7"#)
        try await delete("7", 1, station)
        let held = try await station.settled(1, as: "held")
        #expect(held.holdReason == "profile" && held.attempts == 0 && !held.uncertain)
        let why = try await station.why(1)
        #expect(
            why.sentence.contains("2 people at breathesafe fit this entry (rows ") && why.sentence.hasSuffix("Nothing was deleted."),
            "\(why.sentence)")
        #expect(["2", "3"].allSatisfy { why.sentence.contains($0) } && why.needsPerson)
        #expect(why.next?.contains("homing retry \(Samples.id(1))") == true, "\(why.next ?? "")")
        #expect(deletes(station).isEmpty)

        let told = try await station.homing("retry", Samples.id(1).description)
        #expect(told.code == 0, "\(told.text)")
        try await station.event("held", count: 2)
        #expect(deletes(station).isEmpty)
        edit.clear()
        try await station.retry(1)
        try await station.settled(1, as: "delivered")
        #expect(deletes(station) == ["/managed_users/3"])
        try await station.end(SIGTERM)
    }

    @Test(arguments: ["7.0", "70e-1"]) func deleteFindsTheNumberInAnotherSpelling(spelling: String) async throws {
        let station = try await station()
        edit.set("GET", #""managed_id":7\b"#, #""managed_id":\#(spelling)"#)
        try await delete("7", 1, station)
        try await station.settled(1, as: "delivered")
        #expect(try await station.receipt(1).foundByLookup == false)
        #expect(deletes(station) == ["/managed_users/3"])
        try await station.end(SIGTERM)
    }

    /// The person is there, so the delete is not done.
    @Test(arguments: [#""7""#, #""007""#, "7.00000000000000000000001"]) func deleteOfADoubtfulIDNeedsAPerson(spelling: String) async throws
    {
        let station = try await station()
        edit.set("GET", #""managed_id":7\b"#, #""managed_id":\#(spelling)"#)
        try await delete("7", 1, station)
        try await station.settled(1, as: "held")
        let why = try await station.why(1)
        #expect(why.sentence.contains("another spelling of 7. Nothing was deleted.") && why.needsPerson, "\(why.sentence)")
        #expect(deletes(station).isEmpty)
        try await station.end(SIGTERM)
    }

    @Test(arguments: [#""12""#, "0", "-12", "12.5", "null"]) func createWithoutAUsableIDIsSentOnceAndResolved(id: String) async throws {
        let station = try await station()
        edit.set("POST", #""managed_id":[0-9]+"#, #""managed_id":\#(id)"#)
        try await station.create(1)
        try await station.measure(TestStation.reference(to: 1), 2)
        let held = try await station.settled(1, as: "held")
        #expect(held.holdReason == "unknownOutcome" && held.uncertain && held.remoteID == nil)
        let why = try await station.why(1)
        #expect(why.sentence.contains("without a usable id of the new row") && why.needsPerson, "\(why.sentence)")
        #expect(why.next?.contains("homing resolve") == true, "\(why.next ?? "")")
        edit.clear()
        try await station.sync()
        #expect(station.sandbox.ledger.created.count == 1)

        let user = "\(try #require(station.sandbox.ledger.created.first))"
        try await station.refreshedPeople()
        _ = try await station.client.call(
            Endpoints.resolve, ResolveRequest(id: Samples.id(1).description, remoteID: user, delivered: true))
        try await station.settled(2, as: "delivered")
        #expect(station.sandbox.ledger.requestCount("POST", path: "managed_users") == 1)
        #expect(station.sandbox.ledger.arrivals.map(\.user).suffix(1) == [Int(user)])
        try await station.end(SIGTERM)
    }

    @Test func createIsDeliveredWithANumberInAnotherSpelling() async throws {
        let station = try await station()
        edit.set("POST", #""managed_id":([0-9]+)"#, #""managed_id":$1.0"#)
        try await station.create(1)
        try await station.measure(TestStation.reference(to: 1), 2)
        try await station.allSettled(1...2)
        #expect(try await station.receipt(1).remoteID.flatMap { Int($0) } == station.sandbox.ledger.created.first)
        try await station.end(SIGTERM)
    }
}
