import Sandbox
import Testing

/// Lists and tasks of both versions of Lists.
@Suite struct ListsTasksTests {
    private static let older = SandboxBackend.lists()
    private static let later = SandboxBackend.lists2026(Lists2026Configuration { $0.limits = .none })

    private func withLists(
        _ isLater: Bool, _ body: @Sendable (Sandbox, LabClient, LabTokens, LabTokens) async throws -> Void
    ) async throws {
        try await withSandbox(of: isLater ? Self.later : Self.older) { sandbox, client async throws in
            func tokens(_ email: String) async throws -> LabTokens {
                if isLater { return try await client.lists2026Tokens(email) }
                return try LabTokens(ofLists: try await client.listsLogIn(email).json())
            }
            try await body(sandbox, client, try await tokens("manager@lab.test"), try await tokens("other@lab.test"))
        }
    }

    @Test(arguments: [false, true]) func rowsAreWrappedInTheLaterVersionOnly(isLater: Bool) async throws {
        try await withLists(isLater) { sandbox, client, mine, _ async throws in
            func row(_ answer: LabAnswer, _ name: String) throws -> JSON? {
                let json = try answer.json()
                return isLater ? json[name] : json
            }
            let list = try await client.addList(mine)
            #expect(try row(list, "list")?["id"] == 1)
            let renamed = try await client.lists("PATCH", "lists/1", mine, ["list": ["name": "Food"]])
            #expect(renamed.status == 200)
            #expect(try row(renamed, "list")?["name"] == "Food")
            let task = try await client.addTask(mine)
            #expect(task.status == 201)
            #expect(try row(task, "task")?["id"] == 101)
            #expect(try row(task, "task")?["list_id"] == 1)
            #expect(try row(task, "task")?[isLater ? "note" : "description"] == "white")
            let edited = try await client.lists("PATCH", "lists/-/tasks/101", mine, ["task": ["title": "Rolls"]])
            #expect(try row(edited, "task")?["title"] == "Rolls")
            let done = try await client.lists(isLater ? "PATCH" : "POST", "lists/-/tasks/101/complete", mine)
            #expect(done.status == 200)
            #expect(try row(done, "task")?["completed_at"]?.text != nil)
            let again = try await client.lists("PATCH", "lists/-/tasks/101/\(isLater ? "reopen" : "uncomplete")", mine)
            #expect(try row(again, "task")?["completed_at"] == .null)
            #expect(sandbox.ledger.entries.map(\.remoteID) == [1, 1, 101, 101, 101, 101])
            #expect(sandbox.ledger.entries.map(\.resource) == ["list", "list", "task", "task", "task", "task"])
        }
    }

