import Backends
import Delivery
import Foundation
import SyncModel
import TestSupport
import Testing

/// Entries whose row is read just before they are sent.
struct CourierRowTests {
    private let scripted: ScriptedCourier
    private var server: ScriptedBackend { scripted.server }
    private var clock: TestClock { scripted.clock }
    private var courier: Courier { scripted.courier }

    private static let list = "GET /people"

    init() async throws { scripted = try await ScriptedCourier(Self.profile) }

    private static let profile = Samples.cookieProfile(
        """
        routes:
          remove:
            request: DELETE /rows/{row./row}
            fields: {user_id: {type: integer, reference: people}}
            deletes: people
            row: {resource: people, where: {/id: "{item.user_id}"}, fresh: true}
            absent_is_done: true
            empty: true
        resources:
          people: {request: GET /people, list: /people, id: /id, keep: [/row]}
        """)

    private func entry(_ user: JSONValue = 28, subject: RosterID = "28", _ change: (inout Entry) -> Void = { _ in }) -> Entry {
        var mutation = Samples.mutation(1)
        (mutation.route, mutation.fields, mutation.payload, mutation.subject) = ("remove", ["user_id": user], nil, subject)
        return Samples.entry(mutation, change)
    }

    /// Without the checks of the account.
    private var log: [String] { server.log.filter { $0 != "GET /me" } }

    /// The number of one row is the id of the other.
    private static let rows = #"{"people":[{"id":23,"row":28},{"id":28,"row":23}]}"#

    @Test func deletesByTheNumberOfTheRowThatItRead() async {
        server.answer(Self.list, 200, Self.rows)
        server.answer("DELETE /rows/23", 200, "{}")
        let attempt = await courier.attempt(entry())
        #expect(attempt.verdict.name == .accepted && attempt.wasSent)
        #expect(log == [Self.list, "DELETE /rows/23"])
        // The account is confirmed between the read and the send.
        #expect(server.log.dropLast().last == "GET /me")
    }

    @Test func deletesTheRowOfABoundReference() async {
        server.answer(Self.list, 200, Self.rows)
        server.answer("DELETE /rows/23", 200, "{}")
        let token = RosterID(createdBy: Samples.id(9))
        let bound = await courier.attempt(entry(.string(token.rawValue), subject: token) { $0.bound = "28" })
        #expect(bound.verdict.name == .accepted && log.last == "DELETE /rows/23")
        server.forget()
        let unbound = await courier.attempt(entry(.string(token.rawValue), subject: token))
        #expect(unbound.verdict.failure?.reason == .profile && server.log.isEmpty)
    }

    @Test(arguments: [true, false]) func missingRowIsDoneAfterTwoReads(isUncertain: Bool) async {
        server.answer(Self.list, 200, #"{"people":[{"id":23,"row":28}]}"#)
        let attempt = await courier.attempt(
            entry { ($0.uncertain, $0.uncertainSince) = (isUncertain, isUncertain ? clock.now : nil) })
        #expect(attempt.verdict == .accepted(Receipt(remoteID: nil, status: 200, foundByLookup: true, at: clock.now)))
        #expect(!attempt.wasSent && log == [Self.list, Self.list])
    }

    /// The server says so to a wrong number too.
    @Test func refusedDeleteIsNotDone() async {
        server.answer(Self.list, 200, Self.rows)
        server.answer("DELETE /rows/23", 404, #"{"message":"not found"}"#)
        #expect(await courier.attempt(entry()).verdict.name == .transient)
    }

    @Test func severalRowsOfOneIDSendNothing() async {
        for id in ["28", #""28""#, "28.0"] {
            server.answer(Self.list, 200, #"{"people":[{"id":7,"row":1},{"id":28,"row":23},{"id":\#(id),"row":24}]}"#)
            let attempt = await courier.attempt(entry())
            let message = "2 people at breathesafe fit this entry (rows 23, 24), so it is not known which one is meant."
            #expect(attempt.verdict == .permanent(Failure(.profile, status: 200, "\(message) Nothing was deleted.")) && !attempt.wasSent)
            #expect(!log.contains { $0.hasPrefix("DELETE") })
        }
    }

    /// Several rows of another id leave the list in doubt, and the server may put it right.
    @Test func severalRowsOfAnotherIDWait() async {
        for rows in [#"{"id":28,"row":23},"#, ""] {
            server.answer(Self.list, 200, #"{"people":[\#(rows){"id":7,"row":1},{"id":7,"row":2}]}"#)
            let attempt = await courier.attempt(entry())
            #expect(attempt.verdict.name == .unread && attempt.verdict.failure?.message.contains("contradicts itself") == true)
            #expect(!log.contains { $0.hasPrefix("DELETE") })
        }
    }

    @Test(arguments: ["28.0", "2.8e1"]) func deletesTheRowOfANumberInAnotherSpelling(id: String) async {
        server.answer(Self.list, 200, #"{"people":[{"id":23,"row":28},{"id":\#(id),"row":23}]}"#)
        server.answer("DELETE /rows/23", 200, "{}")
        #expect(await courier.attempt(entry()).verdict.name == .accepted)
        #expect(log == [Self.list, "DELETE /rows/23"])
    }

    @Test(arguments: [#""028""#, #""28-anna""#, "28.00000000000000000000001"]) func doubtfulIDIsNoAbsence(id: String) async {
        server.answer(Self.list, 200, #"{"people":[{"id":23,"row":28},{"id":\#(id),"row":23}]}"#)
        let attempt = await courier.attempt(entry())
        #expect(attempt.verdict.name == .permanent && attempt.verdict.failure?.reason == .profile && !attempt.wasSent)
        #expect(log == [Self.list])
    }

    @Test(arguments: [(500, "{}"), (200, "[]"), (200, #"{"people":[{"row":23}]}"#), (404, "{}")])
    func unreadableListSendsNothing(status: Int, body: String) async {
        server.answer(Self.list, status, body)
        let attempt = await courier.attempt(entry())
        #expect(attempt.verdict.name == .unread && !attempt.wasSent && !log.contains { $0.hasPrefix("DELETE") })
    }

    @Test func listOfAnotherAccountSendsNothing() async {
        server.answer(Self.list, 200, Self.rows)
        server.answer("GET /me", 200, #"{"id":2}"#)
        for _ in 1...2 {
            let attempt = await courier.attempt(entry())
            #expect(attempt.verdict.name != .accepted && !attempt.wasSent)
        }
        #expect(!log.contains { $0.hasPrefix("DELETE") })
    }

    @Test func lostReadSendsNothing() async {
        server.fail(Self.list, .lost(Failure(.lostAnswer, "silence")))
        let attempt = await courier.attempt(entry())
        #expect(attempt.verdict.name == .unreachable && !attempt.wasSent && attempt.verdict.failure?.outcomeUnknown == false)
    }
}
