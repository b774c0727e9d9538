import Foundation
import HTTPTypes

extension BreatheSafeState {
    static let sessionCookieName = "_breathesafe_session"
    static let rememberCookieName = "remember_user_token"
    static let csrfCookieName = "CSRF-TOKEN"

    func carriedAccounts(in request: SandboxRequest, at now: Date) -> CarriedAccounts {
        let jar = request.cookies
        var accounts = CarriedAccounts(session: session(in: jar)?.user, remembered: remembered(in: jar, at: now))
        if BreatheSafeRoute.find(request)?.route.isLogIn == true {
            // `try?`: an invalid body still counts as a sign-in attempt.
            let parameters = try? BreatheSafeParameters.read(request)
            accounts.signingIn = parameters?["user"]?["email"]?.text ?? ""
        }
        return accounts
    }

    func visit(
        _ request: SandboxRequest, _ found: (route: BreatheSafeRoute, number: Int), parameters: JSONObject, at now: Date
    ) -> BreatheSafeVisit {
        let jar = request.cookies
        let session = session(in: jar)
        let remembered = remembered(in: jar, at: now)
        var visit = BreatheSafeVisit(
            request: request, number: found.number, parameters: parameters, format: AnswerFormat(request), now: now)
        visit.csrfSecret = session?.csrfSecret
        visit.user = (session?.user ?? remembered).flatMap { users[$0] }
        let hasTimeout = !found.route.traits.contains(.ignoresIdleTimeout)
        if let session, visit.user != nil, session.user != nil, remembered != session.user, hasTimeout {
            visit.isIdleTooLong =
                session.generation < sessionGeneration
                || now.timeIntervalSince(session.lastRequest) > configuration.sessionLifetime.seconds
        }
        return visit
    }

    func finish(_ reply: BreatheSafeReply, of visit: BreatheSafeVisit) -> SandboxResponse {
        var headers = reply.response.headers
        func set(_ name: String, _ value: String, _ attributes: String) {
            headers.append(HTTPField(name: .setCookie, value: "\(name)=\(value); path=/; \(attributes)"))
        }
        let secret = visit.csrfSecret ?? CSRFToken.secret()
        if reply.cookies == .both || reply.cookies == .csrfOnly { set(Self.csrfCookieName, CSRFToken.masked(secret), "samesite=lax") }
        if reply.cookies == .both || reply.cookies == .sessionOnly {
            let session = SessionCookie(
                user: visit.user?.id, lastRequest: visit.now, csrfSecret: visit.losesCSRFSecret ? nil : secret,
                generation: sessionGeneration)
            set(Self.sessionCookieName, cookies.seal(session), "httponly; samesite=lax")
        }
        switch visit.rememberToken {
        case .keep: break
        case .clear: set(Self.rememberCookieName, "", "max-age=0; expires=Thu, 01 Jan 1970 00:00:00 GMT; samesite=lax")
        case .set(let token):
            set(Self.rememberCookieName, cookies.seal(token), "expires=\(token.expires.httpDate); httponly; samesite=lax")
        }
        var response = reply.response
        response.headers = headers
        return response
    }

    private func session(in jar: [String: String]) -> SessionCookie? {
        cookies.open(jar[Self.sessionCookieName], as: SessionCookie.self)
    }

    private func remembered(in jar: [String: String], at now: Date) -> Int? {
        guard let token = cookies.open(jar[Self.rememberCookieName], as: RememberCookie.self), token.expires > now,
            let user = users[token.user], user.rememberGeneration == token.generation
        else { return nil }
        return user.id
    }
}
