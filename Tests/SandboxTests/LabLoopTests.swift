import Foundation
import Sandbox
import Testing

@Suite struct LabLoopTests {
    @Test func signInReturnsUserAndLifetime() async throws {
        try await withSandbox(of: .labLoop()) { sandbox, client async throws in
            let answer = try await client.labLoopLogIn()
            #expect(answer.status == 200)
            let body = try answer.json()
            #expect(body["success"] == true)
            #expect(body["data"]?["user"]?["_id"]?.text == LabLoopConfiguration.labAccounts[0].id)
            #expect(body["data"]?["tokens"]?["tokenType"] == "Bearer")
            #expect(body["data"]?["tokens"]?["expiresIn"] == 900)
            let claims = try TokenClaims(body["data"]?["tokens"]?["accessToken"]?.text)
            #expect(claims.expires - claims.issued == 900)
            #expect(sandbox.ledger.logInCount == 1)
        }
    }

    @Test func statedLifetimeMayDifferFromToken() async throws {
        let configuration = LabLoopConfiguration { ($0.accessLifetime, $0.statedLifetime) = (60, 3600) }
        try await withSandbox(of: .labLoop(configuration)) { _, client async throws in
            let tokens = try await client.labLoopLogIn().json()["data"]?["tokens"]
            #expect(tokens?["expiresIn"] == 3600)
            let claims = try TokenClaims(tokens?["accessToken"]?.text)
            #expect(claims.expires - claims.issued == 60)
        }
    }

    @Test func expiredAccessTokenIsRefusedLikeInvalidOne() async throws {
        try await withSandbox(of: .labLoop(LabLoopConfiguration { $0.accessLifetime = 60 })) { sandbox, client async throws in
            let tokens = try await client.labLoopTokens()
            #expect(try await client.appoint(tokens).status == 201)
            sandbox.clock.advance(by: .seconds(60))
            let expired = try await client.appoint(tokens)
            let bad = try await client.appoint(LabTokens(access: "a.b.c", refresh: ""))
            #expect(expired.status == 401)
            #expect(try expired.json()["error"]?["code"] == "UNAUTHORIZED")
            #expect(expired.body == bad.body)
            #expect(sandbox.ledger.requests.map(\.account) == [nil, 1, 1, nil])
            #expect(sandbox.ledger.entries.count == 1)
        }
    }

    @Test(arguments: [true, false])
    func refreshRotatesTokenAndInvalidatesOldOne(_ byBody: Bool) async throws {
        try await withSandbox(of: .labLoop(LabLoopConfiguration { $0.accessLifetime = 60 })) { sandbox, client async throws in
            func refresh(_ token: String) async throws -> LabAnswer {
                byBody ? try await client.labLoopRefreshByBody(token) : try await client.labLoopRefreshByHeader(token)
            }
            let old = try await client.labLoopTokens()
            sandbox.clock.advance(by: .seconds(61))
            let answer = try await refresh(old.refresh)
            #expect(answer.status == 200)
            #expect(answer.header("cache-control") == (byBody ? nil : "private, max-age=3600"))
            let new = try LabTokens(at: answer.json()["data"])
            #expect(new.access != old.access && new.refresh != old.refresh)
            #expect(try await client.appoint(new).status == 201)
            #expect(try await refresh(old.refresh).status == 401)
            #expect(try await refresh(new.refresh).status == 200)
            #expect(sandbox.ledger.requests.map(\.rememberedAccount) == [nil, 1, nil, 1, 1])
        }
    }

    @Test func theWebRefreshDoesNotRotate() async throws {
        try await withSandbox(of: .labLoop()) { _, client async throws in
            let tokens = try await client.labLoopTokens()
            for _ in 1...2 {
                let data = try await client.labLoopRefreshOnTheWeb(tokens.refresh).json()["data"]?.members
                #expect(data?.keys.sorted() == ["accessToken", "expiresIn"])
            }
        }
    }

