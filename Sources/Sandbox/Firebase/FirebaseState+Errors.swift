import Foundation

extension FirebaseState {
    func refusal(_ status: Int) -> Refusal {
        switch status {
        case 401: Refusal(401, "UNAUTHENTICATED", "UNAUTHENTICATED")
        case 403: Refusal(403, "PERMISSION_DENIED", "The caller does not have permission")
        case 429: Refusal(429, "RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED")
        case 500...: Refusal(status, "INTERNAL", "Internal error encountered.")
        default: Refusal(status, "INVALID_ARGUMENT", "INVALID_ARGUMENT")
        }
    }

    /// An error in the format of Google's servers: the code is the message, or the part of the message before " : ".
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
                [
                    "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": .string(reason), "domain": "googleapis.com",
                ]
            ]
        } else if route == .signInWithPassword {
            error["errors"] = [["message": .string(refusal.message), "domain": "global", "reason": "invalid"]]
        }
        return .json(refusal.status, ["error": .object(error)])
    }
}

extension Refusal {
    static func firebase(_ code: String) -> Refusal { Refusal(400, code, code) }
}
