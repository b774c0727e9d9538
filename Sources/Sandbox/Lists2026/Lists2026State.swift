import Foundation
import HTTPTypes

struct Lists2026State: StandInState {
    let configuration: Lists2026Configuration
    private var signer = TokenSigner()
    /// The `jti` of signed-out access tokens.
    private var denied: Set<String> = []
    private var families: RefreshFamilies
    private var limits: Lists2026Limits
    private var table = ListsTable()

    init(_ configuration: Lists2026Configuration) {
        self.configuration = configuration
        families = RefreshFamilies(grace: configuration.grace)
        limits = Lists2026Limits(configuration.limits)
    }

    func carriedAccounts(in request: SandboxRequest, at now: Date) -> CarriedAccounts {
        let refresh = refreshToken(in: request).flatMap(families.owner)
        return CarriedAccounts(
            session: configuration.accounts.account(id: signer.open(request.bearerToken)?.claims["user_id"]?.text)?.number,
            remembered: configuration.accounts.account(id: refresh)?.number,
            // An invalid body still counts as a sign-in attempt.
            signingIn: Lists2026Route(request) == .signIn ? request.object?["user"]?["email"]?.text ?? "" : nil)
    }

    mutating func answer(_ request: SandboxRequest, at now: Date) throws(Refusal) -> StandInReply {
        let (route, account) = (Lists2026Route(request), account(of: request, at: now))
        try limits.admit(request, route: route, account: account?.id, at: now)
        if !request.body.isEmpty && request.object == nil { throw Refusal(400, "parse_error", "Malformed JSON") }
        switch route {
        case .signIn: return try signIn(request, at: now)
        case .refresh: return try refresh(request, at: now)
        case .signOut: return signOut(request)
        case .lists:
            guard let account else { throw refusal(401, for: request) }
            return .json(200, ["lists": table.lists(of: account), "tombstones": []])
        case .addList:
            guard let account else { throw refusal(401, for: request) }
            do throws(ListProblem) { return try table.add(request, by: account, at: now) } catch { throw Self.refusal(of: error) }
        case nil: throw refusal(404, for: request)
        }
    }

    mutating func expireSessions(rememberTokens: Bool) {
        signer.endTokens()
        if rememberTokens { families.revokeAll() }
    }

    private mutating func signIn(_ request: SandboxRequest, at now: Date) throws(Refusal) -> StandInReply {
        guard let user = request.object?["user"]?.members else { throw Self.refusal(of: .parameterMissing, "user") }
        guard let account = configuration.accounts.account(email: user["email"]?.text), user["password"]?.text == account.password else {
            throw Refusal(401, "unauthorized", "Invalid email or password")
        }
        let refresh = families.begin(for: account.id, expires: refreshExpiry(at: now))
        return tokens(for: account, refresh: refresh, at: now)
    }

    /// Exchanges a refresh token from the header or the body; one in the query is ignored.
    private mutating func refresh(_ request: SandboxRequest, at now: Date) throws(Refusal) -> StandInReply {
        guard let old = refreshToken(in: request) else { throw .refresh("token_invalid") }
        let (id, new) = try families.exchange(old, expires: refreshExpiry(at: now), at: now)
        guard let account = configuration.accounts.account(id: id) else { throw .refresh("token_invalid") }
        return tokens(for: account, refresh: new, at: now)
    }

    /// Invalidates the access token, and the refresh token if the request has one; always 204.
    private mutating func signOut(_ request: SandboxRequest) -> StandInReply {
        if let identifier = signer.open(request.bearerToken)?.claims["jti"]?.text { denied.insert(identifier) }
        if let refresh = refreshToken(in: request) { families.revoke(refresh) }
        return StandInReply(response: SandboxResponse(status: 204))
    }

    private func tokens(for account: SandboxAccount, refresh: String, at now: Date) -> StandInReply {
        let token = signer.sign([
            "user_id": .string(account.id), "iat": .int(now.unixSeconds), "exp": .int(now.unixSeconds + configuration.accessLifetime),
            "jti": .string(OpaqueToken.new()),
        ])
        let user: JSON = ["id": .string(account.id), "email": .string(account.email)]
        return .json(200, ["user": user, "token": .string(token), "refresh_token": .string(refresh)])
    }

    /// The refresh token from the header or, on a route that accepts it there, from the body.
    private func refreshToken(in request: SandboxRequest) -> String? {
        if let token = request.header("x-refresh-token") { return token }
        return [.refresh, .signOut].contains(Lists2026Route(request)) ? request.object?["refresh_token"]?.text : nil
    }

    private func refreshExpiry(at now: Date) -> Date { now.addingTimeInterval(TimeInterval(configuration.refreshLifetime)) }

    private func account(of request: SandboxRequest, at now: Date) -> SandboxAccount? {
        guard let token = signer.open(request.bearerToken), token.works(at: now), !denied.contains(token.claims["jti"]?.text ?? "") else {
            return nil
        }
        return configuration.accounts.account(id: token.claims["user_id"]?.text)
    }
}
