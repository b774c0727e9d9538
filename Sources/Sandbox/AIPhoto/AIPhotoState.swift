import Foundation

struct AIPhotoState: StandInState {
    private static let largestBody = 20 * 1024 * 1024

    let configuration: AIPhotoConfiguration
    var firebase: FirebaseState
    /// By Firebase's identifier.
    var users: [String: AIPhotoUser] = [:]
    var purchases: [AIPhotoPurchase] = []
    var images = 0
    /// True if Google's certificates cannot be fetched, so no token can be verified.
    var lacksCertificates = false

    init(_ configuration: AIPhotoConfiguration) {
        self.configuration = configuration
        firebase = FirebaseState(configuration.firebase)
    }

    func carriedAccounts(in request: SandboxRequest, at now: Date) -> CarriedAccounts {
        if let route = FirebaseRoute(request) { return firebase.carriedAccounts(route, in: request) }
        return CarriedAccounts(session: firebase.owner(ofIDToken: request.bearerToken)?.number)
    }

    mutating func answer(_ request: SandboxRequest, at now: Date) throws(Refusal) -> StandInReply {
        if let route = FirebaseRoute(request) { return try firebase.answer(route, request, at: now) }
        guard request.body.count <= Self.largestBody else { throw Refusal(413, "payload_too_large", "request entity too large") }
        let call = AIPhotoCall(request: request, now: now)
        switch "\(request.method) \(request.path)" {
        case "POST /v1/users/register": return try register(call, as: signedIn(request, at: now))
        case "POST /v1/images/process": return try processImage(call, as: signedIn(request, at: now))
        case "POST /v1/credits/purchase": return try purchase(call, as: signedIn(request, at: now))
        case "POST /v1/credits/reward": return try reward(call, as: signedIn(request, at: now))
        default: throw Refusal(404, "not_found", "Cannot \(request.method) \(request.path)")
        }
    }

    mutating func expireSessions(rememberTokens: Bool) { firebase.endTokens(refreshTokens: rememberTokens) }

    /// Every failure is the same 401, including a failure to verify tokens.
    private func signedIn(_ request: SandboxRequest, at now: Date) throws(Refusal) -> SandboxAccount {
        guard !lacksCertificates, let account = firebase.account(ofIDToken: request.bearerToken, at: now) else {
            throw refusal(401, for: request)
        }
        return account
    }
}

struct AIPhotoCall {
    let request: SandboxRequest
    let now: Date

    /// The body; valid JSON that is not an object always gives 500.
    func body() throws(Refusal) -> JSONObject {
        guard let json = try? JSON(bytes: request.body) else {  // `try?`: the backend does not report the reason
            throw Refusal(400, "bad_request", "Unexpected token in JSON")
        }
        guard let object = json.members else { throw .internalError }
        return object
    }
}

extension Refusal {
    /// 500 for input that the server does not handle.
    static let internalError = Refusal(500, "internal_error", "Internal server error")
}
