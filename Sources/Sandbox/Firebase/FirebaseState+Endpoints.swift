import Foundation

extension FirebaseState {
    mutating func answer(_ route: FirebaseRoute, _ request: SandboxRequest, at now: Date) throws(Refusal) -> SandboxReply {
        try checkKey(of: request)
        return switch route {
        case .signInWithPassword: try signInWithPassword(request, at: now)
        case .token: try exchange(request, at: now)
        }
    }

    func carriedAccounts(_ route: FirebaseRoute, in request: SandboxRequest) -> CarriedAccounts {
        switch route {
        // An invalid body still counts as a sign-in attempt.
        case .signInWithPassword: CarriedAccounts(signingIn: request.object?["email"]?.text ?? "")
        case .token: CarriedAccounts(remembered: owner(ofRefreshToken: grant(in: request).token)?.number)
        }
    }

    private func checkKey(of request: SandboxRequest) throws(Refusal) {
        guard let key = request.query["key"], !key.isEmpty else {
            throw Refusal(403, "PERMISSION_DENIED", "The request is missing a valid API key.")
        }
        guard configuration.apiKey == nil || key == configuration.apiKey else {
            throw Refusal(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", details: "API_KEY_INVALID")
        }
    }

    private mutating func signInWithPassword(_ request: SandboxRequest, at now: Date) throws(Refusal) -> SandboxReply {
        let body = request.object
        guard let email = body?["email"]?.text, email.contains("@") else { throw .firebase("INVALID_EMAIL") }
        guard let password = body?["password"]?.text, !password.isEmpty else { throw .firebase("MISSING_PASSWORD") }
        guard let account = configuration.accounts.account(email: email), !deleted.contains(account.email) else {
            throw .firebase(hidesAccounts ? "INVALID_LOGIN_CREDENTIALS" : "EMAIL_NOT_FOUND")
        }
        guard password == account.password else {
            throw .firebase(hidesAccounts ? "INVALID_LOGIN_CREDENTIALS" : "INVALID_PASSWORD")
        }
        guard !disabled.contains(account.email) else { throw .firebase("USER_DISABLED") }
        var answer: JSONObject = [
            "kind": "identitytoolkit#VerifyPasswordResponse", "localId": .string(account.id), "email": .string(account.email),
            "registered": true,
        ]
        if wantsSecondFactor {
            answer["mfaPendingCredential"] = .string(OpaqueToken.new())
            answer["mfaInfo"] = [["mfaEnrollmentId": "phone", "displayName": "Phone"]]
        } else {
            answer["idToken"] = .string(idToken(for: account, at: now))
            answer["refreshToken"] = .string(newRefreshToken(for: account))
            answer["expiresIn"] = .string(String(configuration.statedLifetime ?? configuration.idTokenLifetime))
        }
        return .json(200, .object(answer))
    }

    private mutating func exchange(_ request: SandboxRequest, at now: Date) throws(Refusal) -> SandboxReply {
        let grant = grant(in: request)
        guard let type = grant.type, !type.isEmpty else { throw .firebase("MISSING_GRANT_TYPE") }
        guard type == "refresh_token" else { throw .firebase("INVALID_GRANT_TYPE") }
        guard let token = grant.token, !token.isEmpty else { throw .firebase("MISSING_REFRESH_TOKEN") }
        guard let account = owner(ofRefreshToken: token) else {
            let names = token.split(separator: ".", maxSplits: 1)
            let isForeign = names.count == 2 && names[0] != Self.project
            throw .firebase(isForeign ? "PROJECT_NUMBER_MISMATCH" : "INVALID_REFRESH_TOKEN")
        }
        guard !deleted.contains(account.email) else { throw .firebase("USER_NOT_FOUND") }
        guard !disabled.contains(account.email) else { throw .firebase("USER_DISABLED") }
        guard !isRevoked(token) else { throw .firebase("TOKEN_EXPIRED") }
        let idToken = JSON.string(idToken(for: account, at: now))
        var answer: JSONObject = [
            "expires_in": .string(String(configuration.statedLifetime ?? configuration.idTokenLifetime)), "token_type": "Bearer",
            "id_token": idToken,
            "access_token": idToken, "user_id": .string(account.id), "project_id": .string(Self.project),
        ]
        switch configuration.renewal {
        case .same: answer["refresh_token"] = .string(token)
        case .new: answer["refresh_token"] = .string(newRefreshToken(for: account))
        case .none: break
        }
        return .json(200, .object(answer))
    }

    /// The grant from a form, or from JSON as one of the SDKs sends it.
    private func grant(in request: SandboxRequest) -> (type: String?, token: String?) {
        if let object = request.object {
            return ((object["grantType"] ?? object["grant_type"])?.text, (object["refreshToken"] ?? object["refresh_token"])?.text)
        }
        let form = FormBody.read(String(decoding: request.body, as: UTF8.self))
        return (form["grant_type"]?.text, form["refresh_token"]?.text)
    }

    func refusal(_ status: Int) -> Refusal {
        switch status {
        case 401: Refusal(401, "UNAUTHENTICATED", "UNAUTHENTICATED")
        case 403: Refusal(403, "PERMISSION_DENIED", "The caller does not have permission")
        case 429: Refusal(429, "RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED")
        case 500...: Refusal(status, "INTERNAL", "Internal error encountered.")
        default: Refusal(status, "INVALID_ARGUMENT", "INVALID_ARGUMENT")
        }
    }

    /// The error in the format of Google's servers: the code is the message, or its part before " : ".
    func response(to refusal: Refusal, for route: FirebaseRoute) -> SandboxResponse {
        var error: JSONObject = ["code": .int(refusal.status), "message": .string(refusal.message)]
        switch (route, refusal.status) {
        case (_, 401): error["status"] = "UNAUTHENTICATED"
        case (_, 403): error["status"] = "PERMISSION_DENIED"
        case (_, 429): error["status"] = "RESOURCE_EXHAUSTED"
        case (_, 500...): error["status"] = refusal.status == 503 ? "UNAVAILABLE" : "INTERNAL"
        case (.token, _): error["status"] = "INVALID_ARGUMENT"
        case (.signInWithPassword, _): break
        }
        if let reason = refusal.details.text {
            error["status"] = .string(refusal.code)
            error["details"] = [
                ["@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": .string(reason), "domain": "googleapis.com"]
            ]
        } else if route == .signInWithPassword {
            error["errors"] = [["message": .string(refusal.message), "domain": "global", "reason": "invalid"]]
        }
        return .json(refusal.status, ["error": .object(error)])
    }
}

/// Firebase's endpoints, at their own paths and under the emulator's prefixes.
enum FirebaseRoute: Equatable {
    case signInWithPassword, token

    init?(_ request: SandboxRequest) {
        guard request.method == "POST" else { return nil }
        switch request.path.removingPercentEncoding ?? request.path {
        case "/v1/accounts:signInWithPassword", "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword": self = .signInWithPassword
        case "/v1/token", "/securetoken.googleapis.com/v1/token": self = .token
        default: return nil
        }
    }
}

extension Refusal {
    static func firebase(_ code: String) -> Refusal { Refusal(400, code, code) }
}
