import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Testing

/// Lists and tasks of both versions of Lists, made without a network.
@Suite struct ListsTests {
    private static let due = "2026-12-01T12:00:00Z"

    private func signedIn(
        _ profile: String, answering: @escaping @Sendable (SandboxRequest, SandboxResponse) -> SandboxResponse = { $1 }
    ) async throws -> TestStation {
        let backend: SandboxBackend = profile == "lists" ? .lists() : .lists2026(Lists2026Configuration { $0.limits = .none })
        let station = try await TestStation(backend, profile: profile, route: "create_list", answering: answering)
        try station.keepResources(of: profile)
        try await station.signedIn()
        return station
    }

    @discardableResult
    private func submit(
        _ station: TestStation, _ route: String, _ number: Int, _ fields: [String: String], _ payload: String? = nil,
        replacing old: Int? = nil
    ) async throws -> SubmissionReceipt {
        try await station.client.call(
            Endpoints.submit,
            ControlAPI.Submission(
                route: route, id: Samples.id(number).description, supersedes: old.map { Samples.id($0).description }, fields: fields,
                payload: payload.map { Data($0.utf8) }))
    }

    private func task(_ station: TestStation, _ number: Int, in list: String, _ title: String) async throws {
        try await submit(station, "create_task", number, ["list_id": list, "title": title, "due_at": Self.due])
    }

    /// The rows of the list, read again until it is complete and has this many.
    private func rows(_ station: TestStation, _ resource: String, count: Int) async throws -> [ControlAPI.RosterRow] {
        try await firstValue {
            let report = try await station.client.call(Endpoints.refreshRoster, RosterReference(resource: resource))
            let page = try await station.client.call(Endpoints.roster, RosterQuery(resource: resource, limit: 500))
            let isWhole = report.failure == nil && report.state == "complete" && page.rows.count == count
            return isWhole && page.rows.allSatisfy { $0.pending == nil } ? page.rows : nil
        }
    }

    /// The method and the path of each change, in order of commit.
    private func changes(_ station: TestStation) -> [String] {
        station.sandbox.ledger.entries.map { "\($0.method) \($0.path.replacing("/api/v1/", with: ""))" }
    }

