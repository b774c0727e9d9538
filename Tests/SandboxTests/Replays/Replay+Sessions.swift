import Sandbox

extension Replay {
    private static func form(_ email: String, _ password: String) -> LabClient.Body {
        .form("user[email]=\(email.replacing("@", with: "%40"))&user[password]=\(password)")
    }

    static let sessions: [Replay] = [
        .anonymous("get_current_user, not logged in, Accept json") { try await $0.send("GET", "/users/get_current_user") },
        .anonymous("get_current_user, not logged in, no Accept") { try await $0.send("GET", "/users/get_current_user", accept: "*/*") },
        .anonymous("login wrong password, form, Accept json") {
            try await $0.send("POST", "/users/log_in", body: form("manager@lab.test", "wrong"))
        },
        .anonymous("login wrong password, form, no Accept") {
            try await $0.send("POST", "/users/log_in", accept: "*/*", body: form("manager@lab.test", "wrong"))
        },
        .anonymous("login unknown email") { try await $0.logIn("nobody@lab.test") },
        .anonymous("login unconfirmed") { try await $0.logIn("unconfirmed@lab.test") },
        .anonymous("login OK, JSON body, Accept json, no CSRF") { try await $0.logIn() },
        .anonymous("login OK, form body, no Accept (HTML)") {
            try await $0.send("POST", "/users/log_in", accept: "*/*", body: form("manager@lab.test", BreatheSafeConfiguration.labPassword))
        },
        .manager("login again while logged in (Accept json)") { try await $0.logIn() },
        .manager("login as wrong pw while logged in (Accept json)") { try await $0.logIn(password: "wrong") },
        .manager("IDENTITY: jar of manager, login as other@ with correct password") { try await $0.logIn("other@lab.test") },
        .manager("get_current_user logged in") { try await $0.send("GET", "/users/get_current_user") },
        .manager("get_current_user logged in, no Accept") { try await $0.send("GET", "/users/get_current_user", accept: "*/*") },
        .manager("logout without CSRF, Accept json") { try await $0.send("DELETE", "/users/log_out") },
        Replay("get_current_user after logout (new jar)") { _, client in
            try await client.logIn()
            _ = try await client.send("DELETE", "/users/log_out")
            return [try await client.send("GET", "/users/get_current_user")]
        },
        Replay("get_current_user with OLD cookie after logout (cookie replay)") { sandbox, client in
            try await client.logIn()
            let old = await client.jar
            _ = try await client.send("DELETE", "/users/log_out")
            return [try await LabClient(sandbox.baseURL, jar: old).send("GET", "/users/get_current_user")]
        },
        Replay("arkit POST after logout") { _, client in
            try await client.logIn()
            _ = try await client.send("DELETE", "/users/log_out")
            return [try await client.upload()]
        },
        Replay("logout twice") { _, client in
            try await client.logIn()
            _ = try await client.send("DELETE", "/users/log_out")
            return [try await client.send("DELETE", "/users/log_out")]
        },
        .manager("logout, no Accept, logged in") { try await $0.send("DELETE", "/users/log_out", accept: "*/*") },
        .anonymous("LOGOUT not logged in Accept */*") { try await $0.send("DELETE", "/users/log_out", accept: "*/*") },
        Replay("LOGOUT with Accept */* then get_current_user") { _, client in
            try await client.logIn()
            return [
                try await client.send("DELETE", "/users/log_out", accept: "*/*"), try await client.send("GET", "/users/get_current_user"),
            ]
        },
        .anonymous("Bearer token ignored") {
            try await $0.send("GET", "/users/get_current_user", headers: ["authorization": "Bearer abc"])
        },
        Replay("garbage session cookie") { _, client in
            await client.set("_breathesafe_session", to: "garbage--garbage")
            return [try await client.send("GET", "/users/get_current_user")]
        },
        .anonymous("login JSON w/ missing user key / empty body") { try await $0.send("POST", "/users/log_in", body: .json("{}")) },
    ]

    static let timeouts: [Replay] = [
        .expired("TIMEOUT: login, wait, GET get_current_user (json) twice") { client in
            [try await client.send("GET", "/users/get_current_user"), try await client.send("GET", "/users/get_current_user")]
        },
        .expired("TIMEOUT: arkit POST json accept") { [try await $0.upload()] },
        .expired("TIMEOUT: arkit POST again with the jar after that 401") { client in
            try await client.upload()
            return [try await client.upload()]
        },
        .expired("TIMEOUT: arkit POST Accept */* (iOS behaviour)") {
            [try await $0.send("POST", arkit, accept: "*/*", body: .json(small))]
        },
        .expired("TIMEOUT: managed_users POST with old valid CSRF (json), then again") { client in
            // The token was fetched before the session expired.
            let token = ["x-csrf-token": await client.jar["CSRF-TOKEN"] ?? ""]
            return [
                try await client.send("POST", "/managed_users", headers: token),
                try await client.send("POST", "/managed_users", headers: token),
            ]
        },
        .expired("TIMEOUT with remember_me=1", remember: true) { client in
            [
                try await client.send("GET", "/users/get_current_user"),
                try await client.send("POST", arkit, body: .json(#"{"arkit_data":\#(capture())}"#)),
            ]
        },
        .expired("remember_me token only (session cookie dropped)", remember: true) { client in
            await client.set("_breathesafe_session", to: nil)
            return [try await client.send("GET", "/users/get_current_user")]
        },
        .expired("old CSRF token after remember-me re-auth", remember: true) { client in
            let token = ["x-csrf-token": await client.jar["CSRF-TOKEN"] ?? ""]
            _ = try await client.send("GET", "/users/get_current_user")
            return [try await client.send("POST", "/managed_users", headers: token)]
        },
    ]

    /// An exchange after the session's idle timeout.
    private static func expired(
        _ label: String, remember: Bool = false, _ requests: @escaping @Sendable (LabClient) async throws -> [LabAnswer]
    ) -> Replay {
        Replay(label) { sandbox, client in
            try await client.logIn(remember: remember)
            _ = try await client.csrfHeader()
            sandbox.clock.advance(by: .seconds(31 * 60))
            return try await requests(client)
        }
    }
}
