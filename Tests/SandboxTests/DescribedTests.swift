import Foundation
import Sandbox
import Testing

@Suite struct DescribedTests {
    private static let notes = """
        schema: 1
        name: notes
        base_url: https://api.example.org/v2
        headers: {X-Station: "station {device_id}"}
        auth:
          scheme: bearer
          on_401: [refresh]
          lifetime: 60
          login:
            request: POST /login
            json: {email: "{email}", password: "{password}"}
            access: /data/token
            refresh: /data/refresh
            expires_in: /data/ends
            account: /data/user/id
          refresh: {request: POST /refresh, json: {token: "{refresh}"}, access: /token, refresh: /refresh}
          logout: {request: DELETE /login}
        health: {request: GET /me, account: /me/id}
        errors: {ok: /ok, code: /error/code, message: [/error/words, /error], auth: [NOBODY], relogin: [ENDED]}
        routes:
          note:
            request: POST /people/{item.person}/notes
            json: {note: "{item.payload}"}
            marker: /note/key
            remote_id: /note/id
            promises: /note
            find: {request: "GET /people/{item.person}/notes", list: /notes, match: /key, remote_id: /id}
          forget: {request: "DELETE /notes/{item.note}", empty: true, gone: [AWAY]}
          name: {request: "PUT /people/{item.person}", json: {name: "{item.name}", nick: "{item.nick?}"}}
        """
    private static let station = ["x-station": "station 7"]

    private func withDescribed(
        _ profile: String = notes, named name: String = "notes", access: Int? = nil,
        _ body: @Sendable (Sandbox, LabClient) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "described-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // `try?`: a leftover does no harm
        try Data(profile.utf8).write(to: folder.appending(path: "\(name).yaml"))
        let file = folder.appending(path: "\(name).yaml").path
        try await withSandbox(of: .described(DescribedConfiguration(file: file, accessLifetime: access)), body)
    }