    @Test(arguments: ["lists", "lists-2026"]) func makesListAndTasksOfflineAndDeletesThemOnline(profile: String) async throws {
        let station = try await signedIn(profile)
        _ = try await rows(station, "lists", count: 0)
        _ = try await rows(station, "tasks", count: 0)
        await station.sandbox.down()
        try await submit(station, "create_list", 1, ["name": "Shopping"])
        let list = TestStation.reference(to: 1)
        try await task(station, 2, in: list, "Bread")
        try await task(station, 3, in: list, "Water")
        try await submit(station, "complete_task", 4, ["task_id": TestStation.reference(to: 2)])
        try await submit(station, "rename_list", 5, ["list_id": list], #"{"name":"Groceries"}"#)
        #expect(try await station.entries().count == 5)
        let offline = try await station.client.call(Endpoints.roster, RosterQuery(resource: "tasks", limit: 500))
        #expect(offline.rows.map(\.label) == ["Bread", "Water"] && offline.rows.allSatisfy { $0.pending == "new" })

        try await station.sandbox.up()
        try await station.sync()
        try await station.allSettled(1...5)
        let tasks = profile == "lists" ? "tasks" : "lists/-/tasks"
        let complete = "\(profile == "lists" ? "POST" : "PATCH") \(tasks)/101/complete"
        #expect(
            changes(station).sorted() == ["PATCH lists/1", "POST lists", "POST lists/1/tasks", "POST lists/1/tasks", complete].sorted())
        #expect(changes(station).first == "POST lists")
        for (number, id) in [(1, "1"), (2, "101"), (3, "102")] { #expect(try await station.receipt(number).remoteID == id) }
        #expect(try await rows(station, "lists", count: 1).map(\.label) == ["Groceries"])
        let listed = try await rows(station, "tasks", count: 2)
        #expect(listed.map(\.label) == ["Bread", "Water"] && listed.allSatisfy { $0.values["/list_id"] == "1" })
        #expect(listed.map { $0.values["/completed_at"] != nil } == [true, false])

        // The deletion of a row waits for the earlier entries of that row.
        try await submit(station, "edit_task", 6, ["task_id": "102"], #"{"title":"Still water"}"#)
        try await submit(station, "delete_task", 7, ["task_id": "102"])
        try await station.allSettled(6...7)
        try await submit(station, "delete_list", 8, ["list_id": list])
        try await station.settled(8, as: "delivered")
        let last = changes(station).suffix(3)
        #expect(last == ["PATCH \(tasks)/102", "DELETE \(tasks.replacing("-", with: "1"))/102", "DELETE lists/1"])
        _ = try await rows(station, "lists", count: 0)
        _ = try await rows(station, "tasks", count: 0)
        try await station.end(SIGTERM)
    }

    @Test(arguments: ["lists", "lists-2026"]) func commandsMakeEditAndDeleteRows(profile: String) async throws {
        let station = try await signedIn(profile)
        _ = try await rows(station, "tasks", count: 0)
        await station.sandbox.down()
        let list = try await station.homing("lists", "add", "--name", "Shopping")
        #expect(list.code == 0 && list.text.contains("The new list Shopping is stored safely"), "\(list.text)")
        let added = try #require(list.text.firstMatch(of: /homing tasks add --list-id (@[0-9a-f-]+)/), "\(list.text)")
        // By reference, and by name.
        for (name, title) in [(String(added.1), "Bread"), ("Shopping", "Water")] {
            let task = try await station.homing("tasks", "add", "--list-id", name, "--title", title, "--due-at", Self.due)
            #expect(task.code == 0 && task.text.contains("The new task is stored safely"), "\(task.text)")
            #expect(task.text.contains("homing submit --no-document --route complete_task --item task_id=@"), "\(task.text)")
        }
        for command in [
            ["submit", "--no-document", "--route", "complete_task", "--item", "task_id=Bread"],
            ["tasks", "edit", "Water", "--title", "Milk"],
            ["lists", "edit", "Shopping", "--name", "Groceries"],
        ] {
            let told = try await station.homing(command)
            #expect(told.code == 0, "\(command): \(told.text)")
        }
        let refused = try await station.homing("tasks", "add", "--colour", "red")
        #expect(refused.code == 2 && refused.text.contains("--list-id") && refused.text.contains("--title"), "\(refused.text)")
        try await station.sandbox.up()
        try await station.sync()
        try await station.event("delivered", count: 6)
        #expect(try await rows(station, "lists", count: 1).map(\.label) == ["Groceries"])
        #expect(try await rows(station, "tasks", count: 2).map(\.label) == ["Bread", "Milk"])
        let shown = try await station.homing("roster", "tasks")
        #expect(shown.code == 0 && shown.text.contains("Milk"), "\(shown.text)")

        let unconfirmed = try await station.homing("tasks", "delete", "Milk")
        #expect(unconfirmed.code != 0 && unconfirmed.text.contains("--yes"), "\(unconfirmed.text)")
        for command in [["tasks", "delete", "Milk", "--yes"], ["lists", "delete", "Groceries", "--yes"]] {
            let told = try await station.homing(command)
            #expect(told.code == 0, "\(command): \(told.text)")
        }
        try await station.event("delivered", count: 8)
        _ = try await rows(station, "lists", count: 0)
        try await station.end(SIGTERM)
    }

    /// All of them share the lane of the task, but only another edit would be overwritten.
    @Test(arguments: ["lists", "lists-2026"]) func editIsCorrectedAfterACompletionOnly(profile: String) async throws {
        let station = try await signedIn(profile)
        _ = try await station.client.call(Endpoints.pause, PauseRequest(reason: "a test"))
        let task = ["task_id": "101"]
        try await submit(station, "edit_task", 1, task, #"{"title":""}"#)
        try await submit(station, "complete_task", 2, task)
        try await submit(station, "reopen_task", 3, task)
        try await submit(station, "edit_task", 4, task, #"{"title":"Bread"}"#, replacing: 1)
        #expect(try await station.entries().map(\.state) == ["discarded", "pending", "pending", "pending"])
        try await submit(station, "edit_task", 5, task, #"{"title":"Water"}"#)
        let problem = await #expect(throws: Problem.self) {
            try await submit(station, "edit_task", 6, task, #"{"title":"Milk"}"#, replacing: 4)
        }
        #expect(problem?.facts?.reason == "hasNewer" && problem?.facts?.entry == Samples.id(5).description)
        try await station.end(SIGTERM)
    }

    /// The older server stores the task in another list, and answers 201.
    @Test func taskInAnotherListIsNotDelivered() async throws {
        let station = try await signedIn("lists")
        try await submit(station, "create_list", 1, ["name": "Mine"])
        try await station.settled(1, as: "delivered")
        // The list 2 belongs to another account.
        let theirs = TestStation(in: try TemporaryDirectory(), at: station.sandbox)
        try TestStation.place("lists", in: theirs.directory, baseURL: station.sandbox.baseURL)
        try TestStation.configure(theirs.directory, route: "create_list")
        try await theirs.start()
        try await theirs.login("other@lab.test")
        try await submit(theirs, "create_list", 2, ["name": "Theirs"])
        try await theirs.settled(2, as: "delivered")
        try await theirs.end(SIGTERM)

        try await task(station, 3, in: "2", "Bread")
        try await submit(station, "complete_task", 4, ["task_id": TestStation.reference(to: 3)])
        let held = try await station.settled(3, as: "held")
        #expect(held.holdReason == "unknownOutcome" && held.remoteID == nil, "\(held)")
        try await station.settled(4, as: "held")
        #expect(station.sandbox.ledger.entries.count { $0.resource == "task" } == 1, "sent once")
        try await station.end(SIGTERM)
    }
}
