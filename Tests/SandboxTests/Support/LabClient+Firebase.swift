import Sandbox

extension LabClient {
    /// What Firebase answers to a sign-in.
    func firebaseLogIn(
        _ email: String = "manager@lab.test", password: String = BreatheSafeConfiguration.labPassword, prefix: String = "",
        key: String = "any"
    ) async throws -> LabAnswer {
        let body: JSON = ["email": .string(email), "password": .string(password), "returnSecureToken": true]
        return try await send("POST", "\(prefix)/v1/accounts:signInWithPassword?key=\(key)", body: .json(body.description))
    }

    /// Signs in to Firebase.
    func firebaseTokens(_ email: String = "manager@lab.test") async throws -> LabTokens {
        let answer = try await firebaseLogIn(email).json()
        return LabTokens(access: answer["idToken"]?.text ?? "", refresh: answer["refreshToken"]?.text ?? "")
    }

    /// What Firebase's token endpoint answers to a refresh token.
    func firebaseRefresh(_ token: String, prefix: String = "", key: String = "any") async throws -> LabAnswer {
        try await send("POST", "\(prefix)/v1/token?key=\(key)", body: .form("grant_type=refresh_token&refresh_token=\(token)"))
    }

    /// A request to AIPhoto.
    func aiPhoto(_ path: String, _ tokens: LabTokens, _ body: String, headers: [String: String] = [:]) async throws -> LabAnswer {
        try await send("POST", path, headers: tokens.bearer.merging(headers) { $1 }, body: .json(body))
    }

    /// Makes the account known to AIPhoto.
    @discardableResult
    func aiPhotoRegister(_ tokens: LabTokens, name: String = "Ann") async throws -> LabAnswer {
        try await aiPhoto("/v1/users/register", tokens, #"{"name":"\#(name)","email":"manager@lab.test"}"#)
    }

    /// Makes an image at AIPhoto.
    @discardableResult
    func aiPhotoProcess(_ tokens: LabTokens, key: String? = nil) async throws -> LabAnswer {
        try await aiPhoto(
            "/v1/images/process", tokens, #"{"template_id":"t","image_base64":"AAAA"}"#, headers: key.map { ["x-request-id": $0] } ?? [:])
    }

    /// Sets a message of Story16.
    @discardableResult
    func story16Put(_ tokens: LabTokens, id: String, _ body: String = #"{"text":"hello"}"#) async throws -> LabAnswer {
        try await send("PUT", "/messages/room%201/\(id).json?auth=\(tokens.access)", body: .json(body))
    }
}
