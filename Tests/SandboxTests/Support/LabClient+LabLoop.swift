import Sandbox

/// The tokens of one sign-in or refresh.
struct LabTokens: Sendable, Equatable {
    var access: String
    var refresh: String

    /// The header of a request in the name of these tokens.
    var bearer: [String: String] { ["authorization": "Bearer \(access)"] }
}

extension LabClient {

    /// What LabLoop answers to a sign-in from a device.
    func labLoopLogIn(
        _ email: String = "manager@lab.test", password: String = BreatheSafeConfiguration.labPassword, device: String = "phone"
    ) async throws -> LabAnswer {
        let body: JSON = ["email": .string(email), "password": .string(password)]
        return try await send(
            "POST", "/api/mobile/auth/login", headers: ["user-agent": "homing/1 (\(device))", "x-device-id": device],
            body: .json(body.description))
    }

    /// Signs in to LabLoop from a device.
    func labLoopTokens(_ email: String = "manager@lab.test", device: String = "phone") async throws -> LabTokens {
        try LabTokens(at: try await labLoopLogIn(email, device: device).json()["data"]?["tokens"])
    }

    /// Refreshes with the token in the body, which rotates.
    func labLoopRefreshByBody(_ token: String) async throws -> LabAnswer {
        try await send("POST", "/api/mobile/auth/refresh", body: .json(#"{"refreshToken":"\#(token)"}"#))
    }

    /// Refreshes with the token in a header, which rotates.
    func labLoopRefreshByHeader(_ token: String) async throws -> LabAnswer {
        try await send("GET", "/api/mobile/auth/refresh", headers: ["x-refresh-token": token, "x-device-id": "phone"])
    }

    /// Refreshes at the web module, which does not rotate.
    func labLoopRefreshOnTheWeb(_ token: String) async throws -> LabAnswer {
        try await send("POST", "/api/web/auth/refresh", body: .json(#"{"refreshToken":"\#(token)"}"#))
    }

    /// Makes an appointment.
    func appoint(_ tokens: LabTokens, key: String? = nil, headers: [String: String] = [:]) async throws -> LabAnswer {
        var document: JSONObject = ["reason": "mask fit"]
        document["client_mutation_id"] = key.map { .string($0) }
        return try await send(
            "POST", "/api/mobile/appointments", headers: tokens.bearer.merging(headers) { $1 },
            body: .json(JSON.object(document).description))
    }
}

extension LabTokens {
    /// Tokens as LabLoop names them.
    init(at json: JSON?) throws {
        guard let access = json?["accessToken"]?.text, let refresh = json?["refreshToken"]?.text else { throw Missing(json: json) }
        self.init(access: access, refresh: refresh)
    }

    struct Missing: Error {
        let json: JSON?
    }
}
