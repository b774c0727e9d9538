import Backends
import Foundation
import SyncModel
import Testing

struct ResourceParentTests {
    private static func profile(_ resources: String) -> String {
        """
        schema: 1
        name: p
        base_url: https://p.example
        auth: {scheme: bearer, on_401: []}
        health: {request: GET /me, account: /id}
        errors: {code: /code, auth: [ENDED]}
        routes: {note: {request: POST /notes, json: "{item.payload}"}}
        resources:
        \(resources)
        """
    }

    private static let lists = "  lists: {request: GET /lists, list: /lists, id: /id}\n"
    private static func tasks(_ keys: String, request: String = "GET /lists/{parent}/tasks") -> String {
        "  tasks: {request: \"\(request)\", \(keys), list: /tasks, id: /id}"
    }

    @Test(arguments: [
        (tasks("parent: lists", request: "GET /tasks"), "tasks.parent", "{parent} in the request"),
        (tasks("max_age: 60"), "tasks.request", "the key parent"),
        (tasks("parent: people"), "tasks.parent", "another resource of this profile: lists"),
        (tasks("parent: tasks"), "tasks.parent", "for the rows of tasks itself"),
        (tasks("parent: 5"), "tasks.parent", "text"),
        (tasks("parent: lists, gone: [5]"), "tasks.gone.0", "text"),
    ])
    func mistakeNamesItsKey(tasks: String, key: String, expected: String) throws {
        let found = try mistakes(Self.profile(Self.lists + tasks), "p")
        #expect(found.map(\.key) == ["resources.\(key)"], "\(found)")
        #expect(found.first?.expected.contains(expected) == true && found.first?.line != nil, "\(found)")
    }

    @Test func circleIsAMistakeOfEachOfItsResources() throws {
        let circle = "  lists: {request: \"GET /{parent}\", parent: tasks, list: /lists, id: /id}\n" + Self.tasks("parent: lists")
        #expect(try mistakes(Self.profile(circle), "p").map(\.key) == ["resources.lists.parent", "resources.tasks.parent"])
    }

    private func backend() throws -> Backend {
        try load(["p.yaml": Self.profile(Self.lists + Self.tasks("parent: lists, gone: [LEFT]"))])[0]
    }

    @Test func requestNamesTheRowOfTheParent() throws {
        let backend = try backend()
        let tasks = try #require(backend.resource("tasks"))
        #expect(tasks.parent == "lists" && backend.chain(to: tasks).map(\.name) == ["lists", "tasks"])
        #expect(try backend.read(tasks, of: "a/b", page: 1, unless: nil).url == "https://p.example/lists/a%2Fb/tasks")
        #expect(throws: Failure.self) { try backend.read(tasks, of: "..", page: 1, unless: nil) }
        #expect(throws: Failure.self) { try backend.read(tasks, page: 1, unless: nil) }
    }

    @Test(arguments: [
        (404, #"{"code":"X"}"#, "application/json", true), (404, "", "text/plain", false),
        (403, #"{"code":"left"}"#, "application/json", true), (404, "404 page not found", "text/plain; charset=utf-8", false),
        (403, #"{"code":"X"}"#, "application/json", false), (404, "<html></html>", "text/html", false),
        (500, #"{"code":"LEFT"}"#, "application/json", false), (404, #"{"code":"ENDED"}"#, "application/json", false),
    ])
    func rowOfTheParentThatHasGoneHasNoRows(status: Int, body: String, type: String, isGone: Bool) throws {
        let backend = try backend()
        let tasks = try #require(backend.resource("tasks"))
        let answered = backend.answer(to: tasks, answer(status, body, type: type), sentETag: nil, now: noon)
        #expect((answered == .gone) == isGone, "\(answered)")
        // The control: a list of its own is never gone.
        let lists = try #require(backend.resource("lists"))
        #expect(backend.answer(to: lists, answer(status, body, type: type), sentETag: nil, now: noon) != .gone)
    }
}
