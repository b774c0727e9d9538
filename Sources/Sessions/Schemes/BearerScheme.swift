import Backends
import Foundation
import JSON
import SyncModel

/// Access token and usually a refresh token (RFC 6749, RFC 6750).
struct BearerScheme: Scheme {
    let backend: Backend
    let clock: any SyncClock
    private var auth: AuthRules { backend.profile.auth }

    func authorize(_ request: inout OutboundRequest, with credentials: Credentials) {
        guard let token = credentials.tokens?.access else { return }
        request.secrets.insert(token)
        switch auth.placement {
        case .header: request.setHeader("Authorization", "Bearer \(token.revealed)")
        case .query(let name): request.url += "\(request.url.contains("?") ? "&" : "?")\(name)=\(token.revealed.percentEncoded)"
        }
    }

    func absorb(_ response: InboundResponse, to request: OutboundRequest, into credentials: inout Credentials) -> Bool { false }

    // MARK: Signing in

    func signIn(
        _ method: SignInMethod, over transport: any Transport, keep: @Sendable (Tokens) async throws(SignInError) -> Void
    ) async throws(SignInError) -> (Account, Credentials) {
        switch method {
        case .password(let email, let password): try await signIn(email, password, over: transport)
        case .refreshToken(let token, let label): try await exchange(token, label, over: transport, keep: keep)
        case .accessToken(let token, let label): try await take(token, label, over: transport)
        }
    }

    private func signIn(
        _ email: String, _ password: Secret, over transport: any Transport
    ) async throws(SignInError) -> (Account, Credentials) {
        guard let login = auth.login, let rules = login.tokens else {
            throw .unsupported("\(backend.name) does not accept an email address and password.")
        }
        let (account, _, response) = try await backend.signIn(login, email, password, over: transport)
        guard let tokens = rules.tokens(in: response, earlier: nil, fallback: auth.lifetime, at: clock.now) else {
            throw .misbehaved("The backend accepted the sign-in but sent no token. It may require a second factor.")
        }
        let credentials = Credentials(tokens: tokens)
        if let known = try await holder(of: credentials, over: transport), known != account.id {
            throw .misbehaved("The backend accepted the sign-in but then reported another account.")
        }
        return (account, credentials)
    }

    private func exchange(
        _ token: Secret, _ label: String?, over transport: any Transport,
        keep: @Sendable (Tokens) async throws(SignInError) -> Void
    ) async throws(SignInError) -> (Account, Credentials) {
        guard let rules = auth.refresh else {
            throw .unsupported("\(backend.name) does not accept refresh tokens.")
        }
        // Check this before the token is consumed.
        let subject = TokenClaims(token.revealed)?.subject
        guard !rules.account.isEmpty || backend.hasHealth || subject != nil else {
            throw .unsupported(
                "\(backend.name) does not report the account of a refresh token, so the token was not used. Its profile must set auth.refresh.account or health."
            )
        }
        switch await refresh(token, nil, over: transport, mayAskAgain: { true }) {
        case .refreshed(let tokens, let named):
            try await keep(tokens)
            let credentials = Credentials(tokens: tokens)
            var id = named
            if id == nil { id = try await holder(of: credentials, over: transport) }
            guard let id = id ?? TokenClaims(tokens.access.revealed)?.subject ?? subject else {
                throw .misbehaved("The backend accepted the refresh token but did not report its account.")
            }
            return (Account(id: id, label: label ?? id.rawValue), credentials)
        case .rejected(let words): throw .refused(words)
        case .unavailable(let failure, _): throw .unavailable(failure)
        }
    }

    private func take(
        _ token: Secret, _ label: String?, over transport: any Transport
    ) async throws(SignInError) -> (Account, Credentials) {
        guard auth.login == nil, auth.refresh == nil else {
            throw .unsupported("The access tokens of \(backend.name) expire, so Homing does not accept them for signing in.")
        }
        let credentials = Credentials(tokens: Tokens(access: token, refresh: nil, receivedAt: clock.now, lifetime: auth.lifetime))
        let known = try await holder(of: credentials, over: transport)
        if known == nil, backend.hasHealth { throw .refused("the token belongs to no account") }
        // Then entries captured under an old key are sent with a new one.
        let name = label?.trimmingCharacters(in: .whitespaces).lowercased()
        // Without a name, all people would share one account, and one person's key would send another's entries.
        guard let id = known ?? TokenClaims(token.revealed)?.subject ?? name.map(AccountID.init) else { throw .unnamed }
        return (Account(id: id, label: label ?? id.rawValue), credentials)
    }

    /// The account; nil when signed out, or if the backend cannot tell.
    private func holder(of credentials: Credentials, over transport: any Transport) async throws(SignInError) -> AccountID? {
        try await backend.signedInAccount(over: transport) { authorize(&$0, with: credentials) }?.account
    }

    // MARK: Refreshing

