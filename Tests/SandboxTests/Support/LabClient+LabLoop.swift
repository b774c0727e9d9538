import Sandbox

struct LabTokens: Sendable, Equatable {
    var access: String
    var refresh: String

    var bearer: [String: String] { ["authorization": "Bearer \(access)"] }
}

extension LabClient {

    func labLoopLogIn(
        _ email: String = "manager@lab.test", password: String = BreatheSafeConfiguration.labPassword, device: String = "phone"
    ) async throws -> LabAnswer {
        let body: JSON = ["email": .string(email), "password": .string(password)]
        return try await send(
            "POST", "/api/mobile/auth/login", headers: ["user-agent": "homing/1 (\(device))", "x-device-id": device],
            body: .json(body.description))
    }

    func labLoopTokens(_ email: String = "manager@lab.test", device: String = "phone") async throws -> LabTokens {
        try LabTokens(at: try await labLoopLogIn(email, device: device).json()["data"]?["tokens"])
    }

    /// The token rotates.
    func labLoopRefreshByBody(_ token: String) async throws -> LabAnswer {
        try await send("POST", "/api/mobile/auth/refresh", body: .json(#"{"refreshToken":"\#(token)"}"#))
    }

    /// The token rotates.
    func labLoopRefreshByHeader(_ token: String) async throws -> LabAnswer {
        try await send("GET", "/api/mobile/auth/refresh", headers: ["x-refresh-token": token, "x-device-id": "phone"])
    }

    /// The token does not rotate.
    func labLoopRefreshOnTheWeb(_ token: String) async throws -> LabAnswer {
        try await send("POST", "/api/web/auth/refresh", body: .json(#"{"refreshToken":"\#(token)"}"#))
    }

    func appoint(_ tokens: LabTokens, key: String? = nil, headers: [String: String] = [:]) async throws -> LabAnswer {
        var document: JSONObject = ["reason": "mask fit"]
        document["client_mutation_id"] = key.map { .string($0) }
        return try await send(
            "POST", "/api/mobile/appointments", headers: tokens.bearer.merging(headers) { $1 },
            body: .json(JSON.object(document).description))
    }
}

extension LabTokens {
    init(at json: JSON?) throws {
        guard let access = json?["accessToken"]?.text, let refresh = json?["refreshToken"]?.text else { throw Missing(json: json) }
        self.init(access: access, refresh: refresh)
    }

    struct Missing: Error {
        let json: JSON?
    }
}
