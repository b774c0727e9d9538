import Backends
import Foundation
import SyncModel
import Testing

struct LookUpTests {
    let backend: Backend
    let entry = mutation()

    init() throws { backend = try breathesafe() }

    @Test func findsRowWithIDOfTheEntry() {
        let rows = """
            {"facial_measurements":[{"id":9,"arkit":null},{"id":8,"arkit":{"client_mutation_id":"0198c0de-0000-7000-8000-000000000002"}},
            {"id":7,"arkit":{"client_mutation_id":"0198C0DE-0000-7000-8000-000000000001"}}]}
            """
        #expect(
            backend.lookedUp(answer(200, rows), for: entry, at: noon)
                == .found(Receipt(remoteID: "7", status: 200, foundByLookup: true, at: noon)))
    }

    /// The person is there, but no entry could be sent for them.
    @Test(arguments: [#""7""#, "0", "null", "7.5", "7", "7.0"]) func foundCreateNeedsAUsableID(id: String) throws {
        let find = "find: {request: GET /managed_users, list: /managed_users, match: /key, remote_id: /managed_id}"
        let backend = try breathesafe(
            "    request: POST /managed_users\n",
            "    request: POST /managed_users\n    json: {kind: person}\n    marker: /key\n    \(find)\n")
        let create = mutation("create_managed_user", payload: nil)
        let found = backend.lookedUp(
            answer(200, #"{"managed_users":[{"managed_id":\#(id),"key":"\#(create.id)"}]}"#), for: create, at: noon)
        if id == "7" || id == "7.0" {
            #expect(found == .found(Receipt(remoteID: "7", status: 200, foundByLookup: true, at: noon)))
        } else {
            guard case .failed(.unknown(let failure)) = found else { throw Failure(.profile, "\(found)") }
            #expect(failure.reason == .refused && failure.outcomeUnknown)
        }
    }

    @Test func emptyListMeansAbsent() {
        #expect(backend.lookedUp(answer(200, #"{"facial_measurements":[]}"#), for: entry, at: noon) == .absent)
    }

    @Test(arguments: [
        (200, "<html>", "text/html", "intercepted"), (302, "", "text/html", "intercepted"), (404, "<html>", "text/html", "transient"),
        (404, #"{"status":404}"#, "application/json", "transient"), (403, "{}", "application/json", "transient"),
        (200, "{}", "application/json", "transient"), (200, #"{"facial_measurements":{}}"#, "application/json", "transient"),
        (401, #"{"messages":["Unauthorized."]}"#, "application/json", "unauthorized"), (500, "{}", "application/json", "transient"),
        (429, "{}", "application/json", "throttled"),
    ])
    func answerWithoutListProvesNothing(status: Int, body: String, type: String, verdict: String) {
        guard case .failed(let failed) = backend.lookedUp(answer(status, body, type: type), for: entry, at: noon) else {
            Issue.record("taken for an answer")
            return
        }
        #expect(failed.name.rawValue == verdict)
    }

    @Test func looksUpOnlyRoutesWithFind() throws {
        let request = try #require(try backend.lookup(for: entry))
        #expect("\(request)" == "GET https://www.breathesafe.xyz/users/5/facial_measurements")
        #expect(try backend.lookup(for: mutation("fit_test")) == nil)
    }
}

struct HealthTests {
    @Test(arguments: [
        (200, #"{"currentUser":{"id":1}}"#, Health.well(account: "1")), (200, #"{"currentUser":null}"#, .well(account: nil)),
        (401, #"{"error":"Your session expired. Please sign in again to continue."}"#, .well(account: nil)),
        (
            401, #"{"error":"Unauthorized"}"#,
            .refused(
                Failure(
                    .signInRequired, status: 401,
                    "breathesafe refused the session but did not say that it has ended (401): Unauthorized"))
        ),
    ])
    func readsSignedInAccountFromBody(status: Int, body: String, health: Health) throws {
        #expect(try breathesafe().health(answer(status, body)) == health)
    }

    @Test(arguments: [(429, "3600", 3600), (503, "7", 7), (429, nil, 60), (503, nil, nil)] as [(Int, String?, TimeInterval?)])
    func readsRetryAfterOfHealthRoute(status: Int, header: String?, seconds: TimeInterval?) throws {
        let headers = header.map { [HeaderField("Retry-After", $0)] } ?? []
        let response = InboundResponse(status: status, headers: headers, body: Data("{}".utf8))
        guard case .ill(_, let wait) = try breathesafe().health(response) else {
            Issue.record("it is not ill")
            return
        }
        #expect(wait == seconds)
    }

    @Test func answerWithoutAccountDoesNotSignOut() throws {
        let backend = try breathesafe()
        for response in [answer(200, "{}"), answer(500, "{}"), answer(404, "{}"), answer(503, "<html>", type: "text/html")] {
            guard case .ill = backend.health(response) else {
                Issue.record("\(response.status) \(backend.health(response))")
                continue
            }
        }
        for response in [answer(200, "<html>", type: "text/html"), answer(302), answer(511, "{}")] {
            guard case .intercepted = backend.health(response) else {
                Issue.record("\(response.status) \(backend.health(response))")
                continue
            }
        }
    }
}
