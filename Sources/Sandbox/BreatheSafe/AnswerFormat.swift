import HTTPTypes

/// What kind of answer the Accept header, or a `.json` at the end of the path, asks for, as Rails reads them.
enum AnswerFormat: Sendable, Equatable {
    case json
    case html
    /// `*/*`, no header, or a list with `*/*` in it.
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

/// The pages that Rails shows instead of a controller's answer; they set no cookies.
enum ExceptionsPage {
    static func response(_ status: Int, as format: AnswerFormat) -> SandboxResponse {
        format == .json
            ? .json(status, ["status": .integer(status), "error": .string(SandboxResponse.reason(status))], charset: "UTF-8")
            : .html(status, title: "\(SandboxResponse.reason(status)) (\(status))", charset: "UTF-8")
    }
}

/// Ends the answer of a controller with an exceptions page of this status.
struct RailsException: Error {
    let status: Int

    static let badRequest = RailsException(status: 400)
    static let notFound = RailsException(status: 404)
    static let unprocessable = RailsException(status: 422)
    static let internalError = RailsException(status: 500)
}