    @Test func theWebRefreshMayAnswerWithoutAToken() async throws {
        try await withSandbox(of: .labLoop(LabLoopConfiguration { $0.emptiesWebRefresh = true })) { _, client async throws in
            let tokens = try await client.labLoopTokens()
            let answer = try await client.labLoopRefreshOnTheWeb(tokens.refresh)
            #expect(answer.status == 200)
            #expect(try answer.json()["data"] == [:])
        }
    }

    @Test func aRefreshTokenExpiresByTheClock() async throws {
        try await withSandbox(of: .labLoop(LabLoopConfiguration { $0.refreshLifetime = 600 })) { sandbox, client async throws in
            let tokens = try await client.labLoopTokens()
            sandbox.clock.advance(by: .seconds(601))
            #expect(try await client.labLoopRefreshByBody(tokens.refresh).status == 401)
            #expect(try await client.labLoopRefreshOnTheWeb(tokens.refresh).status == 401)
        }
    }

    @Test func aRefreshWithoutATokenOrADeviceIsInvalid() async throws {
        try await withSandbox(of: .labLoop()) { _, client async throws in
            let tokens = try await client.labLoopTokens()
            let path = "/api/mobile/auth/refresh"
            #expect(try await client.send("POST", path, body: .json("{}")).json()["error"]?["code"] == "VALIDATION_ERROR")
            #expect(try await client.send("GET", path, headers: ["x-refresh-token": tokens.refresh]).status == 400)
            #expect(try await client.labLoopRefreshByBody(tokens.refresh).status == 200)
        }
    }

