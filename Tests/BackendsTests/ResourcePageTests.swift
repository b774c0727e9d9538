import Foundation
import JSON
import SyncModel
import Testing

@testable import Backends

struct ResourcePageTests {
    private func answered(_ backend: Backend, _ response: InboundResponse) throws -> ResourceAnswer {
        backend.answer(to: try #require(backend.resources.first), response, sentETag: nil, now: noon)
    }

    /// The list as the server sent it, with planted values where it has secrets and personal data.
    @Test func takesOnlyTheDeclaredValuesOfACapturedList() throws {
        let file = try #require(Bundle.module.url(forResource: "Fixtures/people", withExtension: "json"))
        let body = try String(contentsOf: file, encoding: .utf8)
        let answer = try answered(breathesafe(), success(body, HeaderField("ETag", "W/\"a\"")))
        let row = RosterRow(id: "5", label: "Edit Me", folded: "edit me", kept: [1, 5, "Edit", "Me", 0, "2026-11-20T15:30:48.659Z"])
        let page = ResourcePage(rows: [row], total: 1, nameless: 0, etag: "W/\"a\"")
        #expect(answer == .page(page))
        var dumped = ""
        dump(answer, to: &dumped)
        #expect(dumped.contains("Edit Me"))
        #expect(!dumped.contains("planted"))
        // The control: the answer has the planted values.
        #expect(body.matches(of: /planted/).count == 4)
    }

    @Test(
        arguments: [
            ("", nil), (" W/\"a\"", nil), ("\"\(String(repeating: "a", count: 255))\"", nil),
            ("\"\(String(repeating: "a", count: 254))\"", "\"\(String(repeating: "a", count: 254))\""),
        ] as [(String, String?)])
    func keepsOnlyUsableETags(header: String, etag: String?) throws {
        let answer = try answered(breathesafe(), success(#"{"managed_users":[],"total_count":0}"#, HeaderField("ETag", header)))
        #expect(answer == .page(ResourcePage(rows: [], total: 0, etag: etag)))
    }

    @Test(arguments: [
        (#"{"ok":false,"error":"Anna Example","managed_users":[],"total_count":0}"#, "failed"),
        (#"{"ok":false,"error":"Unauthorized."}"#, "unauthorized"),
    ])
    func failureWithSuccessStatusIsNotQuoted(body: String, name: String) throws {
        let answer = try answered(breathesafe("errors:\n", "errors:\n  ok: /ok\n"), success(body))
        switch answer {
        case .failed(let failure):
            #expect(name == "failed")
            #expect(failure.message == "breathesafe answered that the request failed (200).")
        case .unauthorized: #expect(name == "unauthorized")
        default: Issue.record("\(answer)")
        }
    }

    @Test func quotesTheServersRefusal() throws {
        let refused = InboundResponse(
            status: 403, headers: [HeaderField("Content-Type", "application/json")], body: Data(#"{"messages":["No access"]}"#.utf8))
        let answer = try answered(breathesafe(), refused)
        #expect(answer == .failed(Failure(.forbidden, status: 403, "breathesafe answered: No access.")))
    }

    @Test func waitsAsLongAsTheServerAsks() throws {
        let throttling = InboundResponse(status: 429, headers: [HeaderField("Retry-After", "120")])
        guard case .throttled(_, let until) = try answered(breathesafe(), throttling) else {
            Issue.record("not throttled")
            return
        }
        #expect(until == noon.addingTimeInterval(120))
    }

    /// The pause outlives the sign-out.
    @Test(arguments: [429, 503]) func serversPauseIsNotQuoted(status: Int) throws {
        let headers = [HeaderField("Content-Type", "application/json"), HeaderField("Retry-After", "120")]
        let throttling = InboundResponse(status: status, headers: headers, body: Data(#"{"messages":["Not now, Anna Example"]}"#.utf8))
        guard case .throttled(let failure, _) = try answered(breathesafe(), throttling) else {
            Issue.record("not throttled")
            return
        }
        #expect(failure.reason == .throttled && failure.status == status)
        #expect(failure.message.contains("(\(status))") && !failure.message.contains("Anna"))
    }

    @Test(arguments: ["\\u202e", "\\u2028", "\\u0085"]) func leavesOutRowsWhoseIDsCanDisguiseThemselves(escaped: String) throws {
        let body = #"{"managed_users":[{"managed_id":"2\#(escaped)8","first_name":"Anna"}],"total_count":1}"#
        #expect(try answered(breathesafe(), success(body)) == .page(ResourcePage(rows: [], total: 1, nameless: 1)))
    }

    /// Which of the two the server means is unknown, and a wrong id would be another person's.
    @Test(arguments: [#""managed_id":29"#, #""first_name":"Ben""#, #""fm_percent_complete":1"#])
    func leavesOutRowsWithAValueTwice(member: String) throws {
        func answer(_ member: String) throws -> ResourceAnswer {
            let row = #"{"managed_id":28,"first_name":"Anna","fm_percent_complete":1,\#(member)}"#
            return try answered(breathesafe(), success(#"{"managed_users":[\#(row)],"total_count":1}"#))
        }
        #expect(try answer(member) == .page(ResourcePage(rows: [], total: 1, nameless: 1)))
        // Other values are not read.
        guard case .page(let page) = try answer(#""a":1,"a":2"#) else {
            Issue.record("no page")
            return
        }
        #expect(page.rows.map(\.id) == ["28"] && page.nameless == 0)
    }

    @Test func requestsPagesOnlyIfDeclared() throws {
        let paged = try breathesafe()
        let people = try #require(paged.resource("managed_users"))
        #expect(try paged.read(people, page: 3, unless: nil).url == "https://www.breathesafe.xyz/managed_users?page=3&per_page=100")
        #expect(try paged.read(people, page: 1, unless: nil)[header: "If-None-Match"] == nil)
        #expect(try paged.read(people, page: 1, unless: "W/\"a\"")[header: "If-None-Match"] == "W/\"a\"")
        let single = try breathesafe("    pages: {page: page, per_page: per_page, total: /total_count}\n", "")
        let all = try #require(single.resource("managed_users"))
        #expect(try single.read(all, page: 1, unless: nil).url == "https://www.breathesafe.xyz/managed_users")
        #expect(try answered(single, success(#"{"managed_users":[]}"#)) == .page(ResourcePage(rows: [])))
    }

    @Test func routesNameTheResourcesTheyTouch() throws {
        let backend = try breathesafe()
        #expect(
            backend.routes.filter { backend.touches(route: $0) == ["managed_users"] } == [
                "create_managed_user", "delete_managed_user", "profile",
            ])
        #expect(backend.touches(route: "measurement").isEmpty)
        #expect(backend.touches(route: "nowhere").isEmpty)
    }

    @Test func firstReferenceNamesTheSubject() throws {
        let backend = try breathesafe()
        #expect(backend.subject(route: "measurement", fields: ["user_id": 5]) == "5")
        #expect(backend.subject(route: "fit_test", fields: ["user_id": "5"]) == "5")
        #expect(backend.subject(route: "measurement", fields: [:]) == nil)
        #expect(backend.subject(route: "create_managed_user", fields: ["user_id": 5]) == nil)
        #expect(backend.subjectField(route: "profile")?.field == "user_id")
        #expect(backend.subjectField(route: "profile")?.resource.name == "managed_users")
        let references = backend.references(to: try #require(backend.resource("managed_users")))
        #expect(
            references.map(\.route) == [
                "delete_managed_user", "edit_fit_test", "fit_test", "manual_measurement", "measurement", "profile",
            ])
        #expect(references.allSatisfy { $0.field == "user_id" && $0.type == "integer" })
    }

    @Test func referenceWithoutTypeTakesText() throws {
        let backend = try breathesafe("{type: integer, reference: managed_users}", "{reference: managed_users}")
        let references = backend.references(to: try #require(backend.resource("managed_users")))
        #expect(references.first { $0.route == "measurement" }?.type == "text")
        #expect(backend.subject(route: "measurement", fields: ["user_id": "a b"]) == "a b")
    }

    @Test func sourceChangesWithAddressAndDeclaration() throws {
        func source(_ old: String, _ new: String) throws -> Data? { try breathesafe(old, new).resources.first?.source }
        let shipped = try source("schema: 1", "schema: 1")
        #expect(try source("https://www.breathesafe.xyz", "https://www.breathesafe.xyz/") == shipped)
        #expect(try source("timeout: 60", "timeout: 50") == shipped)
        #expect(try source("https://www.breathesafe.xyz", "https://other.example") != shipped)
        #expect(try source(", /fm_percent_complete", "") != shipped)
        #expect(try source("list: /managed_users", "list: /people") != shipped)
    }

    @Test func absentKeysHaveDefaults() throws {
        let text = edited("\nresources:\n", "\nresources:\n  fit_test_kits: {request: GET /kits, list: /kits, id: /id}\n")
        let kits = try #require(try load(["breathesafe.yaml": text]).first?.resource("fit_test_kits"))
        #expect(kits.title == Resource.Title(one: "fit test kits", many: "fit test kits"))
        #expect(kits.label == [kits.id])
        #expect(kits.keep.isEmpty)
        #expect(kits.pages?.page == nil)
        #expect(kits.maxAge == .seconds(86_400))
    }
}

/// A success in JSON.
private func success(_ body: String, _ headers: HeaderField...) -> InboundResponse {
    InboundResponse(status: 200, headers: [HeaderField("Content-Type", "application/json")] + headers, body: Data(body.utf8))
}
