import Backends
import Delivery
import Foundation
import SyncModel
import TestSupport
import Testing

/// Entries whose row is in a list that is read for each row of another one.
struct CourierParentTests {
    private let scripted: ScriptedCourier
    private var server: ScriptedBackend { scripted.server }

    init() async throws {
        scripted = try await ScriptedCourier(Self.profile)
        server.answer("GET /lists", 200, #"{"lists":[{"id":1},{"id":2}]}"#)
        server.answer("GET /lists/1/tasks", 200, #"{"tasks":[{"id":11}]}"#)
        server.answer("GET /lists/2/tasks", 200, #"{"tasks":[{"id":28}]}"#)
        server.answer("DELETE /lists/2/tasks/28", 200, "{}")
    }

    private static let profile = Samples.cookieProfile(
        """
        routes:
          remove:
            request: DELETE /lists/2/tasks/{row./id}
            fields: {task_id: {type: integer, reference: tasks}}
            deletes: tasks
            row: {resource: tasks, where: {/id: "{item.task_id}"}, fresh: true}
            absent_is_done: true
            empty: true
        resources:
          lists: {request: GET /lists, list: /lists, id: /id}
          tasks: {request: "GET /lists/{parent}/tasks", parent: lists, list: /tasks, id: /id, keep: [/id]}
        """)

    private var entry: Entry {
        var mutation = Samples.mutation(1)
        (mutation.route, mutation.fields, mutation.payload, mutation.subject) = ("remove", ["task_id": 28], nil, "28")
        return Samples.entry(mutation) { _ in }
    }

    /// Without the checks of the account.
    private var log: [String] { server.log.filter { $0 != "GET /me" } }
    private static let reads = ["GET /lists", "GET /lists/1/tasks", "GET /lists/2/tasks"]

    @Test func readsAllListsJustBeforeItSends() async {
        let attempt = await scripted.courier.attempt(entry)
        #expect(attempt.verdict.name == .accepted && attempt.wasSent)
        #expect(log == Self.reads + ["DELETE /lists/2/tasks/28"])
    }

    @Test func absentInTwoReadsOfAllListsIsDone() async {
        server.answer("GET /lists/2/tasks", 200, #"{"tasks":[]}"#)
        let attempt = await scripted.courier.attempt(entry)
        #expect(attempt.verdict.name == .accepted && !attempt.wasSent)
        #expect(log == Self.reads + Self.reads)
    }

    /// The server still lists the parent, so its 404 contradicts that.
    @Test func missingListOfAListedParentProvesNothing() async {
        server.answer("GET /lists/1/tasks", 404, #"{"status":404,"error":"Not Found"}"#)
        let beside = await scripted.courier.attempt(entry)
        #expect(beside.verdict.name == .unread && !beside.wasSent)
        server.answer("GET /lists/2/tasks", 404, #"{"status":404,"error":"Not Found"}"#)
        let all = await scripted.courier.attempt(entry)
        #expect(all.verdict.name == .unread && all.verdict.failure?.status == 404 && !all.wasSent)
        #expect(!log.contains { $0.hasPrefix("DELETE") })
    }

    @Test func rowThatOneParentListsTwiceNeedsAPerson() async {
        server.answer("GET /lists/2/tasks", 200, #"{"tasks":[{"id":28},{"id":28}]}"#)
        let attempt = await scripted.courier.attempt(entry)
        #expect(attempt.verdict.name == .permanent && attempt.verdict.failure?.reason == .profile && !attempt.wasSent)
    }

    @Test func rowInTwoEqualReadsOfTwoParentsNeedsAPerson() async {
        server.answer("GET /lists/1/tasks", 200, #"{"tasks":[{"id":28}]}"#)
        let attempt = await scripted.courier.attempt(entry)
        #expect(attempt.verdict.name == .permanent && attempt.verdict.failure?.reason == .profile && !attempt.wasSent)
        #expect(log == Self.reads + Self.reads)
    }

    /// Another row may be moving, and the entry's too.
    @Test func otherRowInTwoParentsProvesNothing() async {
        server.answer("GET /lists/1/tasks", 200, #"{"tasks":[{"id":7}]}"#)
        server.answer("GET /lists/2/tasks", 200, #"{"tasks":[{"id":7},{"id":28}]}"#)
        let attempt = await scripted.courier.attempt(entry)
        #expect(attempt.verdict.name == .unread && !attempt.wasSent && log == Self.reads + Self.reads)
    }

    @Test func readThatTheServerStopsWaitsAsAskedAndNotForEver() async {
        server.answer("GET /lists/2/tasks", 429, "{}", HeaderField("Retry-After", "60"))
        let first = await scripted.courier.attempt(entry)
        guard case .unread(let failure, let until) = first.verdict else {
            Issue.record("\(first.verdict)")
            return
        }
        #expect(failure.status == 429 && until == scripted.clock.now.addingTimeInterval(60) && !first.wasSent)
        var late = entry
        late.looks = 9
        let last = await scripted.courier.attempt(late)
        #expect(last.verdict.name == .permanent && last.verdict.failure?.reason == .profile && !last.wasSent)
        #expect(last.verdict.failure?.message.contains("10 times in a row") == true)
    }

    @Test func unreadableListOfOneParentSendsNothing() async {
        server.answer("GET /lists/1/tasks", 500, "{}")
        let attempt = await scripted.courier.attempt(entry)
        #expect(attempt.verdict.name == .unread && !attempt.wasSent)
    }
}
