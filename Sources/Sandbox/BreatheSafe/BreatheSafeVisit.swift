import Foundation
import HTTPTypes

/// One request on its way through the imitated Rails: who it is from, what it says, and what becomes of its cookies.
struct BreatheSafeVisit {
    let request: SandboxRequest
    let parameters: JSONObject
    let format: AnswerFormat
    let now: Date
    /// The signed-in user.
    var user: BreatheSafeUser?
    /// Whether the session cookie's user was idle for too long and no remember token helps.
    var isIdleTooLong = false
    var csrfSecret: [UInt8]?
    /// The session gets no CSRF secret; the CSRF cookie of this answer still shows the old one and is dead.
    var losesCSRFSecret = false
    /// A remember token to set, or to clear.
    var rememberToken: RememberChange = .keep

    /// What happens to the cookie `remember_user_token`.
    enum RememberChange {
        case keep, clear
        case set(RememberCookie)
    }

    /// Whether a token of this session came along, and no foreign Origin.
    var passesCSRFCheck: Bool {
        if let origin = request.headers[.origin], origin != "http://\(request.host)" { return false }
        let tokens = [request.headers[.xCSRFToken], parameters["authenticity_token"]?.text].compactMap { $0 }
        guard let csrfSecret else { return false }
        return tokens.contains { CSRFToken.isValid($0, for: csrfSecret) }
    }

    /// An object among the parameters that must be there and not be empty; 400 otherwise.
    func required(_ name: String) throws(RailsException) -> JSON {
        guard let value = parameters[name], !value.isBlank else { throw .badRequest }
        return value
    }
}

extension HTTPField.Name {
    // Both are valid field names; a misspelling shows at the first request of any test.
    static let xCSRFToken = HTTPField.Name("X-CSRF-Token")!
}

/// What a controller answers, before the session's cookies are added.
struct BreatheSafeReply {
    /// The cookies that an answer sets besides the remember token.
    enum Cookies { case both, csrfOnly, sessionOnly, none }

    var response: SandboxResponse
    var cookies = Cookies.both
    var commit: Commit?

    static func json(_ status: Int, _ body: JSON, cookies: Cookies = .both, commit: Commit? = nil) -> BreatheSafeReply {
        BreatheSafeReply(response: .json(status, body), cookies: cookies, commit: commit)
    }

    /// A redirect to a page of the backend, as browsers get it.
    static func redirect(to path: String, of host: String, cookies: Cookies = .both) -> BreatheSafeReply {
        BreatheSafeReply(
            response: SandboxResponse(
                status: 302, headers: [.contentType: "text/html; charset=utf-8", .location: "http://\(host)\(path)"]),
            cookies: cookies)
    }
}