    @Test(arguments: [false, true]) func invalidValuesAreRefused(isLater: Bool) async throws {
        try await withLists(isLater) { sandbox, client, mine, _ async throws in
            try await client.addList(mine)
            let long = String(repeating: "a", count: 256)
            for title in ["", " ", long] { #expect(try await client.addTask(mine, title: title).status == 422) }
            #expect(try await client.addTask(mine, due: nil).status == (isLater ? 201 : 422))
            #expect(try await client.addList(mine, name: long).status == 422)
            #expect(try await client.lists("PATCH", "lists/1", mine, ["list": ["name": ""]]).status == 422)
            #expect(try await client.lists("PATCH", "lists/1", mine, ["list": [:]]).status == 400)
            #expect(try await client.lists("POST", "lists/1/tasks", mine).status == 400)
            #expect(try await client.lists("POST", "lists/9/tasks", mine, ["task": ["title": "a"]]).status == 404)
            #expect(sandbox.ledger.entries.count == (isLater ? 2 : 1))
        }
    }

    @Test func olderVersionStoresForeignTaskInTheFirstOwnList() async throws {
        try await withLists(false) { sandbox, client, mine, theirs async throws in
            try await client.addList(mine)
            #expect(try await client.addTask(theirs).status == 403)
            try await client.addList(theirs)
            let stored = try await client.addTask(theirs)
            #expect(stored.status == 201)
            #expect(try stored.json()["list_id"] == 2)
            #expect(
                try await client.lists("PATCH", "tasks/101", mine, ["task": ["title": "a"]]).json()["error"]
                    == "You can only edit tasks you created")
            #expect(try await client.lists("POST", "tasks/101/complete", mine).json()["error"] == "Unauthorized")
            for method in ["GET", "DELETE"] { #expect(try await client.lists(method, "lists/1", theirs).status == 403) }
        }
    }

    @Test func laterVersionRefusesForeignListsAndTasks() async throws {
        try await withLists(true) { _, client, mine, theirs async throws in
            try await client.addList(mine)
            #expect(try await client.addTask(mine).status == 201)
            #expect(try await client.addTask(theirs).json()["error"]?["code"] == "not_authorized")
            #expect(try await client.lists("GET", "lists/1/tasks", theirs).json()["error"]?["code"] == "not_authorized")
            #expect(try await client.lists("PATCH", "lists/-/tasks/101/complete", theirs).json()["error"]?["code"] == "not_found")
            #expect(try await client.lists("PATCH", "tasks/101", mine, ["task": ["title": "a"]]).status == 404, "only within lists")
            #expect(try await client.lists("POST", "lists/1/tasks", mine).json()["error"]?["code"] == "empty_body")
        }
    }

    @Test(arguments: [false, true]) func deletedRowsAreGoneOrTombstones(isLater: Bool) async throws {
        try await withLists(isLater) { sandbox, client, mine, _ async throws in
            try await client.addList(mine)
            for title in ["Bread", "Water"] { #expect(try await client.addTask(mine, title: title).status == 201) }
            for status in [204, isLater ? 404 : 204] {
                #expect(try await client.lists("DELETE", "lists/1/tasks/101", mine).status == status)
            }
            #expect(sandbox.ledger.entries.last?.remoteID == 101)
            #expect(sandbox.ledger.entries.count == 4, "the second deletion changes nothing")
            let tasks = try await client.lists("GET", "lists/1/tasks", mine).json()
            #expect(tasks["tasks"]?.elements?.compactMap { $0["id"] } == [102])
            #expect(tasks["tombstones"]?.elements?.compactMap { $0["id"] } == (isLater ? [] : [101]))
            #expect(try await client.lists("DELETE", "lists/1", mine).status == 204)
            for path in ["lists/1", "lists/1/tasks"] { #expect(try await client.lists("GET", path, mine).status == 404) }
            let lists = try await client.lists("GET", "lists", mine).json()
            #expect(lists["lists"] == [])
            #expect(lists["tombstones"]?.elements?.count == (isLater ? 0 : 1))
        }
    }

    @Test func laterVersionHasPagesOfAtMostFiftyTasks() async throws {
        try await withLists(true) { _, client, mine, _ async throws in
            try await client.addList(mine)
            for number in 1...51 { #expect(try await client.addTask(mine, title: "\(number)").status == 201) }
            func page(_ query: String) async throws -> (count: Int?, pagination: JSON?) {
                let body = try await client.lists("GET", "lists/1/tasks\(query)", mine).json()
                return (body["tasks"]?.elements?.count, body["pagination"])
            }
            #expect(try await page("").count == 25)
            let second = try await page("?page=2&per_page=100")
            #expect(second.count == 1)
            #expect(second.pagination == ["page": 2, "per_page": 50, "total": 51, "total_pages": 2])
            #expect(try await page("?page=9").count == 0)
        }
    }

    @Test func olderVersionListsChangesSinceATime() async throws {
        try await withLists(false) { sandbox, client, mine, _ async throws in
            try await client.addList(mine)
            let later = "2100-01-01T00:00:00Z"
            #expect(try await client.lists("GET", "lists?since=\(later)", mine).json() == ["lists": [], "tombstones": []])
            #expect(try await client.lists("GET", "lists?since=2000-01-01T00:00:00Z", mine).json()["lists"]?.elements?.count == 1)
        }
    }
}
