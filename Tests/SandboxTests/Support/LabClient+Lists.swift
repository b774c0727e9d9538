import Sandbox

extension LabClient {
    /// What Lists, as its guide describes it, answers to a sign-in.
    func listsLogIn(
        _ email: String = "manager@lab.test", password: String = BreatheSafeConfiguration.labPassword, path: String = "/api/v1/auth/sign_in"
    ) async throws -> LabAnswer {
        let body: JSON = ["email": .string(email), "password": .string(password)]
        return try await send("POST", path, body: .json(body.description))
    }

    /// What Lists of 2026 answers to a sign-in.
    func lists2026LogIn(
        _ email: String = "manager@lab.test", password: String = BreatheSafeConfiguration.labPassword
    ) async throws -> LabAnswer {
        let body: JSON = ["user": ["email": .string(email), "password": .string(password)]]
        return try await send("POST", "/api/v1/auth/sign_in", body: .json(body.description))
    }

    /// Signs in to Lists of 2026.
    func lists2026Tokens(_ email: String = "manager@lab.test") async throws -> LabTokens {
        try LabTokens(ofLists: try await lists2026LogIn(email).json())
    }

    /// What Lists of 2026 answers to a refresh token in the header.
    func lists2026Refresh(_ token: String) async throws -> LabAnswer {
        try await send("POST", "/api/v1/auth/refresh", headers: ["x-refresh-token": token])
    }

    /// The code with which Lists of 2026 refuses a refresh token, nil when it does not.
    func lists2026RefreshCode(_ token: String) async throws -> String? {
        try await lists2026Refresh(token).json()["error"]?["code"]?.text
    }

    /// Makes a list, at either shape of the server.
    @discardableResult
    func addList(_ tokens: LabTokens, name: String = "Masks", key: String? = nil) async throws -> LabAnswer {
        var list: JSONObject = ["name": .string(name), "description": "to buy"]
        list["client_mutation_id"] = key.map { .string($0) }
        return try await send(
            "POST", "/api/v1/lists", headers: tokens.bearer, body: .json(JSON(dictionaryLiteral: ("list", .object(list))).description))
    }
}

extension LabTokens {
    /// Tokens as Lists names them; as its guide has it there is none for refreshing.
    init(ofLists json: JSON) throws {
        guard let access = json["token"]?.text else { throw Missing(json: json) }
        self.init(access: access, refresh: json["refresh_token"]?.text ?? "")
    }
}
