import HTTPTypes

/// The requested format by Rails' rules: the Accept header, or a path ending in `.json`.
enum AnswerFormat: Sendable, Equatable {
    case json
    case html
    /// `*/*`, no Accept header, or a list that contains `*/*`.
    case any

    init(_ request: SandboxRequest) {
        let accept = request.headers[.accept]?.lowercased() ?? "*/*"
        if request.path.hasSuffix(".json") {
            self = .json
        } else if accept.contains("*/*") {
            self = .any
        } else if accept.contains("json") {
            self = .json
        } else {
            self = .html
        }
    }
}

/// The error pages that Rails renders outside a controller; they set no cookies.
enum ExceptionsPage {
    static func response(_ status: Int, as format: AnswerFormat) -> SandboxResponse {
        format == .json
            ? .json(status, ["status": .integer(status), "error": .string(SandboxResponse.reason(status))], charset: "UTF-8")
            : .html(status, title: "\(SandboxResponse.reason(status)) (\(status))", charset: "UTF-8")
    }
}

/// Aborts a controller with an error page of this status.
struct RailsException: Error {
    let status: Int

    static let badRequest = RailsException(status: 400)
    static let notFound = RailsException(status: 404)
    static let unprocessable = RailsException(status: 422)
    static let internalError = RailsException(status: 500)
}
