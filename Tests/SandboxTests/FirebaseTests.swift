import Sandbox
import Testing

@Suite struct FirebaseTests {
    @Test(arguments: ["", "/identitytoolkit.googleapis.com"])
    func signInAnswersInCamelCaseWithLifetimeAsText(_ prefix: String) async throws {
        try await withSandbox(of: .story16()) { sandbox, client async throws in
            let answer = try await client.firebaseLogIn(prefix: prefix)
            #expect(answer.status == 200)
            let body = try answer.json()
            #expect(body["expiresIn"] == "3600")
            #expect(body["localId"]?.text == FirebaseConfiguration.labAccounts[0].id)
            #expect(body["refreshToken"]?.text?.isEmpty == false)
            let claims = try TokenClaims(body["idToken"]?.text)
            #expect(claims.expires - claims.issued == 3600)
            #expect(sandbox.ledger.requests.map(\.signingIn) == ["manager@lab.test"])
        }
    }

    @Test(arguments: ["", "/securetoken.googleapis.com"])
    func refreshAnswersInSnakeCaseWithLifetimeAsText(_ prefix: String) async throws {
        try await withSandbox(of: .story16()) { sandbox, client async throws in
            let tokens = try await client.firebaseTokens()
            let answer = try await client.firebaseRefresh(tokens.refresh, prefix: prefix)
            #expect(answer.status == 200)
            let body = try answer.json()
            #expect(
                body.members?.keys.sorted() == [
                    "access_token", "expires_in", "id_token", "project_id", "refresh_token", "token_type", "user_id",
                ])
            #expect(body["expires_in"] == "3600")
            #expect(body["access_token"] == body["id_token"])
            #expect(body["id_token"]?.text != tokens.access)
            #expect(body["refresh_token"]?.text == tokens.refresh)
            #expect(sandbox.ledger.requests.map(\.rememberedAccount) == [nil, 1])
        }
    }

    @Test func tokenEndpointAlsoAcceptsCamelCaseJSON() async throws {
        try await withSandbox(of: .story16()) { _, client async throws in
            let tokens = try await client.firebaseTokens()
            let body = #"{"grantType":"refresh_token","refreshToken":"\#(tokens.refresh)"}"#
            #expect(try await client.send("POST", "/v1/token?key=any", body: .json(body)).status == 200)
        }
    }

    @Test(arguments: FirebaseConfiguration.Renewal.allCases)
    func refreshReturnsSameNewOrNoToken(_ renewal: FirebaseConfiguration.Renewal) async throws {
        try await withSandbox(of: .story16(FirebaseConfiguration { $0.renewal = renewal })) { _, client async throws in
            let tokens = try await client.firebaseTokens()
            let renewed = try await client.firebaseRefresh(tokens.refresh).json()["refresh_token"]?.text
            switch renewal {
            case .same: #expect(renewed == tokens.refresh)
            case .new: #expect(renewed != nil && renewed != tokens.refresh)
            case .none: #expect(renewed == nil)
            }
            #expect(try await client.firebaseRefresh(tokens.refresh).status == 200)
        }
    }

    @Test func idTokenExpiresButRefreshTokenDoesNot() async throws {
        try await withSandbox(of: .story16(FirebaseConfiguration { $0.idTokenLifetime = 60 })) { sandbox, client async throws in
            let tokens = try await client.firebaseTokens()
            #expect(try await client.story16Put(tokens, id: "a").status == 200)
            sandbox.clock.advance(by: .seconds(400 * 24 * 3600))
            #expect(try await client.story16Put(tokens, id: "b").status == 401)
            let fresh = try await client.firebaseRefresh(tokens.refresh).json()["id_token"]?.text ?? ""
            #expect(try await client.story16Put(LabTokens(access: fresh, refresh: ""), id: "b").status == 200)
        }
    }

    @Test func anImportedRefreshTokenWorks() async throws {
        let configuration = FirebaseConfiguration { $0.refreshTokens = ["imported": "other@lab.test"] }
        try await withSandbox(of: .story16(configuration)) { _, client async throws in
            let answer = try await client.firebaseRefresh("imported").json()
            #expect(answer["user_id"]?.text == FirebaseConfiguration.labAccounts[1].id)
        }
    }

    @Test(arguments: [
        (#"{"disabled":["manager@lab.test"]}"#, "USER_DISABLED", "USER_DISABLED"),
        (#"{"deleted":["manager@lab.test"],"hides-accounts":false}"#, "USER_NOT_FOUND", "EMAIL_NOT_FOUND"),
        (#"{"deleted":["manager@lab.test"]}"#, "USER_NOT_FOUND", "INVALID_LOGIN_CREDENTIALS"),
        (#"{"revoked":["manager@lab.test"]}"#, "TOKEN_EXPIRED", nil),
        (#"{"disabled":["other@lab.test"],"revoked":["other@lab.test"]}"#, nil, nil),
    ])
    func switchedOffAccountKeepsItsIDToken(_ settings: String, _ refresh: String?, _ logIn: String?) async throws {
        try await withSandbox(of: .story16()) { sandbox, client async throws in
            let tokens = try await client.firebaseTokens()
            let control = LabClient(sandbox.controlURL)
            #expect(try await control.send("POST", "/settings", body: .json(settings)).status == 200)
            #expect(try await client.firebaseRefresh(tokens.refresh).json()["error"]?["message"]?.text == refresh)
            #expect(try await client.firebaseLogIn().json()["error"]?["message"]?.text == logIn)
            #expect(try await client.story16Put(tokens, id: "a").status == 200)
        }
    }

    @Test(arguments: [
        ("grant_type=refresh_token&refresh_token=nonsense", "INVALID_REFRESH_TOKEN"),
        ("grant_type=refresh_token&refresh_token=another-project.0123", "PROJECT_NUMBER_MISMATCH"),
        ("grant_type=password&refresh_token=x", "INVALID_GRANT_TYPE"), ("grant_type=refresh_token", "MISSING_REFRESH_TOKEN"),
        ("refresh_token=x", "MISSING_GRANT_TYPE"),
    ])
    func tokenEndpointReturnsErrorCodes(_ form: String, _ code: String) async throws {
        try await withSandbox(of: .story16()) { _, client async throws in
            let answer = try await client.send("POST", "/v1/token?key=any", body: .form(form))
            #expect(answer.status == 400)
            #expect(try answer.json()["error"] == ["code": 400, "message": .string(code), "status": "INVALID_ARGUMENT"])
        }
    }

    @Test(arguments: [
        ("manager@lab.test", "wrong", true, "INVALID_LOGIN_CREDENTIALS"), ("manager@lab.test", "wrong", false, "INVALID_PASSWORD"),
        ("nobody@lab.test", "wrong", false, "EMAIL_NOT_FOUND"), ("nobody", "wrong", true, "INVALID_EMAIL"),
        ("manager@lab.test", "", true, "MISSING_PASSWORD"),
    ])
    func signInReturnsErrorCodes(_ email: String, _ password: String, _ hidesAccounts: Bool, _ code: String) async throws {
        try await withSandbox(of: .story16()) { sandbox, client async throws in
            try sandbox.change(["hides-accounts": .bool(hidesAccounts)])
            let error = try await client.firebaseLogIn(email, password: password).json()["error"]
            #expect(error?["code"] == 400)
            #expect(error?["message"]?.text == code)
            #expect(error?["errors"]?.elements?.first?["message"]?.text == code)
        }
    }

    @Test func theAPIKeyIsChecked() async throws {
        try await withSandbox(of: .story16(FirebaseConfiguration { $0.apiKey = "web" })) { _, client async throws in
            #expect(try await client.firebaseLogIn(key: "web").status == 200)
            let wrong = try await client.firebaseRefresh("x", key: "other")
            #expect(wrong.status == 400)
            #expect(try wrong.json()["error"]?["message"] == "API key not valid. Please pass a valid API key.")
            let missing = try await client.send("POST", "/v1/token", body: .form("grant_type=refresh_token"))
            #expect(missing.status == 403)
            #expect(try missing.json()["error"]?["status"] == "PERMISSION_DENIED")
        }
    }

    @Test(arguments: [
        (400, "TOO_MANY_ATTEMPTS_TRY_LATER : Access to this account has been temporarily disabled"), (400, "QUOTA_EXCEEDED"),
        (400, "TOKEN_EXPIRED"), (403, "PERMISSION_DENIED"), (429, "RESOURCE_EXHAUSTED"), (503, "UNAVAILABLE"),
    ])
    func faultsProduceOtherErrors(_ status: Int, _ message: String) async throws {
        try await withSandbox(of: .aiPhoto()) { sandbox, client async throws in
            let tokens = try await client.firebaseTokens()
            await sandbox.apply(.error(status, code: message, path: "/v1/token", count: 1))
            let answer = try await client.firebaseRefresh(tokens.refresh)
            #expect(answer.status == status)
            #expect(try answer.json()["error"]?["code"]?.integer == status)
            #expect(try answer.json()["error"]?["message"]?.text == message)
            #expect(try await client.firebaseRefresh(tokens.refresh).status == 200)
        }
    }

    @Test func secondFactorAnswersWithoutTokens() async throws {
        try await withSandbox(of: .story16()) { sandbox, client async throws in
            try sandbox.change(["second-factor": true])
            let answer = try await client.firebaseLogIn()
            #expect(answer.status == 200)
            #expect(try answer.json()["idToken"] == nil)
            #expect(try answer.json()["mfaPendingCredential"]?.text != nil)
        }
    }

    @Test(arguments: [false, true])
    func endingSessionsKeepsRefreshTokensUnlessRequested(_ rememberTokens: Bool) async throws {
        try await withSandbox(of: .story16()) { sandbox, client async throws in
            let tokens = try await client.firebaseTokens()
            sandbox.expireSessions(rememberTokens: rememberTokens)
            #expect(try await client.story16Put(tokens, id: "a").status == 401)
            let refreshed = try await client.firebaseRefresh(tokens.refresh)
            #expect(refreshed.status == (rememberTokens ? 400 : 200))
            #expect(try refreshed.json()["error"]?["message"]?.text == (rememberTokens ? "TOKEN_EXPIRED" : nil))
            #expect(try await client.story16Put(client.firebaseTokens(), id: "a").status == 200)
        }
    }

    @Test func invalidSettingChangesNothing() async throws {
        try await withSandbox(of: .story16()) { sandbox, _ async throws in
            let before = sandbox.settings
            let wrong: [JSONObject] = [
                ["disabled": ["manager@lab.test"], "lacks-certificates": true], ["disabled": ["nobody@lab.test"]], ["second-factor": 1],
            ]
            for settings in wrong {
                #expect(throws: FaultProblem.self) { try sandbox.change(settings) }
                #expect(sandbox.settings == before)
            }
        }
    }
}
