import Sandbox
import Testing

@Suite struct ListsTests {
    @Test(arguments: ["/api/v1/auth/sign_in", "/api/v1/login"])
    func signInIsFlatWithoutRefreshToken(_ path: String) async throws {
        try await withSandbox(of: .lists()) { sandbox, client async throws in
            let answer = try await client.listsLogIn(path: path)
            #expect(answer.status == 200)
            let body = try answer.json()
            #expect(body.members?.keys.sorted() == ["message", "token", "user"])
            #expect(body["user"]?["id"]?.text == ListsConfiguration.labAccounts[0].id)
            let claims = try TokenClaims(body["token"]?.text)
            #expect(claims.claims.members?.keys.sorted() == ["exp", "user_id"])
            #expect(sandbox.ledger.requests.map(\.signingIn) == ["manager@lab.test"])
        }
    }

    @Test(arguments: ListsConfiguration.ErrorForm.allCases)
    func errorIsTextOrObject(_ form: ListsConfiguration.ErrorForm) async throws {
        try await withSandbox(of: .lists(ListsConfiguration { $0.errorForm = form })) { _, client async throws in
            let error = try await client.send("GET", "/api/v1/lists").json()["error"]
            #expect((form == .text ? error : error?["message"]) == "Invalid token")
            #expect(error?["status"] == (form == .text ? nil : 401))
            #expect(try await client.listsLogIn(password: "wrong").status == 401)
        }
    }

    @Test func aTokenExpiresByTheClock() async throws {
        try await withSandbox(of: .lists(ListsConfiguration { $0.tokenLifetime = 60 })) { sandbox, client async throws in
            let tokens = try LabTokens(ofLists: try await client.listsLogIn().json())
            #expect(try await client.addList(tokens).status == 201)
            sandbox.clock.advance(by: .seconds(60))
            #expect(try await client.addList(tokens).status == 401)
        }
    }

    @Test func signOutAnswersEmptyAndEndsNothing() async throws {
        try await withSandbox(of: .lists()) { _, client async throws in
            let tokens = try LabTokens(ofLists: try await client.listsLogIn().json())
            let answer = try await client.send("DELETE", "/api/v1/auth/sign_out", headers: tokens.bearer)
            #expect(answer.status == 204)
            #expect(answer.body == [])
            #expect(try await client.addList(tokens).status == 201)
            #expect(try await client.send("DELETE", "/api/v1/auth/sign_out").status == 401)
        }
    }

    @Test func sixthSignInPerMinuteIsRefused() async throws {
        try await withSandbox(of: .lists()) { sandbox, client async throws in
            for _ in 1...5 { _ = try await client.listsLogIn(password: "wrong") }
            let refused = try await client.listsLogIn()
            #expect(refused.status == 429)
            #expect(refused.header("retry-after") == "60")
            #expect(try refused.json()["error"]?["retry_after"] == 60)
            sandbox.clock.advance(by: .seconds(60))
            #expect(try await client.listsLogIn().status == 200)
        }
    }

    @Test func listIsCommittedAndReturnedUnwrapped() async throws {
        try await withSandbox(of: .lists()) { sandbox, client async throws in
            let tokens = try LabTokens(ofLists: try await client.listsLogIn().json())
            let answer = try await client.addList(tokens, key: "k")
            #expect(answer.status == 201)
            #expect(try answer.json()["id"] == 1)
            #expect(try answer.json()["owner"]?["email"] == "manager@lab.test")
            #expect(sandbox.ledger.entries.map(\.clientMutationID) == ["k"])
            #expect(sandbox.ledger.entries.map(\.remoteID) == [1])
            let lists = try await client.send("GET", "/api/v1/lists", headers: tokens.bearer).json()["lists"]
            #expect(lists?.elements?.count == 1)
            let tasks = try await client.send("GET", "/api/v1/lists/1/tasks", headers: tokens.bearer)
            #expect(try tasks.json() == ["tasks": [], "tombstones": []])
            #expect(try await client.send("GET", "/api/v1/lists/2/tasks", headers: tokens.bearer).status == 404)
            #expect(try await client.addList(tokens, name: " ").status == 422)
            #expect(try await client.send("POST", "/api/v1/lists", headers: tokens.bearer, body: .json("{}")).status == 400)
            #expect(sandbox.ledger.entries.count == 1)
        }
    }
}