    func refresh(
        _ credentials: Credentials, of account: Account?, over transport: any Transport, mayAskAgain: @Sendable () async -> Bool
    ) async -> RefreshAnswer {
        guard let token = credentials.tokens?.refresh else { return .impossible }
        switch await refresh(token, credentials.tokens?.access, over: transport, mayAskAgain: mayAskAgain) {
        case .refreshed(let tokens, let named):
            if let named, named != account?.id { return .foreign }
            var renewed = credentials
            renewed.tokens = tokens
            return .renewed(renewed)
        case .rejected(let words): return .ended(words)
        case .unavailable(let failure, let until): return .unavailable(failure, until: until)
        }
    }

    private enum TokenAnswer {
        case refreshed(Tokens, account: AccountID?)
        /// Refused for good, with the server's message.
        case rejected(String)
        /// The outcome is unknown if the token may have been rotated.
        case unavailable(Failure, until: Date? = nil)
    }

    /// Repeats the request at once after a lost answer: most servers accept the previous token for a while (RefreshingTokens).
    private func refresh(
        _ token: Secret, _ access: Secret?, over transport: any Transport, mayAskAgain: @Sendable () async -> Bool
    ) async -> TokenAnswer {
        guard let rules = auth.refresh else { return .rejected("the session has ended") }
        var secrets = ["refresh": token]
        secrets["access"] = access
        var request: OutboundRequest
        do { request = try rules.request.render(TemplateValues(subject: "The refresh", secrets: secrets)) } catch {
            return .unavailable(error)
        }
        request.isBrief = true
        // A lost answer may end the session, even to a GET.
        request.isReusing = false
        var wasLost = false
        while true {
            do {
                let answer = read(try await transport.send(request), rules, earlier: token)
                guard wasLost else { return answer }
                switch answer {
                case .refreshed: return answer
                case .rejected(let words): return .rejected(Self.lost(words))
                case .unavailable(var failure, let until):
                    failure.outcomeUnknown = true
                    return .unavailable(failure, until: until)
                }
            } catch {
                switch error {
                case .lost(var failure):
                    failure.outcomeUnknown = true
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

    /// Explains the refusal of a valid token after a lost answer.
    static func lost(_ words: String) -> String {
        let beginning = "refresh answer lost"
        return words.hasPrefix(beginning)
            ? words : "\(beginning): the backend renewed the session, but its answer did not arrive (\(words))"
    }

    /// The answer to our refresh was lost.
    private static let alreadyRefreshed = "token_already_refreshed"

    private func read(_ response: InboundResponse, _ rules: AuthRules.RefreshRules, earlier: Secret) -> TokenAnswer {
        let errors = backend.profile.errors
        let (status, code) = (response.status, errors.code(of: response))
        let words = errors.sentence(of: response)
        let until = RetryAfter.read(response, now: clock.now)
        // Only the backend's own refusal shows that the token was not rotated.
        let isOpen = !(400..<500).contains(status) || !response.isJSON
        if var failure = backend.interception(in: response) {
            failure.outcomeUnknown = isOpen
            return .unavailable(failure)
        }
        if response.isSuccess, !backend.saysFailure(response) {
            guard let tokens = rules.tokens.tokens(in: response, earlier: earlier, fallback: auth.lifetime, at: clock.now) else {
                let words = "The backend answered the refresh without a token (\(status))."
                return .unavailable(Failure(.profile, status: status, words, outcomeUnknown: isOpen))
            }
            return .refreshed(tokens, account: response.json?.at(rules.account)?.identifier.map(AccountID.init))
        }
        if errors.refusesCredentials(response) {
            return .rejected(
                code == Self.alreadyRefreshed ? Self.lost(words ?? Self.alreadyRefreshed) : words ?? code ?? "the session has ended")
        }
        if status == 429 || errors.allowsRetry(code) {
            let sentence = words ?? "The backend asked Homing to wait before the next refresh (\(status))."
            let asked = status == 429 ? until ?? clock.now.addingTimeInterval(RetryAfter.fallback) : until
            return .unavailable(Failure(.throttled, status: status, sentence, outcomeUnknown: isOpen && status != 429), until: asked)
        }
        // A gateway may refuse in JSON too, which says nothing about the session.
        let sentence = "The backend did not renew the session (\(status))\(words.map { ": \($0)" } ?? ".")"
        let isRefused =
            (400..<500).contains(status) && ![401, 408, 425].contains(status) && response.isJSON
            && (code != nil || ![400, 403, 422].contains(status))
        return .unavailable(
            Failure(isRefused ? .profile : .serverError, status: status, sentence, outcomeUnknown: isOpen), until: until)
    }

    // MARK: Signing out

    func signOut(_ credentials: Credentials, allDevices: Bool, over transport: any Transport) async -> SignOutOutcome.Server? {
        guard let template = allDevices ? auth.logout.requestForAll : auth.logout.request, let tokens = credentials.tokens else {
            return SignOutOutcome.Server.none
        }
        var secrets = ["access": tokens.access]
        secrets["refresh"] = tokens.refresh
        return await backend.signOut(template, TemplateValues(subject: "The sign-out", secrets: secrets), over: transport) {
            authorize(&$0, with: credentials)
        }
    }
}
