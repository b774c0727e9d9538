import Foundation
import HTTPTypes

extension BreatheSafeState {
    /// Answers in Rails' order: route, parameters, CSRF, session, controller, format, cookies.
    mutating func answer(_ sent: SandboxRequest, at now: Date) -> SandboxReply {
        let request = sent.withRackMethod
        let isHead = request.method == "HEAD"
        var reply = answerWhole(request, isHead: isHead, at: now)
        if isHead { reply.response.body = [] }
        return reply
    }

    private mutating func answerWhole(_ request: SandboxRequest, isHead: Bool, at now: Date) -> SandboxReply {
        do {
            guard let found = BreatheSafeRoute.find(isHead ? request.with(method: "GET") : request) else { throw RailsException.notFound }
            let traits = found.route.traits
            var visit = visit(request, found, parameters: try BreatheSafeParameters.read(request), at: now)
            if traits.contains(.needsCSRFToken) && !visit.passesCSRFCheck { throw RailsException.unprocessable }
            if visit.isIdleTooLong { return SandboxReply(response: finish(sessionExpired(&visit), of: visit)) }
            let reply = try found.route.controller(&self, &visit)
            if visit.format == .html && !traits.contains(.hasPage) {
                // Rails rejects the format after the controller has run, so the commit stands.
                let response = SandboxResponse(status: 406, headers: [.contentType: "text/html; charset=UTF-8"])
                return SandboxReply(response: response, commit: reply.commit)
            }
            return SandboxReply(response: conditional(finish(reply, of: visit), to: request), commit: reply.commit)
        } catch {
            // Rails answers 500 to any other error.
            let status = (error as? RailsException ?? .internalError).status
            return SandboxReply(response: ExceptionsPage.response(status, as: AnswerFormat(request)))
        }
    }

    func response(to refusal: Refusal, for request: SandboxRequest, at now: Date) -> SandboxResponse {
        ExceptionsPage.response(refusal.status, as: AnswerFormat(request))
    }

    func errorPage(_ status: Int, code: String?, for request: SandboxRequest, at now: Date) -> SandboxResponse {
        if let code { .json(status, ["messages": [.string(code)]]) } else { ExceptionsPage.response(status, as: AnswerFormat(request)) }
    }

    mutating func denial(of request: SandboxRequest, at now: Date) -> SandboxResponse {
        var anonymous = request
        anonymous.headers[.cookie] = nil
        anonymous.headers[.authorization] = nil
        // Without a body the request cannot sign in, so it has no effect.
        anonymous.body = []
        var response = answer(anonymous, at: now).response
        response.headers[.setCookie] = nil
        // Some routes use another status or need no sign-in.
        return response.status == 401 ? response : errorPage(401, code: nil, for: request, at: now)
    }

    static var settings: [Setting<Self>] {
        [
            .milliseconds("list-lag", \.listLag), .flag("ignore-per-page", \.ignoresPerPage), .flag("list-etag", \.tagsList),
            .number("people", \.people, atMost: 100_000),
        ]
    }

    /// The first response after the idle timeout; it signs the user out.
    private func sessionExpired(_ visit: inout BreatheSafeVisit) -> BreatheSafeReply {
        visit.user = nil
        visit.losesCSRFSecret = true
        guard visit.format == .json else { return .redirect(to: "/users/sign_in", of: visit.request.host) }
        return .json(401, ["error": "Your session expired. Please sign in again to continue."])
    }

    /// Replies 304 to a GET or HEAD with the same ETag.
    private func conditional(_ response: SandboxResponse, to request: SandboxRequest) -> SandboxResponse {
        guard response.status == 200 || response.status == 201 else {
            var response = response
            response.headers[.cacheControl] = "no-cache"
            return response
        }
        var tagged = response
        tagged.headers[.cacheControl] = "max-age=0, private, must-revalidate"
        guard tagsList || request.decodedSegments != ["managed_users"] else { return tagged }
        return tagged.conditional(on: request)
    }
}
