import Foundation
import HTTPTypes

struct BreatheSafeVisit {
    let request: SandboxRequest
    let parameters: JSONObject
    let format: AnswerFormat
    let now: Date
    var user: BreatheSafeUser?
    /// True if the session was idle too long and no remember token renews it.
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

    /// A parameter that must not be missing or blank; otherwise throws 400.
    func required(_ name: String) throws(RailsException) -> JSON {
        guard let value = parameters[name], !value.isBlank else { throw .badRequest }
        return value
    }
}

extension HTTPField.Name {
    // A literal field name; the initializer fails only for an invalid name.
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
