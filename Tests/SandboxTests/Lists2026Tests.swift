import Sandbox
import Testing

@Suite struct Lists2026Tests {
    private static let unlimited = SandboxBackend.lists2026(Lists2026Configuration { $0.limits = .none })

    @Test func signInIsNestedAndReturnsBothTokens() async throws {
        try await withSandbox(of: Self.unlimited) { _, client async throws in
            let body = try await client.lists2026LogIn().json()
            #expect(body.members?.keys.sorted() == ["refresh_token", "token", "user"])
            #expect(body["user"]?["id"]?.text == ListsConfiguration.labAccounts[0].id)
            let claims = try TokenClaims(body["token"]?.text)
            #expect(claims.expires - claims.issued == 3600)
            let flat = try await client.listsLogIn()
            #expect(flat.status == 400)
            #expect(try flat.json()["error"]?["code"] == "parameter_missing")
        }
    }

    @Test func refreshRotatesTokenFromHeaderOrBody() async throws {
        try await withSandbox(of: Self.unlimited) { sandbox, client async throws in
            let first = try await client.lists2026Tokens()
            let path = "/api/v1/auth/refresh"
            let ignored = try await client.send("POST", "\(path)?refresh_token=\(first.refresh)")
            #expect(try ignored.json()["error"]?["code"] == "token_invalid")
            let second = try LabTokens(ofLists: try await client.lists2026Refresh(first.refresh).json())
            let answer = try await client.send("POST", path, body: .json(#"{"refresh_token":"\#(second.refresh)"}"#))
            let third = try LabTokens(ofLists: try answer.json())
            #expect(Set([first.refresh, second.refresh, third.refresh]).count == 3)
            #expect(try await client.addList(third).status == 201)
            #expect(sandbox.ledger.requests.map(\.rememberedAccount) == [nil, nil, 1, 1, nil])
        }
    }

    @Test func tokenReusedWithinGraceKeepsItsFamily() async throws {
        try await withSandbox(of: Self.unlimited) { sandbox, client async throws in
            let first = try await client.lists2026Tokens()
            let second = try LabTokens(ofLists: try await client.lists2026Refresh(first.refresh).json())
            sandbox.clock.advance(by: .seconds(5))
            let again = try await client.lists2026Refresh(first.refresh)
            #expect(again.status == 401)
            #expect(try again.json()["error"]?["code"] == "token_already_refreshed")
            #expect(try again.json()["token"] == nil)
            #expect(try await client.lists2026Refresh(second.refresh).status == 200)
        }
    }

    @Test(arguments: [(0, 0), (10, 10)])
    func tokenReusedAfterGraceEndsItsFamily(_ grace: Int, _ pause: Int) async throws {
        let configuration = Lists2026Configuration { ($0.grace, $0.limits) = (grace, .none) }
        try await withSandbox(of: .lists2026(configuration)) { sandbox, client async throws in
            let first = try await client.lists2026Tokens()
            let stranger = try await client.lists2026Tokens()
            let second = try LabTokens(ofLists: try await client.lists2026Refresh(first.refresh).json())
            sandbox.clock.advance(by: .seconds(pause))
            #expect(try await client.lists2026RefreshCode(first.refresh) == "token_reused")
            #expect(try await client.lists2026RefreshCode(second.refresh) == "token_invalid")
            #expect(try await client.lists2026RefreshCode(first.refresh) == "token_reused")
            #expect(try await client.lists2026RefreshCode(stranger.refresh) == nil)
        }
    }

    @Test func tokensExpireByTheClock() async throws {
        let configuration = Lists2026Configuration { ($0.accessLifetime, $0.refreshLifetime, $0.limits) = (60, 600, .none) }
        try await withSandbox(of: .lists2026(configuration)) { sandbox, client async throws in
            let tokens = try await client.lists2026Tokens()
            sandbox.clock.advance(by: .seconds(60))
            let refused = try await client.addList(tokens)
            #expect(refused.status == 401)
            #expect(refused.header("www-authenticate") == #"Bearer realm="Application""#)
            #expect(try refused.json()["error"] == ["code": "unauthorized", "message": "Unauthorized"])
            sandbox.clock.advance(by: .seconds(600))
            #expect(try await client.lists2026RefreshCode(tokens.refresh) == "token_expired")
            #expect(try await client.lists2026RefreshCode("nonsense") == "token_invalid")
        }
    }

    @Test(arguments: [true, false])
    func signOutEndsRefreshTokenOnlyIfSent(_ sendsIt: Bool) async throws {
        try await withSandbox(of: Self.unlimited) { _, client async throws in
            let tokens = try await client.lists2026Tokens()
            let headers = sendsIt ? tokens.bearer.merging(["x-refresh-token": tokens.refresh]) { $1 } : tokens.bearer
            #expect(try await client.send("DELETE", "/api/v1/auth/sign_out", headers: headers).status == 204)
            #expect(try await client.addList(tokens).status == 401)
            #expect(try await client.lists2026RefreshCode(tokens.refresh) == (sendsIt ? "token_invalid" : nil))
            #expect(try await client.send("DELETE", "/api/v1/auth/sign_out").status == 204)
        }
    }

    @Test func eleventhFamilyEndsOldestOne() async throws {
        try await withSandbox(of: Self.unlimited) { _, client async throws in
            var families: [LabTokens] = []
            for _ in 1...11 { families.append(try await client.lists2026Tokens()) }
            #expect(try await client.lists2026RefreshCode(families[0].refresh) == "token_invalid")
            #expect(try await client.lists2026RefreshCode(families[1].refresh) == nil)
        }
    }

    @Test func enforcesLimitsOfRealServer() async throws {
        try await withSandbox(of: .lists2026()) { sandbox, client async throws in
            for _ in 1...5 { _ = try await client.lists2026LogIn(password: "wrong") }
            let refused = try await client.lists2026LogIn()
            #expect(refused.status == 429)
            #expect(refused.header("retry-after") == "60")
            #expect(try refused.json()["error"]?["code"] == nil)
            #expect(try refused.json()["error"]?["retry_after"] == 60)
            sandbox.clock.advance(by: .seconds(60))
            let tokens = try await client.lists2026Tokens()
            for _ in 1...60 { #expect(try await client.addList(tokens).status == 201) }
            #expect(try await client.addList(tokens).status == 429)
            for _ in 1...10 { #expect(try await client.lists2026RefreshCode("x") == "token_invalid") }
            #expect(try await client.lists2026Refresh(tokens.refresh).status == 429)
            sandbox.clock.advance(by: .seconds(60))
            #expect(try await client.lists2026Refresh(tokens.refresh).status == 200)
        }
    }

    @Test func errorsHaveTheirCodes() async throws {
        try await withSandbox(of: Self.unlimited) { sandbox, client async throws in
            let tokens = try await client.lists2026Tokens()
            #expect(try await client.addList(tokens, name: "").json()["error"]?["code"] == "validation_error")
            let broken = try await client.send("POST", "/api/v1/lists", headers: tokens.bearer, body: .json("{"))
            #expect(try broken.json()["error"]?["code"] == "parse_error")
            #expect(try await client.send("GET", "/api/v1/nothing").json()["error"]?["code"] == "not_found")
            for (status, code) in [(403, "not_authorized"), (409, "conflict"), (410, "gone")] {
                await sandbox.apply(.error(status, count: 1))
                #expect(try await client.addList(tokens).json()["error"]?["code"]?.text == code)
            }
        }
    }
}