    @Test func sameUserAgentReplacesDevice() async throws {
        try await withSandbox(of: .labLoop()) { _, client async throws in
            let first = try await client.labLoopTokens(device: "phone")
            let tablet = try await client.labLoopTokens(device: "tablet")
            let stranger = try await client.labLoopTokens("other@lab.test", device: "phone")
            let second = try await client.labLoopTokens(device: "phone")
            #expect(try await client.labLoopRefreshByBody(first.refresh).status == 401)
            for tokens in [tablet, stranger, second] { #expect(try await client.labLoopRefreshByBody(tokens.refresh).status == 200) }
        }
    }

    @Test func sixthDeviceEndsOldestSession() async throws {
        try await withSandbox(of: .labLoop()) { _, client async throws in
            var tokens: [LabTokens] = []
            for device in 1...6 { tokens.append(try await client.labLoopTokens(device: "device \(device)")) }
            var statuses: [Int] = []
            for tokens in tokens { statuses.append(try await client.labLoopRefreshByBody(tokens.refresh).status) }
            #expect(statuses == [401, 200, 200, 200, 200, 200])
        }
    }

    @Test(arguments: [
        (#"{"deviceId":"phone"}"#, "Device session terminated", [401, 200]),
        (#"{"allDevices":true}"#, "All device sessions terminated", [401, 401]),
    ])
    func aSignOutEndsOneDeviceOrAll(_ body: String, _ message: String, _ left: [Int]) async throws {
        try await withSandbox(of: .labLoop()) { _, client async throws in
            let phone = try await client.labLoopTokens(device: "phone")
            let tablet = try await client.labLoopTokens(device: "tablet")
            let other = try await client.labLoopTokens("other@lab.test", device: "phone")
            let answer = try await client.send("POST", "/api/mobile/auth/logout", headers: phone.bearer, body: .json(body))
            #expect(answer.status == 200)
            #expect(try answer.json()["data"] == ["success": true, "message": .string(message)])
            #expect(try await client.labLoopRefreshByBody(phone.refresh).status == left[0])
            #expect(try await client.labLoopRefreshByBody(tablet.refresh).status == left[1])
            #expect(try await client.labLoopRefreshByBody(other.refresh).status == 200)
        }
    }

    @Test func signOutRequiresTokenAndTarget() async throws {
        try await withSandbox(of: .labLoop()) { _, client async throws in
            let tokens = try await client.labLoopTokens()
            let path = "/api/mobile/auth/logout"
            #expect(try await client.send("POST", path, body: .json(#"{"allDevices":true}"#)).status == 401)
            #expect(try await client.send("POST", path, headers: tokens.bearer, body: .json("{}")).status == 400)
            let web = try await client.send(
                "POST", "/api/web/auth/logout", headers: tokens.bearer.merging(["x-refresh-token": tokens.refresh]) { $1 })
            #expect(web.status == 400)
            #expect(try web.json()["message"] == "Refresh token is required")
        }
    }

    @Test(arguments: [423, 401])
    func theFifthWrongPasswordLocksForTwoHours(_ status: Int) async throws {
        try await withSandbox(of: .labLoop(LabLoopConfiguration { $0.lockedStatus = status })) { sandbox, client async throws in
            var statuses: [Int] = []
            for _ in 1...5 { statuses.append(try await client.labLoopLogIn(password: "wrong").status) }
            #expect(statuses == [401, 401, 401, 401, status])
            let locked = try await client.labLoopLogIn()
            #expect(locked.status == status)
            #expect(try locked.json()["message"]?.text?.contains("temporarily locked") == true)
            #expect(try await client.labLoopLogIn("other@lab.test").status == 200)
            sandbox.clock.advance(by: .seconds(7200))
            #expect(try await client.labLoopLogIn().status == 200)
        }
    }

    @Test func tooManySignInsAreRefusedForFifteenMinutes() async throws {
        try await withSandbox(of: .labLoop(LabLoopConfiguration { $0.mostLogIns = 5 })) { sandbox, client async throws in
            for _ in 1...5 { #expect(try await client.labLoopLogIn().status == 200) }
            let refused = try await client.labLoopLogIn()
            #expect(refused.status == 429)
            #expect(try refused.json()["code"] == "RATE_LIMIT_EXCEEDED")
            sandbox.clock.advance(by: .seconds(900))
            #expect(try await client.labLoopLogIn().status == 200)
        }
    }

    @Test(arguments: [
        (LabLoopConfiguration.ErrorForm.nested, ["error", "code"]), (.flat, ["code"]), (.retryable, ["error", "code"]),
    ])
    func errorCodePlaceDependsOnErrorForm(_ form: LabLoopConfiguration.ErrorForm, _ place: [String]) async throws {
        try await withSandbox(of: .labLoop(LabLoopConfiguration { $0.errorForm = form })) { _, client async throws in
            let body = try await client.labLoopLogIn(password: "wrong").json()
            #expect(body["success"] == false)
            #expect(place.reduce(body) { $0[$1] ?? .null } == "UNAUTHORIZED")
            #expect(try await client.send("GET", "/api/nothing").status == 404)
        }
    }

    @Test func appointmentIsCommittedWithItsKey() async throws {
        try await withSandbox(of: .labLoop()) { sandbox, client async throws in
            let tokens = try await client.labLoopTokens()
            let answer = try await client.appoint(tokens, key: "a")
            #expect(try answer.json()["data"]?["_id"]?.text?.count == 24)
            _ = try await client.appoint(tokens, headers: ["idempotency-key": "\"b\""])
            _ = try await client.appoint(tokens)
            #expect(try await client.send("POST", "/api/mobile/appointments", headers: tokens.bearer, body: .json("[]")).status == 400)
            #expect(sandbox.ledger.entries.map(\.clientMutationID) == ["a", "b", nil])
            #expect(sandbox.ledger.entries.map(\.account) == [1, 1, 1])
            #expect(sandbox.ledger.entries.map(\.resource) == ["appointment", "appointment", "appointment"])
            let list = try await client.send("GET", "/api/mobile/appointments", headers: tokens.bearer).json()
            #expect(list["data"]?["appointments"]?.elements?.count == 3)
        }
    }
}