    private func signIn(_ client: LabClient, password: String = BreatheSafeConfiguration.labPassword) async throws -> LabAnswer {
        try await client.send(
            "POST", "/v2/login", headers: Self.station, body: .json(#"{"email":"manager@lab.test","password":"\#(password)"}"#))
    }

    private func signedIn(_ client: LabClient) async throws -> (headers: [String: String], refresh: String) {
        let data = try await signIn(client).json()["data"]
        let bearer = ["authorization": "Bearer \(data?["token"]?.text ?? "")"]
        return (bearer.merging(Self.station) { $1 }, data?["refresh"]?.text ?? "")
    }

    private func note(_ client: LabClient, _ headers: [String: String], key: String = "k1") async throws -> LabAnswer {
        try await client.send("POST", "/v2/people/5/notes", headers: headers, body: .json(#"{"note":{"text":"a","key":"\#(key)"}}"#))
    }

    @Test func placesAnswersWhereProfileReadsThem() async throws {
        try await withDescribed { sandbox, client async throws in
            let answer = try await signIn(client)
            #expect(answer.status == 200)
            let body = try answer.json()
            #expect(body["ok"] == true && body["data"]?["user"]?["id"] == 1 && body["data"]?["ends"] == 60)
            let (headers, _) = try await signedIn(client)
            let taken = try await note(client, headers)
            #expect(taken.status == 201)
            #expect(try taken.json() == ["ok": true, "note": ["id": 1]])
            #expect(sandbox.ledger.entries.map(\.resource) == ["note"])
            #expect(sandbox.ledger.entries.map(\.clientMutationID) == ["k1"])
            #expect(sandbox.ledger.logInCount == 2)
            #expect(try await client.send("GET", "/v2/me", headers: headers).json()["me"] == ["id": 1])
            #expect(try await client.send("GET", "/v2/me", headers: Self.station).json()["me"] == ["id": .null])
            let found = try await client.send("GET", "/v2/people/5/notes", headers: headers).json()
            #expect(found["notes"] == [["id": 1, "key": "k1"]])
            #expect(try await client.send("GET", "/v2/people/6/notes", headers: headers).json()["notes"] == [])
        }
    }

    @Test func acceptsOnlyTokensItIssued() async throws {
        try await withDescribed { sandbox, client async throws in
            let refused = try await signIn(client, password: "wrong")
            #expect(refused.status == 401)
            #expect(try refused.json() == ["ok": false, "error": ["words": "wrong email or password"]])
            for token in ["", "Bearer made-up"] {
                let answer = try await note(client, Self.station.merging(["authorization": token]) { $1 })
                #expect(answer.status == 401)
                #expect(try answer.json()["error"]?["code"] == "NOBODY")
            }
            let (headers, refresh) = try await signedIn(client)
            sandbox.clock.advance(by: .seconds(60))
            #expect(try await note(client, headers).status == 401)
            func renew() async throws -> LabAnswer {
                try await client.send("POST", "/v2/refresh", headers: Self.station, body: .json(#"{"token":"\#(refresh)"}"#))
            }
            let renewed = try await renew()
            #expect(renewed.status == 200)
            let bearer = ["authorization": "Bearer \(try renewed.json()["token"]?.text ?? "")"].merging(Self.station) { $1 }
            #expect(try await note(client, bearer).status == 201)
            let again = try await renew()
            #expect(again.status == 401, "a refresh token turns over")
            #expect(try again.json()["error"]?["code"] == "ENDED")
            #expect(try await client.send("DELETE", "/v2/login", headers: bearer).status == 200)
            #expect(try await note(client, bearer).status == 401)
            #expect(sandbox.ledger.entries.count == 1)
        }
    }

    @Test(arguments: [
        ("GET", "/v2/nothing", "{}", 404, "the profile does not describe GET /v2/nothing"),
        ("POST", "/people/5/notes", "{}", 404, "it describes DELETE /v2/login"),
        ("POST", "/v2/people/5/notes", #"{"not":{}}"#, 400, #"does not match the profile at "/note""#),
        ("POST", "/v2/people/5/notes", #"{"note":{}}"#, 400, "lacks the entry's id at /note/key"),
        ("PUT", "/v2/people/5", #"{"nick":"A"}"#, 400, #"at "/name""#),
    ])
    func refusesRequestsOutsideProfileWithReason(
        _ method: String, _ path: String, _ body: String, _ status: Int, _ words: String
    ) async throws {
        try await withDescribed { sandbox, client async throws in
            let (headers, _) = try await signedIn(client)
            let answer = try await client.send(method, path, headers: headers, body: method == "GET" ? .none : .json(body))
            #expect(answer.status == status)
            #expect(try answer.json()["error"]?["words"]?.text?.contains(words) == true, "\(answer.text)")
            let bare = try await client.send("GET", "/v2/me")
            #expect(bare.status == 400 && bare.text.contains("the header x-station"))
            #expect(sandbox.ledger.entries.isEmpty)
        }
    }

    @Test func repeatedDeleteAndPutChangeNothing() async throws {
        try await withDescribed { sandbox, client async throws in
            let (headers, _) = try await signedIn(client)
            let first = try await client.send("DELETE", "/v2/notes/9", headers: headers)
            #expect(first.status == 204 && first.body.isEmpty)
            #expect(try await client.send("DELETE", "/v2/notes/9", headers: headers).status == 404)
            for _ in 1...2 {
                #expect(try await client.send("PUT", "/v2/people/5", headers: headers, body: .json(#"{"name":"Ann"}"#)).status == 200)
            }
            #expect(sandbox.ledger.entries.map(\.resource) == ["forget", "name"])
        }
    }

    @Test func profileWithoutLoginAcceptsSandboxTokens() async throws {
        let profile = """
            schema: 1
            name: keys
            base_url: https://api.example.org
            idempotency: {header: Idempotency-Key, quoted: true}
            auth: {scheme: bearer, placement: "query:key"}
            routes: {note: {request: POST /notes, json: "{item.payload}"}}
            """
        try await withDescribed(profile, named: "keys") { sandbox, client async throws in
            func send(_ token: String, _ key: String?) async throws -> Int {
                try await client.send(
                    "POST", "/notes?key=\(token)", headers: key.map { ["idempotency-key": $0] } ?? [:], body: .json("{}")
                ).status
            }
            #expect(try await send("made-up", "\"a\"") == 401)
            #expect(try await send("sandbox-token-2", nil) == 400)
            #expect(try await send("sandbox-token-2", "a") == 400, "not in quotes")
            #expect(try await send("sandbox-token-2", "\"a\"") == 201)
            #expect(try await send("sandbox-token-2", "\"a\"") == 201)
            #expect(sandbox.ledger.entries.map(\.account) == [2], "the same key is the same note")
            sandbox.expireSessions(rememberTokens: true)
            #expect(try await send("sandbox-token-2", "\"b\"") == 401)
        }
    }

    @Test func refusesProfileWithMistakes() async throws {
        let wrong = Self.notes.replacing("scheme: bearer", with: "scheme: basic").replacing("remote_id: /note/id", with: "remote_id: id")
        let error = await #expect(throws: (any Error).self) { try await withDescribed(wrong) { _, _ in } }
        #expect("\(error.map { "\($0)" } ?? "")".contains("notes.yaml:"))
        #expect("\(error.map { "\($0)" } ?? "")".contains("routes.note.remote_id: expected a JSON pointer"))
    }

    @Test func listsSupportPagesAndDelay() async throws {
        let paged = Self.notes.replacing("remote_id: /id}", with: "remote_id: /id, pages: {page: p, per_page: n, total: /count}}")
        try await withDescribed(paged, access: 100_000) { sandbox, client async throws in
            try sandbox.change(["page-size": 2, "list-lag": 3_600_000])
            let (headers, _) = try await signedIn(client)
            for key in ["a", "b", "c"] { #expect(try await note(client, headers, key: key).status == 201) }
            func list(_ query: String) async throws -> (keys: [String], total: Int?) {
                let body = try await client.send("GET", "/v2/people/5/notes?\(query)", headers: headers).json()
                return (body["notes"]?.elements?.compactMap { $0["key"]?.text } ?? [], body["count"]?.integer)
            }
            #expect(try await list("p=1&n=100") == ([], 0))
            sandbox.clock.advance(by: .seconds(3600))
            #expect(try await list("p=1&n=100") == (["a", "b"], 3))
            #expect(try await list("p=2&n=100") == (["c"], 3))
            #expect(try await list("p=3&n=100") == ([], 3))
            #expect(try await list("p=3&n=1") == (["c"], 3))
        }
    }

    @Test func servesResourceInPagesAndAnswersUnchangedPageWith304() async throws {
        let resource = """

            resources:
              people:
                title: {one: person, many: people}
                request: GET /people
                list: /data/people
                id: /person/id
                label: [/first_name, /last_name]
                keep: [/group]
                pages: {page: p, per_page: n, total: /count}
            """
        try await withDescribed(Self.notes + resource) { sandbox, client async throws in
            let path = "/v2/people?p=2&n=2"
            #expect(try await client.send("GET", path, headers: Self.station).status == 401)
            let (headers, _) = try await signedIn(client)
            let page = try await client.send("GET", path, headers: headers)
            let row: JSON = ["person": ["id": 3], "first_name": "first_name 3", "last_name": "last_name 3", "group": "group 3"]
            #expect(try page.json() == ["ok": true, "data": ["people": [row]], "count": 3])
            let conditional = headers.merging(["if-none-match": try #require(page.header("etag"))]) { $1 }
            let unchanged = try await client.send("GET", path, headers: conditional)
            #expect(unchanged.status == 304 && unchanged.body.isEmpty)
            try sandbox.change(["rows": 4])
            #expect(try await client.send("GET", path, headers: conditional).status == 200)
        }
    }

    /// Ids are unique over all parents.
    @Test(arguments: ["numbers", "large", "text"]) func servesRowsOfEachParent(form: String) async throws {
        let resources = """

            resources:
              people: {request: GET /people, list: /people, id: /id}
              notes: {request: "GET /people/{parent}/all", parent: people, list: /notes, id: /id}
            """
        try await withDescribed(Self.notes + resources) { sandbox, client async throws in
            try sandbox.change(["ids": .string(form), "rows": 2])
            let (headers, _) = try await signedIn(client)
            func ids(_ path: String, _ list: String) async throws -> [JSON] {
                try await client.send("GET", "/v2/\(path)", headers: headers).json()[list]?.elements?.compactMap { $0["id"] } ?? []
            }
            var all: [JSON] = []
            for person in try await ids("people", "people") {
                all += try await ids("people/\(person.text ?? person.description)/all", "notes")
            }
            #expect(all.count == 4 && Set(all.map(\.description)).count == 4)
            #expect(try await client.send("GET", "/v2/people/x/all", headers: headers).status == 404)
        }
    }

    @Test func answerRepeatsWhatTheProfileSays() async throws {
        let repeats = #"    repeats: {/note/person: "{item.person}"}"#
        let profile = Self.notes.replacing("    promises: /note\n", with: "    promises: /note\n\(repeats)\n")
        try await withDescribed(profile) { _, client async throws in
            let (headers, _) = try await signedIn(client)
            #expect(try await note(client, headers).json()["note"] == ["id": 1, "person": "5"])
        }
    }

    @Test(arguments: [("large", JSON.large("9223372036854775808")), ("text", "id-1"), ("numbers", 1)])
    func idsHaveConfiguredForm(_ form: String, _ id: JSON) async throws {
        try await withDescribed { sandbox, client async throws in
            try sandbox.change(["ids": .string(form)])
            #expect(try await signIn(client).json()["data"]?["user"]?["id"] == id)
            let (headers, _) = try await signedIn(client)
            #expect(try await note(client, headers).json()["note"]?["id"] == id)
            #expect(try await client.send("GET", "/v2/people/5/notes", headers: headers).json()["notes"] == [["id": id, "key": "k1"]])
            #expect(try await client.send("GET", "/v2/me", headers: headers).json()["me"]?["id"] == id)
        }
    }

    @Test func appliesFaultOnce() async throws {
        try await withDescribed { sandbox, client async throws in
            let (headers, _) = try await signedIn(client)
            await sandbox.apply(.error(409, code: "TAKEN", count: 1))
            let answer = try await note(client, headers)
            #expect(answer.status == 409)
            #expect(try answer.json()["error"]?["code"] == "TAKEN")
            #expect(try await note(client, headers).status == 201)
        }
    }
}
