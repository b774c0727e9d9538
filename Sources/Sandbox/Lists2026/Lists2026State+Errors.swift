import Foundation
import HTTPTypes

extension Lists2026State {
    func refusal(_ status: Int, for request: SandboxRequest) -> Refusal {
        switch status {
        case 400: Refusal(400, "parameter_missing", "param is missing or the value is empty")
        case 401: Refusal(401, "unauthorized", "Unauthorized")
        case 403: Refusal(403, "not_authorized", "You are not authorized to perform this action")
        case 404: Refusal(404, "not_found", "Not found")
        case 409: Refusal(409, "conflict", "Conflict")
        case 410: Refusal(410, "gone", "Gone")
        case 422: Refusal(422, "validation_error", "Validation failed", details: [:])
        case 429: .tooManyRequests(60)
        default: Refusal(status, "internal_error", SandboxResponse.reason(status))
        }
    }

    static func refusal(of problem: ListProblem, _ parameter: String = "list") -> Refusal {
        switch problem {
        case .parameterMissing: Refusal(400, "parameter_missing", "param is missing or the value is empty: \(parameter)")
        case .nameIsBlank: Refusal(422, "validation_error", "Validation failed", details: ["name": ["can't be blank"]])
        }
    }

    func response(to refusal: Refusal, for request: SandboxRequest, at now: Date) -> SandboxResponse {
        var error: JSONObject = ["message": .string(refusal.message)]
        if let seconds = refusal.headers[.retryAfter].flatMap({ Int($0) }) {
            // The rate limiter runs before the application and has no error codes.
            error["status"] = .int(refusal.status)
            error["retry_after"] = .int(seconds)
            error["timestamp"] = .string(now.railsTimestamp)
        } else {
            error["code"] = .string(refusal.code)
        }
        if refusal.details != .null { error["details"] = refusal.details }
        var response = SandboxResponse.json(refusal.status, ["error": .object(error)])
        response.headers.append(contentsOf: refusal.headers)
        if refusal.code == "unauthorized" { response.headers[.wwwAuthenticate] = #"Bearer realm="Application""# }
        return response
    }
}
