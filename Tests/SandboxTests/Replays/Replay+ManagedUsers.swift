import Sandbox

extension Replay {
    static let managedUsers: [Replay] = [
        .anonymous("managed_users GET not logged in, Accept json") { try await $0.send("GET", "/managed_users") },
        .anonymous("managed_users GET not logged in, Accept */*") { try await $0.send("GET", "/managed_users", accept: "*/*") },
        .anonymous("managed_users.json GET not logged in") { try await $0.send("GET", "/managed_users.json", accept: "*/*") },
        .anonymous("managed_users POST not logged in, no CSRF") { try await $0.send("POST", "/managed_users") },
        .anonymous("managed_users POST not logged in, no CSRF, no Accept") { try await $0.send("POST", "/managed_users", accept: "*/*") },
        .manager("managed_users POST logged in, no CSRF") { try await $0.send("POST", "/managed_users") },
        .manager("managed_users POST logged in, no CSRF, Accept */*") { try await $0.send("POST", "/managed_users", accept: "*/*") },
        .manager("managed_users POST logged in + X-CSRF-Token") {
            try await $0.send("POST", "/managed_users", headers: $0.csrfHeader())
        },
        .manager("managed_users GET") { try await $0.send("GET", "/managed_users") },
        .anonymous("DELETE managed_users/:id not mine (no login)") {
            try await $0.send("DELETE", "/managed_users/1", headers: $0.csrfHeader())
        },
        .manager("DELETE managed_users/:id no CSRF") { try await $0.send("DELETE", "/managed_users/1") },
        .manager("DELETE managed_users/<managed_id> (what a naive client would do)") {
            try await $0.send("DELETE", "/managed_users/5", headers: $0.csrfHeader())
        },
        Replay("DELETE managed_users/:id other manager") { _, client in
            try await client.logIn("other@lab.test")
            return [try await client.send("DELETE", "/managed_users/1", headers: client.csrfHeader())]
        },
        Replay("DELETE managed user OK then again, then POST arkit to it") { _, client in
            try await client.logIn()
            try await client.upload()
            let token = try await client.csrfHeader()
            return [
                try await client.send("DELETE", "/managed_users/1", headers: token),
                try await client.send("DELETE", "/managed_users/1", headers: token), try await client.upload(),
            ]
        },
        Replay("CSRF: cookie CSRF-TOKEN from the login response itself") { _, client in
            try await client.logIn()
            return [try await client.send("POST", "/managed_users", headers: ["x-csrf-token": client.jar["CSRF-TOKEN"] ?? ""])]
        },
        Replay("CSRF: cookie CSRF-TOKEN from a later GET") { _, client in
            try await client.logIn()
            _ = try await client.send("GET", "/users/get_current_user")
            return [try await client.send("POST", "/managed_users", headers: ["x-csrf-token": client.jar["CSRF-TOKEN"] ?? ""])]
        },
        Replay("CSRF: pre-login token used after login") { _, client in
            let token = try await client.csrfHeader()
            try await client.logIn()
            return [try await client.send("POST", "/managed_users", headers: token)]
        },
        .manager("CSRF ok but foreign Origin header") { client in
            var headers = try await client.csrfHeader()
            headers["origin"] = "https://elsewhere.example.org"
            return try await client.send("POST", "/managed_users", headers: headers)
        },
        .manager("managed user + profile PUT (no CSRF)") {
            try await $0.send(
                "PUT", "/users/5/profile", body: .json(#"{"profile":{"first_name":"Ann","last_name":"Lab","year_of_birth":"1980"}}"#))
        },
        .manager("profile PUT for self as manager (not a managed row)") {
            try await $0.send("PUT", "/users/1/profile", body: .json(#"{"profile":{"first_name":"Ann"}}"#))
        },
        .anonymous("profile PUT not logged in") {
            try await $0.send("PUT", "/users/5/profile", body: .json(#"{"profile":{"first_name":"Ann"}}"#))
        },
    ]
}
