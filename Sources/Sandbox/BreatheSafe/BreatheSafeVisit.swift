import Foundation
import HTTPTypes

/// A request to a controller, and the changes to its session.
struct BreatheSafeVisit {
    let request: SandboxRequest
    /// The row number in the path; 0 matches no row.
    let number: Int
    let parameters: JSONObject
    let format: AnswerFormat
    let now: Date
    var user: BreatheSafeUser?
    /// True after the idle timeout, without a remember token that renews the session.
    var isIdleTooLong = false
    var csrfSecret: [UInt8]?
    /// The new session has no CSRF secret, so the CSRF cookie of this response is invalid.
    var losesCSRFSecret = false
    var rememberToken: RememberChange = .keep

    enum RememberChange {
        case keep, clear
        case set(RememberCookie)
    }

    /// True if the request has a CSRF token of this session and no foreign Origin.
    var passesCSRFCheck: Bool {
        if let origin = request.headers[.origin], origin != "http://\(request.host)" { return false }
        let tokens = [request.headers[.xCSRFToken], parameters["authenticity_token"]?.text].compactMap { $0 }
        guard let csrfSecret else { return false }
        return tokens.contains { CSRFToken.isValid($0, for: csrfSecret) }
    }

    /// The parameter; throws 400 if it is missing or blank.
    func required(_ name: String) throws(RailsException) -> JSON {
        guard let value = parameters[name], !value.isBlank else { throw .badRequest }
        return value
    }
}

extension HTTPField.Name {
    // The initializer fails only for an invalid name.
    static let xCSRFToken = HTTPField.Name("X-CSRF-Token")!
}

/// A controller's response before the session cookies are added.
struct BreatheSafeReply {
    /// The cookies that a response sets besides the remember token.
    enum Cookies { case both, csrfOnly, sessionOnly, none }

    var response: SandboxResponse
    var cookies = Cookies.both
    var commit: Commit?

    static func json(_ status: Int, _ body: JSON, cookies: Cookies = .both, commit: Commit? = nil) -> BreatheSafeReply {
        BreatheSafeReply(response: .json(status, body), cookies: cookies, commit: commit)
    }

    static func redirect(to path: String, of host: String, cookies: Cookies = .both) -> BreatheSafeReply {
        BreatheSafeReply(
            response: SandboxResponse(
                status: 302, headers: [.contentType: "text/html; charset=utf-8", .location: "http://\(host)\(path)"]),
            cookies: cookies)
    }
}

struct Page {
    /// From 1; lower page numbers give an empty page.
    let number: Int
    /// At most 100; sizes below 1 give an empty page.
    let size: Int

    private static let largest = 100

    /// `usual` is the page size if the request does not set it; `isFixed` means that it cannot.
    init(of visit: BreatheSafeVisit, usually usual: Int, isFixed: Bool = false) {
        func asked(_ name: String, _ usual: Int) -> Int { visit.parameters[name].map(\.rowID) ?? usual }
        number = min(1_000_000, asked("page", 1))
        size = isFixed ? usual : min(Self.largest, asked("per_page", usual))
    }

    /// This page of all rows, under a name.
    func reply<Row>(_ name: String, _ all: [Row], _ json: (Row) -> JSON) -> BreatheSafeReply {
        let rows = number > 0 && size > 0 ? all.dropFirst((number - 1) * size).prefix(size) : []
        return .json(
            200,
            [name: .array(rows.map(json)), "messages": [], "total_count": .int(all.count), "page": .int(number), "per_page": .int(size)])
    }
}

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

/// Rails' error pages, rendered outside a controller; they set no cookies.
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
