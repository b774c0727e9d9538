import Sandbox

extension LabClient {
    /// Signs in to the version of Lists that the guide describes.
    func listsLogIn(
        _ email: String = "manager@lab.test", password: String = BreatheSafeConfiguration.labPassword, path: String = "/api/v1/auth/sign_in"
    ) async throws -> LabAnswer {
        let body: JSON = ["email": .string(email), "password": .string(password)]
        return try await send("POST", path, body: .json(body.description))
    }

    func lists2026LogIn(
        _ email: String = "manager@lab.test", password: String = BreatheSafeConfiguration.labPassword
    ) async throws -> LabAnswer {
        let body: JSON = ["user": ["email": .string(email), "password": .string(password)]]
        return try await send("POST", "/api/v1/auth/sign_in", body: .json(body.description))
    }

    func lists2026Tokens(_ email: String = "manager@lab.test") async throws -> LabTokens {
        try LabTokens(ofLists: try await lists2026LogIn(email).json())
    }

    func lists2026Refresh(_ token: String) async throws -> LabAnswer {
        try await send("POST", "/api/v1/auth/refresh", headers: ["x-refresh-token": token])
    }

    /// The code of a refused refresh, or nil.
    func lists2026RefreshCode(_ token: String) async throws -> String? {
        try await lists2026Refresh(token).json()["error"]?["code"]?.text
    }

    @discardableResult
    func addList(_ tokens: LabTokens, name: String = "Masks", key: String? = nil) async throws -> LabAnswer {
        var list: JSONObject = ["name": .string(name), "description": "to buy"]
        list["client_mutation_id"] = key.map { .string($0) }
        return try await send(
            "POST", "/api/v1/lists", headers: tokens.bearer, body: .json(JSON(dictionaryLiteral: ("list", .object(list))).description))
    }
}

extension LabClient {
    /// Sends a request about lists or tasks, with a body unless it is nil.
    func lists(_ method: String, _ path: String, _ tokens: LabTokens, _ body: JSON? = nil) async throws -> LabAnswer {
        try await send(method, "/api/v1/\(path)", headers: tokens.bearer, body: body.map { Body.json($0.description) } ?? Body.none)
    }

    func addTask(_ tokens: LabTokens, to list: Int = 1, title: String = "Bread", due: String? = "2026-12-01T12:00:00Z") async throws
        -> LabAnswer
    {
        var task: JSONObject = ["title": .string(title), "note": "white"]
        task["due_at"] = due.map { .string($0) }
        return try await lists("POST", "lists/\(list)/tasks", tokens, ["task": .object(task)])
    }
}

extension LabTokens {
    /// The version of the guide has no refresh token.
    init(ofLists json: JSON) throws {
        guard let access = json["token"]?.text else { throw Missing(json: json) }
        self.init(access: access, refresh: json["refresh_token"]?.text ?? "")
    }
}
