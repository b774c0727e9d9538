import Crypto
import Foundation
import SyncModel

/// A session in tokens: one that goes with every request, and mostly one by which the next is fetched (RFC 6749, RFC 6750).
struct BearerScheme: Scheme {
    let backend: Backend
    let clock: any SyncClock
    private var auth: AuthRules { backend.profile.auth }

    func authorize(_ request: inout OutboundRequest, with credentials: Credentials) {
        guard let token = credentials.tokens?.access.revealed else { return }
        switch auth.placement {
        case .header: request.setHeader("Authorization", "Bearer \(token)")
        case .query(let name):
            let unreserved = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
            let escaped = token.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
            request.url += "\(request.url.contains("?") ? "&" : "?")\(name)=\(escaped)"
        }
    }

    func absorb(_ response: InboundResponse, into credentials: inout Credentials) -> Bool { false }

    // MARK: Ways in

    func signIn(_ way: WayIn, over transport: any Transport) async throws(AuthenticationError) -> (Account, Credentials) {
        switch way {
        case .password(let email, let password): try await signIn(email, password, over: transport)
        case .refreshToken(let token, let label): try await exchange(token, label, over: transport)
        case .accessToken(let token, let label): try await take(token, label, over: transport)
        }
    }

    private func signIn(
        _ email: String, _ password: Secret, over transport: any Transport
    ) async throws(AuthenticationError) -> (Account, Credentials) {
        guard let login = auth.login, let rules = login.tokens else {
            throw .unsupported(
                "\(backend.name) takes no e-mail and password.",
                next: "Sign in with ‘homing login --token-stdin’ and the backend’s API key.")
        }
        let (account, response) = try await backend.signIn(login, email, password, over: transport)
        guard let tokens = rules.tokens(in: response, earlier: nil, fallback: auth.lifetime, at: clock.now) else {
            throw .misbehaved("The backend accepted the sign-in and gave no token; it may want a second factor.")
        }
        let credentials = Credentials(tokens: tokens)
        if let known = try await holder(of: credentials, over: transport), known != account.id {
            throw .misbehaved("The backend accepted the sign-in and then took it for another account’s. Try again.")
        }
        return (account, credentials)
    }

    private func exchange(
        _ token: Secret, _ label: String?, over transport: any Transport
    ) async throws(AuthenticationError) -> (Account, Credentials) {
        guard auth.refresh != nil else {
            throw .unsupported("\(backend.name) has no refresh tokens.", next: "Sign in with ‘homing login’.")
        }
        switch await refresh(token, nil, over: transport, mayAskAgain: { true }) {
        case .refreshed(let tokens, let named):
            let credentials = Credentials(tokens: tokens)
            var id = named
            if id == nil { id = try await holder(of: credentials, over: transport) }
            guard let id = id ?? TokenClaims(tokens.access.revealed)?.subject else {
                throw .misbehaved("The backend took the refresh token without saying whose account it is.")
            }
            return (Account(id: id, label: label ?? id), credentials)
        case .rejected(let words): throw .refused(words)
        case .unavailable(let failure): throw .unavailable(failure)
        }
    }

    private func take(
        _ token: Secret, _ label: String?, over transport: any Transport
    ) async throws(AuthenticationError) -> (Account, Credentials) {
        guard auth.login == nil, auth.refresh == nil else {
            throw .unsupported(
                "The tokens of \(backend.name) do not last.",
                next: auth.login == nil ? "Sign in with ‘homing login --refresh-token-stdin’." : "Sign in with ‘homing login’.")
        }
        let credentials = Credentials(tokens: Tokens(access: token, refresh: nil, receivedAt: clock.now, lifetime: auth.lifetime))
        let known = try await holder(of: credentials, over: transport)
        if known == nil, backend.hasHealth { throw .refused("the token is nobody’s") }
        // Without a word from the server, the same key is the same account.
        let digest = SHA256.hash(data: Data(token.revealed.utf8)).prefix(6).map { String(format: "%02x", $0) }.joined()
        let id = known ?? TokenClaims(token.revealed)?.subject ?? "key-\(digest)"
        return (Account(id: id, label: label ?? id), credentials)
    }

    /// Whom the backend takes the bearer for: the account's id; nil for nobody, and where it has no way to say.
    private func holder(of credentials: Credentials, over transport: any Transport) async throws(AuthenticationError) -> String? {
        try await backend.whoIsSignedIn(over: transport) { authorize(&$0, with: credentials) }?.account
    }

    // MARK: Renewal

