import Sandbox
import Testing

@Suite struct BreatheSafePeopleTests {
    private func names(_ client: LabClient, _ query: String = "") async throws -> [String] {
        let rows = try await client.send("GET", "/managed_users\(query)").json()["managed_users"]?.elements ?? []
        return rows.map { "\($0["first_name"]?.text ?? "") \($0["last_name"]?.text ?? "")" }
    }

    @Test func peopleHaveConfiguredProfiles() async throws {
        let anna: JSONObject = ["first_name": "Anna", "last_name": "Example", "race_ethnicity": "planted"]
        let backend = BreatheSafeConfiguration { $0.managedUsers = [.init(user: 5, profile: anna), .init(user: 6)] }
        try await withSandbox(backend) { _, client async throws in
            try await client.logIn()
            #expect(try await names(client) == ["Anna Example", "Edit Me"])
            let row = try await client.send("GET", "/managed_users").json()["managed_users"]?.elements?.first
            #expect(row?["race_ethnicity"] == "planted")
        }
    }

    @Test func settingSetsNumberOfPeople() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            try sandbox.change(["people": 130])
            #expect(try await client.send("GET", "/managed_users").json()["total_count"] == 130)
            #expect(try await names(client, "?page=2&per_page=100").last == "Person 00130")
            try sandbox.change(["people": 1])
            #expect(try await names(client) == ["Edit Me"])
            let other = LabClient(sandbox.baseURL)
            try await other.logIn("other@lab.test")
            #expect(try await names(other) == ["Edit Me"], "another account's people changed")
        }
    }

    @Test func pagesCanHaveFixedSize() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            try sandbox.change(["people": 60, "ignore-per-page": true])
            for (page, rows) in [(1, 25), (2, 25), (3, 10), (4, 0)] {
                #expect(try await names(client, "?page=\(page)&per_page=100").count == rows)
            }
        }
    }

    @Test func listHasOneETagUntilItChanges() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            let path = "/managed_users?page=1&per_page=100"
            func tag() async throws -> String? { try await client.send("GET", path).header("etag") }
            let first = try #require(try await tag())
            let cookie = await client.jar
            #expect(try await tag() == first)
            #expect(await client.jar != cookie, "no cookie was re-issued")
            try sandbox.addPerson([:])
            #expect(try await tag() != first)
            try sandbox.change(["list-etag": false])
            #expect(try await client.send("GET", path, headers: ["if-none-match": first]).status == 200)
            #expect(try await tag() == nil)
            #expect(try await client.send("GET", "/csrf_token").header("etag") != nil)
        }
    }

    @Test func controlCallsAddAndRemovePeople() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            let control = LabClient(sandbox.controlURL)
            let added = try await control.send("POST", "/add-person", body: .json(#"{"first_name":"Anna","last_name":"Example"}"#))
            #expect(added.status == 201)
            #expect(try await names(client).last == "Anna Example")
            let id = try #require(try added.json()["managed_id"]?.integer)
            #expect(try await control.send("POST", "/remove-person", body: .json(#"{"managed_id":\#(id)}"#)).status == 200)
            #expect(try await names(client).count == 5)
            #expect(try await client.upload(to: id).status == 404)
            #expect(sandbox.ledger.entries.isEmpty)
        }
    }

    @Test func otherBackendsHaveNoPeople() async throws {
        try await withSandbox(of: .lists()) { sandbox, _ async throws in
            _ = #expect(throws: FaultProblem.self) { try sandbox.addPerson([:]) }
        }
    }
}
