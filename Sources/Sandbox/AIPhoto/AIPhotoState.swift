import Foundation

struct AIPhotoState: SandboxState {
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
        return CarriedAccounts(session: firebase.idTokens.owner(of: request.bearerToken)?.number)
    }

    mutating func answer(_ request: SandboxRequest, at now: Date) throws(Refusal) -> SandboxReply {
        if let route = FirebaseRoute(request) { return try firebase.answer(route, request, at: now) }
        guard request.body.count <= Self.largestBody else { throw Refusal(413, "payload_too_large", "request entity too large") }
        let call = AIPhotoCall(request: request, now: now)
        switch request.line {
        case "POST /v1/users/register": return try register(call, as: signedIn(request, at: now))
        case "POST /v1/images/process": return try processImage(call, as: signedIn(request, at: now))
        case "POST /v1/credits/purchase": return try purchase(call, as: signedIn(request, at: now))
        case "POST /v1/credits/reward": return try reward(call, as: signedIn(request, at: now))
        default: throw Refusal(404, "not_found", "Cannot \(request.method) \(request.path)")
        }
    }

    mutating func expireSessions(rememberTokens: Bool) { firebase.endTokens(refreshTokens: rememberTokens) }

    func account(of request: SandboxRequest, at now: Date) -> SandboxAccount? {
        lacksCertificates ? nil : firebase.idTokens.account(of: request.bearerToken, at: now)
    }

    static let errors = [
        Refusal(400, "bad_request", "Bad request"), Refusal(401, "unauthorized", "Invalid or expired token"),
        Refusal(403, "forbidden", "Forbidden resource"), Refusal(404, "not_found", "Not found"),
        Refusal(422, "validation_error", "Validation failed", details: ["validationErrors": []]),
    ]
    static let otherCode = "internal_error"

    func refusal(_ status: Int, for request: SandboxRequest) -> Refusal {
        FirebaseRoute(request) == nil ? refusal(status) : firebase.refusal(status)
    }

    func response(to refusal: Refusal, for request: SandboxRequest, at now: Date) -> SandboxResponse {
        if let route = FirebaseRoute(request) { return firebase.response(to: refusal, for: route) }
        var error: JSONObject = ["code": .string(refusal.code), "message": .string(refusal.message)]
        if refusal.details != .null { error["details"] = refusal.details }
        return .json(refusal.status, ["success": false, "error": .object(error), "meta": meta(at: now)])
    }

    /// A success in AIPhoto's envelope; every POST returns 201.
    func success(_ data: JSON, of call: AIPhotoCall, commit: Commit?) -> SandboxReply {
        .json(201, ["success": true, "data": data, "meta": meta(at: call.now)], commit: commit)
    }

    private func meta(at now: Date) -> JSON {
        ["requestId": .string(UUID().uuidString.lowercased()), "timestamp": .string(now.railsTimestamp)]
    }

    /// `lacks-certificates`: the backend cannot verify tokens and answers 401.
    static var settings: [Setting<Self>] {
        FirebaseState.settings.map { $0.within(\Self.firebase) } + [Setting.flag("lacks-certificates", \Self.lacksCertificates)]
    }
}

struct AIPhotoCall {
    let request: SandboxRequest
    let now: Date

    /// The body; valid JSON that is not an object gives 500.
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