    func renew(
        _ credentials: Credentials, of account: Account?, over transport: any Transport, mayAskAgain: @Sendable () async -> Bool
    ) async -> Renewal {
        guard let token = credentials.tokens?.refresh else { return .ended("the session has ended, and there is no refresh token") }
        switch await refresh(token, credentials.tokens?.access, over: transport, mayAskAgain: mayAskAgain) {
        case .refreshed(let tokens, let named):
            if let named, named != account?.id { return .foreign }
            var renewed = credentials
            renewed.tokens = tokens
            return .renewed(renewed)
        case .rejected(let words): return .ended(words)
        case .unavailable(let failure): return .unavailable(failure)
        }
    }

    private enum RefreshAnswer {
        case refreshed(Tokens, account: String?)
        /// The server's words about the token: it will not do again.
        case rejected(String)
        case unavailable(Failure)
    }

    /// One refresh. Where its answer is lost, it is asked for once more at once, with the same token: a server that turns its tokens over
    /// mostly takes the last one a little longer. It goes past every cache, for it does not go through one.
    private func refresh(
        _ token: Secret, _ access: Secret?, over transport: any Transport, mayAskAgain: @Sendable () async -> Bool
    ) async -> RefreshAnswer {
        guard let rules = auth.refresh else { return .rejected("the session has ended") }
        var inputs: [String: JSONValue] = ["refresh": .string(token.revealed)]
        inputs["access"] = access.map { .string($0.revealed) }
        let request: OutboundRequest
        do { request = try rules.request.render(TemplateValues(subject: "The refresh", inputs: inputs)) } catch {
            return .unavailable(error)
        }
        var wasLost = false
        while true {
            do {
                let answer = read(try await transport.send(request), rules, earlier: token)
                guard wasLost, case .rejected(let words) = answer else { return answer }
                return .rejected(Self.lost(words))
            } catch {
                switch error {
                case .lost(let failure):
                    if wasLost || failure.reason == .stopping { return .unavailable(failure) }
                    guard await mayAskAgain() else { return .unavailable(failure) }
                    wasLost = true
                case .unreachable(let failure):
                    guard wasLost else { return .unavailable(failure) }
                    return .unavailable(Failure(.lostAnswer, failure.message, outcomeUnknown: true))
                }
            }
        }
    }

    /// Why a token that was good is refused after its answer was lost.
    static func lost(_ words: String) -> String {
        "refresh answer lost: the backend had renewed the session, and its answer never came (\(words))"
    }

    private func read(_ response: InboundResponse, _ rules: AuthRules.RefreshRules, earlier: Secret) -> RefreshAnswer {
        let errors = backend.profile.errors
        let (status, code) = (response.status, errors.code(of: response))
        let words = errors.words(of: response)
        if let failure = backend.interception(in: response) { return .unavailable(failure) }
        if response.isSuccess, !backend.saysFailure(response) {
            guard let tokens = rules.tokens.tokens(in: response, earlier: earlier, fallback: auth.lifetime, at: clock.now) else {
                return .unavailable(Failure(.profile, status: status, "The backend answered the refresh without a token (\(status))."))
            }
            return .refreshed(tokens, account: response.json?.at(rules.account)?.text)
        }
        let isKnown = code.map { errors.relogin.contains($0) || $0 == "invalid_grant" } ?? false
        if response.isJSON, isKnown && status < 500 { return .rejected(words ?? code ?? "the session has ended") }
        if status == 429 || code.map(errors.retry.contains) == true {
            return .unavailable(Failure(.throttled, status: status, words ?? "The backend asks for fewer refreshes (\(status))."))
        }
        // A proxy's page says nothing of the session.
        if status == 401, response.isJSON || response.body.isEmpty { return .rejected(words ?? "the session has ended") }
        guard (400..<500).contains(status), ![408, 425].contains(status), response.isJSON else {
            return .unavailable(Failure(.serverError, status: status, words ?? "The backend could not renew the session (\(status))."))
        }
        let reason = words.map { ": \($0)" } ?? "."
        return .unavailable(
            Failure(.profile, status: status, "The backend does not take the refresh as its profile describes it (\(status))\(reason)"))
    }

    // MARK: The way out

    func signOut(
        _ credentials: Credentials, allDevices: Bool, couldRenew: Bool, over transport: any Transport
    ) async -> SignOutOutcome.Server {
        guard let template = allDevices ? auth.logout.requestForAll : auth.logout.request, let tokens = credentials.tokens else {
            return .none
        }
        var inputs: [String: JSONValue] = ["access": .string(tokens.access.revealed)]
        inputs["refresh"] = tokens.refresh.map { .string($0.revealed) }
        // The refresh token may live on at a server that refuses an access token which is merely old.
        let saysTheEnd = tokens.refresh == nil || (couldRenew && !tokens.hasEnded(at: clock.now))
        let values = TemplateValues(subject: "The sign-out", inputs: inputs)
        return await backend.signOut(template, values, unauthorizedMeansGone: saysTheEnd, over: transport) {
            authorize(&$0, with: credentials)
        }
    }
}
