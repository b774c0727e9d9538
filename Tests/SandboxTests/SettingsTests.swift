import Sandbox
import Testing

@Suite struct SettingsTests {
    @Test func listsBackendChangesErrorFormAndLimit() async throws {
        try await withSandbox(of: .lists()) { sandbox, client async throws in
            #expect(try await client.send("GET", "/api/v1/lists").json()["error"] == "Invalid token")
            try sandbox.change(["error-form": "object", "log-ins": .null])
            #expect(try await client.send("GET", "/api/v1/lists").json()["error"]?["message"] == "Invalid token")
            for _ in 1...7 { #expect(try await client.listsLogIn().status == 200) }
            #expect(sandbox.settings == ["error-form": "object", "log-ins": .null])
        }
    }

    @Test func labLoopImitatesCurrentOrOlderServer() async throws {
        try await withSandbox(of: .labLoop()) { sandbox, client async throws in
            try sandbox.change(["error-form": "flat", "locked-status": 401, "empties-web-refresh": true, "stated-lifetime": 3600])
            let tokens = try await client.labLoopLogIn().json()["data"]?["tokens"]
            #expect(tokens?["expiresIn"] == 3600)
            #expect(try await client.labLoopRefreshOnTheWeb(tokens?["refreshToken"]?.text ?? "").json()["data"] == [:])
            var answer = try await client.labLoopLogIn(password: "wrong")
            for _ in 1...5 { answer = try await client.labLoopLogIn(password: "wrong") }
            #expect(answer.status == 401 && answer.text.contains("temporarily locked"))
            #expect(try answer.json()["error"]?.text?.contains("temporarily locked") == true)
            try sandbox.change(["log-ins": 1])
            #expect(try await client.labLoopLogIn(password: "wrong").status == 401)
            #expect(try await client.labLoopLogIn(password: "wrong").status == 429)
        }
    }

    @Test func breatheSafeListsChangesAfterLag() async throws {
        try await withSandbox { sandbox, client async throws in
            try sandbox.change(["list-lag": 1_200_000])
            try await client.logIn()
            #expect(try await client.upload(key: "a").status == 201)
            func rows() async throws -> Int? {
                try await client.send("GET", "/users/5/facial_measurements").json()["facial_measurements"]?.elements?.count
            }
            #expect(try await rows() == 0)
            sandbox.clock.advance(by: .seconds(1200))
            #expect(try await rows() == 1)
            #expect(sandbox.settings == ["list-lag": 1_200_000, "ignore-per-page": false, "list-etag": true, "people": 5])
        }
    }

    @Test(arguments: [("same", 1), ("new", 2), ("none", 0)])
    func firebaseRenewsRefreshTokensInThreeWays(_ renewal: String, _ tokens: Int) async throws {
        try await withSandbox(of: .story16()) { sandbox, client async throws in
            try sandbox.change(["renewal": .string(renewal)])
            let first = try await client.firebaseTokens("manager@lab.test").refresh
            let second = try await client.firebaseRefresh(first).json()["refresh_token"]?.text
            #expect((second == nil ? 0 : Set([first, second]).count) == tokens)
            try sandbox.change(["api-key": "another"])
            #expect(try await client.firebaseRefresh(first).status == 400)
        }
    }

    @Test(arguments: [
        (SandboxBackend.lists(), "error-form", JSON("html")), (.lists(), "log-ins", 0), (.labLoop(), "locked-status", 500),
        (.labLoop(), "empties-web-refresh", 1), (.labLoop(), "no-such", 1), (.story16(), "renewal", "sometimes"),
        (.story16(), "api-key", ""), (.breatheSafe(), "list-lag", -1), (.breatheSafe(), "page-size", 1),
        (.breatheSafe(), "people", -1),
    ])
    func invalidSettingChangesNothing(_ backend: SandboxBackend, _ name: String, _ value: JSON) async throws {
        try await withSandbox(of: backend) { sandbox, _ async throws in
            let before = sandbox.settings
            #expect(throws: FaultProblem.self) { try sandbox.change([name: value]) }
            #expect(sandbox.settings == before && !before.isEmpty)
        }
    }
}
