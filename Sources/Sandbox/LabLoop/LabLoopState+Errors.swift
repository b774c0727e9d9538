import Foundation
import HTTPTypes

extension LabLoopState {
    static let errors: [Refusal] = [
        .validation("Validation failed"), Refusal(401, "UNAUTHORIZED", "Authentication required"),
        Refusal(403, "FORBIDDEN", "Access denied"), Refusal(404, "NOT_FOUND", "Not found"), .tooManyLogIns,
        Refusal(500, "INTERNAL_ERROR", "Internal Server Error"),
    ]
    static let otherCode = "ERROR"

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
        return SandboxResponse.json(refusal.status, body).adding(refusal.headers)
    }

    func success(_ status: Int, _ message: String, _ data: JSON, at now: Date, commit: Commit? = nil) -> SandboxReply {
        .json(
            status, ["success": true, "message": .string(message), "data": data, "timestamp": .string(now.railsTimestamp)], commit: commit)
    }
}

extension Refusal {
    /// 400 for an incomplete body.
    static func validation(_ message: String) -> Refusal { Refusal(400, "VALIDATION_ERROR", message) }

    static let tooManyLogIns = Refusal(429, "RATE_LIMIT_EXCEEDED", "Too many login attempts")
}
