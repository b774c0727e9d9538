import Sandbox

extension LabClient {
    func firebaseLogIn(
        _ email: String = "manager@lab.test", password: String = BreatheSafeConfiguration.labPassword, prefix: String = "",
        key: String = "any"
    ) async throws -> LabAnswer {
        let body: JSON = ["email": .string(email), "password": .string(password), "returnSecureToken": true]
        return try await send("POST", "\(prefix)/v1/accounts:signInWithPassword?key=\(key)", body: .json(body.description))
    }

    func firebaseTokens(_ email: String = "manager@lab.test") async throws -> LabTokens {
        let answer = try await firebaseLogIn(email).json()
        return LabTokens(access: answer["idToken"]?.text ?? "", refresh: answer["refreshToken"]?.text ?? "")
    }

    func firebaseRefresh(_ token: String, prefix: String = "", key: String = "any") async throws -> LabAnswer {
        try await send("POST", "\(prefix)/v1/token?key=\(key)", body: .form("grant_type=refresh_token&refresh_token=\(token)"))
    }

    func aiPhoto(_ path: String, _ tokens: LabTokens, _ body: String, headers: [String: String] = [:]) async throws -> LabAnswer {
        try await send("POST", path, headers: tokens.bearer.merging(headers) { $1 }, body: .json(body))
    }

    @discardableResult
    func aiPhotoRegister(_ tokens: LabTokens, name: String = "Ann") async throws -> LabAnswer {
        try await aiPhoto("/v1/users/register", tokens, #"{"name":"\#(name)","email":"manager@lab.test"}"#)
    }

    @discardableResult
    func aiPhotoProcess(_ tokens: LabTokens, key: String? = nil) async throws -> LabAnswer {
        try await aiPhoto(
            "/v1/images/process", tokens, #"{"template_id":"t","image_base64":"AAAA"}"#, headers: key.map { ["x-request-id": $0] } ?? [:])
    }

    @discardableResult
    func story16Put(_ tokens: LabTokens, id: String, _ body: String = #"{"text":"hello"}"#) async throws -> LabAnswer {
        try await send("PUT", "/messages/room%201/\(id).json?auth=\(tokens.access)", body: .json(body))
    }
}
