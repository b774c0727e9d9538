import Sandbox
import Testing

@Suite struct BreatheSafeSessionTests {
    @Test func twentiethWrongPasswordLocksAccount() async throws {
        try await withSandbox { sandbox, client async throws in
            var messages: [String?] = []
            for _ in 1...21 { messages.append(try await client.logIn(password: "wrong").json()["error"]?.text) }
            #expect(messages[17] == "Invalid Email or password.")
            #expect(messages[18] == "You have one more attempt before your account is locked.")
            #expect(messages[19] == "Your account is locked.")
            #expect(messages[20] == "Your account is locked.")
            let right = try await client.logIn()
            #expect(right.status == 401)
            #expect(try right.json()["error"]?.text == "Your account is locked.")
            sandbox.clock.advance(by: .seconds(3601))
            #expect(try await client.logIn().status == 201)
        }
    }

    @Test func successfulLoginResetsFailureCount() async throws {
        try await withSandbox { sandbox, client async throws in
            for _ in 1...18 { try await client.logIn(password: "wrong") }
            #expect(try await LabClient(sandbox.baseURL).logIn().status == 201)
            #expect(try await client.logIn(password: "wrong").json()["error"]?.text == "Invalid Email or password.")
        }
    }

    @Test(arguments: ["MANAGER@lab.test", "  manager@lab.test "])
    func emailIgnoresCaseAndSurroundingSpaces(_ email: String) async throws {
        try await withSandbox { _, client async throws in
            #expect(try await client.logIn(email).status == 201)
        }
    }

    @Test func loginWhileSignedInReturnsOldUser() async throws {
        try await withSandbox { _, client async throws in
            try await client.logIn()
            #expect(try await client.logIn("other@lab.test").json()["id"] == 1)
        }
    }

    @Test func loginWithExpiredCookieReturnsOldUser() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            sandbox.expireSessions()
            #expect(try await client.logIn("other@lab.test", password: "wrong").json()["id"] == 1)
        }
    }

    @Test func requestsExtendIdleTimeout() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            for _ in 1...3 {
                sandbox.clock.advance(by: .seconds(20 * 60))
                #expect(try await client.send("GET", "/users/get_current_user").status == 200)
            }
        }
    }

    @Test func olderCookieIsNotExtended() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            let old = await client.jar
            sandbox.clock.advance(by: .seconds(20 * 60))
            _ = try await client.send("GET", "/users/get_current_user")
            sandbox.clock.advance(by: .seconds(20 * 60))
            #expect(try await client.send("GET", "/users/get_current_user").status == 200)
            #expect(try await LabClient(sandbox.baseURL, jar: old).send("GET", "/users/get_current_user").status == 401)
        }
    }

    @Test func expiredSessionIsReportedOnceThenSignedOut() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            sandbox.expireSessions()
            #expect(try await client.upload().status == 401)
            #expect(try await client.send("GET", "/users/get_current_user").json()["currentUser"] == .null)
            #expect(try await client.logIn().status == 201)
            #expect(try await client.upload().status == 201)
        }
    }

    @Test(arguments: [false, true])
    func rememberTokenOutlivesSessionUnlessEnded(_ rememberTokens: Bool) async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn(remember: true)
            sandbox.expireSessions(rememberTokens: rememberTokens)
            #expect(try await client.send("GET", "/users/get_current_user").status == (rememberTokens ? 401 : 200))
        }
    }

    @Test func aRememberTokenEndsAfterTwoWeeks() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn(remember: true)
            await client.set("_breathesafe_session", to: nil)
            sandbox.clock.advance(by: .seconds(14 * 24 * 3600 + 1))
            #expect(try await client.send("GET", "/users/get_current_user").json()["currentUser"] == .null)
        }
    }

    @Test func logoutClearsTheRememberToken() async throws {
        try await withSandbox { _, client async throws in
            try await client.logIn(remember: true)
            let answer = try await client.send("DELETE", "/users/log_out")
            let cleared = try #require(answer.setCookies.first { $0.hasPrefix("remember_user_token=;") })
            #expect(cleared.contains("expires=Thu, 01 Jan 1970 00:00:00 GMT"))
            #expect(await client.jar["remember_user_token"] == nil)
            #expect(try await client.send("GET", "/users/get_current_user").json()["currentUser"] == .null)
        }
    }

    @Test func aTokenHas86Characters() async throws {
        try await withSandbox { _, client async throws in
            #expect(try await client.csrfHeader()["x-csrf-token"]?.count == 86)
        }
    }

    @Test func aTokenWorksMoreThanOnce() async throws {
        try await withSandbox { _, client async throws in
            try await client.logIn()
            let token = try await client.csrfHeader()
            for _ in 1...3 { #expect(try await client.send("DELETE", "/managed_users/99", headers: token).status == 404) }
        }
    }

    @Test func aTokenOfAnotherSessionFails() async throws {
        try await withSandbox { sandbox, client async throws in
            try await client.logIn()
            let other = LabClient(sandbox.baseURL)
            try await other.logIn()
            #expect(try await client.send("POST", "/managed_users", headers: other.csrfHeader()).status == 422)
        }
    }

    @Test func theSignInPageDoesNotExist() async throws {
        try await withSandbox { _, client async throws in
            #expect(try await client.send("GET", "/users/sign_in", accept: "*/*").status == 500)
            #expect(try await client.send("POST", "/users/sign_in", accept: "*/*").status == 422)
            #expect(try await client.send("GET", "/", accept: "*/*").status == 200)
        }
    }

    @Test func anUnchangedAnswerIsNotSentAgain() async throws {
        try await withSandbox { _, client async throws in
            let first = try await client.send("GET", "/users/get_current_user")
            let tag = try #require(first.header("etag"))
            let second = try await client.send("GET", "/users/get_current_user", headers: ["if-none-match": tag])
            #expect(second.status == 304)
            #expect(second.body == [])
        }
    }
}
