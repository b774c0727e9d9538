import Foundation

extension AIPhotoState {
    func refusal(_ status: Int, for request: SandboxRequest) -> Refusal {
        if FirebaseRoute(request) != nil { return firebase.refusal(status) }
        return switch status {
        case 400: Refusal(400, "bad_request", "Bad request")
        case 401: Refusal(401, "unauthorized", "Invalid or expired token")
        case 403: Refusal(403, "forbidden", "Forbidden resource")
        case 404: Refusal(404, "not_found", "Not found")
        case 422: Refusal(422, "validation_error", "Validation failed", details: ["validationErrors": []])
        default: Refusal(status, "internal_error", SandboxResponse.reason(status))
        }
    }

    func response(to refusal: Refusal, for request: SandboxRequest, at now: Date) -> SandboxResponse {
        if let route = FirebaseRoute(request) { return firebase.response(to: refusal, for: route) }
        var error: JSONObject = ["code": .string(refusal.code), "message": .string(refusal.message)]
        if refusal.details != .null { error["details"] = refusal.details }
        return .json(refusal.status, ["success": false, "error": .object(error), "meta": meta(at: now)])
    }

    /// A success in AIPhoto's envelope; every POST returns 201.
    func success(_ data: JSON, of call: AIPhotoCall, commit: Commit?) -> StandInReply {
        .json(201, ["success": true, "data": data, "meta": meta(at: call.now)], commit: commit)
    }

    private func meta(at now: Date) -> JSON {
        ["requestId": .string(UUID().uuidString.lowercased()), "timestamp": .string(now.railsTimestamp)]
    }
}
