import Foundation
import HTTPTypes

extension LabLoopState {
    func refusal(_ status: Int, for request: SandboxRequest) -> Refusal {
        switch status {
        case 400: .validation("Validation failed")
        case 401: Refusal(401, "UNAUTHORIZED", "Authentication required")
        case 403: Refusal(403, "FORBIDDEN", "Access denied")
        case 404: Refusal(404, "NOT_FOUND", "Not found")
        case 429: .tooManyLogIns
        default: Refusal(status, status == 500 ? "INTERNAL_ERROR" : "ERROR", SandboxResponse.reason(status))
        }
    }

    func response(to refusal: Refusal, for request: SandboxRequest, at now: Date) -> SandboxResponse {
        let (code, message, time) = (JSON.string(refusal.code), JSON.string(refusal.message), JSON.string(now.railsTimestamp))
        let body: JSON
        switch configuration.errorForm {
        // The rate limiter runs before the application and has its own format.
        case _ where refusal.code == Refusal.tooManyLogIns.code:
            body = ["error": message, "details": "Please try again later.", "code": code]
        case .nested:
            body = [
                "success": false, "statusCode": .int(refusal.status), "message": message,
                "error": ["code": code, "details": refusal.details],
            ]
        case .flat:
            body = [
                "success": false, "error": message, "message": message, "code": code, "details": refusal.details, "timestamp": time,
                "request_id": .string("req_\(now.unixSeconds)"),
            ]
        case .retryable:
            body = [
                "success": false,
                "error": ["code": code, "message": message, "user_message": message, "retryable": .bool(refusal.status >= 500)],
                "timestamp": time,
            ]
        }
        var response = SandboxResponse.json(refusal.status, body)
        response.headers.append(contentsOf: refusal.headers)
        return response
    }

    func success(_ status: Int, _ message: String, _ data: JSON, at now: Date, commit: Commit? = nil) -> StandInReply {
        .json(
            status, ["success": true, "message": .string(message), "data": data, "timestamp": .string(now.railsTimestamp)], commit: commit)
    }
}

extension Refusal {
    /// 400 for an incomplete body.
    static func validation(_ message: String) -> Refusal { Refusal(400, "VALIDATION_ERROR", message) }

    static let tooManyLogIns = Refusal(429, "RATE_LIMIT_EXCEEDED", "Too many login attempts")
}
