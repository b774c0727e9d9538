import Foundation
import HTTPTypes

struct Lists2026State: SandboxState {
    private static let signInLine = "POST /api/v1/auth/sign_in"
    private static let refreshLine = "POST /api/v1/auth/refresh"
    private static let signOutLine = "DELETE /api/v1/auth/sign_out"

    private let configuration: Lists2026Configuration
    private var signer: TokenSigner
    /// The `jti` of signed-out access tokens.
    private var denied: Set<String> = []
    private var families: RefreshFamilies
    private var table = ListsTable(.later)
    // The real server counts the first three limits by address; here all clients share one.
    private var logIns = RateLimit(5, per: 60)
    private var refreshes = RateLimit(10, per: 60)
    private var requests = RateLimit(100, per: 60)
    private var requestsOfAnAccount = RateLimit(300, per: 60)
    private var writesOfAnAccount = RateLimit(60, per: 60)

    init(_ configuration: Lists2026Configuration) {
        self.configuration = configuration
        signer = TokenSigner(configuration.accounts, claim: "user_id")
        families = RefreshFamilies(grace: configuration.grace)
    }

    func carriedAccounts(in request: SandboxRequest, at now: Date) -> CarriedAccounts {
        let refresh = refreshToken(in: request).flatMap(families.owner)
        return CarriedAccounts(
            session: signer.owner(of: request.bearerToken)?.number, remembered: configuration.accounts.account(id: refresh)?.number,
            // An invalid body still counts as a sign-in attempt.
            signingIn: request.line == Self.signInLine ? request.object?["user"]?["email"]?.text ?? "" : nil)
    }

    mutating func answer(_ request: SandboxRequest, at now: Date) throws(Refusal) -> SandboxReply {
        if configuration.limits == .real { try admit(request, account: account(of: request, at: now)?.id, at: now) }
        if !request.body.isEmpty && request.object == nil { throw Refusal(400, "parse_error", "Malformed JSON") }
        switch request.line {
        case Self.signInLine: return try signIn(request, at: now)
        case Self.refreshLine: return try refresh(request, at: now)
        case Self.signOutLine: return signOut(request)
        default:
            guard let call = ListsCall(request, table.edition) else { throw refusal(404, for: request) }
            return try table.answer(call, request, by: try signedIn(request, at: now), at: now)
        }
    }

    static let errors: [Refusal] = [
        Refusal(400, "parameter_missing", "param is missing or the value is empty"), Refusal(401, "unauthorized", "Unauthorized"),
        Refusal(403, "not_authorized", "You are not authorized to perform this action"), Refusal(404, "not_found", "Not found"),
        Refusal(409, "conflict", "Conflict"), Refusal(410, "gone", "Gone"),
        Refusal(422, "validation_error", "Validation failed", details: [:]), .tooManyRequests,
    ]
    static let otherCode = "internal_error"

    func response(to refusal: Refusal, for request: SandboxRequest, at now: Date) -> SandboxResponse {
        var error: JSONObject = ["message": .string(refusal.message)]
        if let seconds = refusal.retryAfter {
            // The rate limiter runs before the application and has no error codes.
            error["status"] = .int(refusal.status)
            error["retry_after"] = .int(seconds)
            error["timestamp"] = .string(now.railsTimestamp)
        } else {
            error["code"] = .string(refusal.code)
        }
        if refusal.details != .null { error["details"] = refusal.details }
        var response = refusal.listsResponse(.object(error))
        if refusal.code == "unauthorized" { response.headers[.wwwAuthenticate] = #"Bearer realm="Application""# }
        return response
    }

    mutating func expireSessions(rememberTokens: Bool) {
        signer.endTokens()
        if rememberTokens { families.revokeAll() }
    }

    /// The limits apply before everything else.
    private mutating func admit(_ request: SandboxRequest, account: String?, at now: Date) throws(Refusal) {
        var isAdmitted = requests.admits("", at: now)
        if request.line == Self.signInLine { isAdmitted = logIns.admits("", at: now) && isAdmitted }
        if request.line == Self.refreshLine { isAdmitted = refreshes.admits("", at: now) && isAdmitted }
        if let account {
            isAdmitted = requestsOfAnAccount.admits(account, at: now) && isAdmitted
            if request.method != "GET" { isAdmitted = writesOfAnAccount.admits(account, at: now) && isAdmitted }
        }
        if !isAdmitted { throw .tooManyRequests }
    }

    private mutating func signIn(_ request: SandboxRequest, at now: Date) throws(Refusal) -> SandboxReply {
        guard let user = request.object?["user"]?.members else { throw .parameterMissing("user") }
        guard let account = configuration.accounts.account(email: user["email"]?.text), user["password"]?.text == account.password else {
            throw Refusal(401, "unauthorized", "Invalid email or password")
        }
        let refresh = families.begin(for: account.id, expires: refreshExpiry(at: now))
        return tokens(for: account, refresh: refresh, at: now)
    }

    /// Exchanges a refresh token from the header or the body; one in the query is ignored.
    private mutating func refresh(_ request: SandboxRequest, at now: Date) throws(Refusal) -> SandboxReply {
        guard let old = refreshToken(in: request) else { throw .refresh("token_invalid") }
        let (id, new) = try families.exchange(old, expires: refreshExpiry(at: now), at: now)
        guard let account = configuration.accounts.account(id: id) else { throw .refresh("token_invalid") }
        return tokens(for: account, refresh: new, at: now)
    }

    /// Ends the access token, and the refresh token if the request has one; always 204.
    private mutating func signOut(_ request: SandboxRequest) -> SandboxReply {
        if let identifier = signer.open(request.bearerToken)?.claims["jti"]?.text { denied.insert(identifier) }
        if let refresh = refreshToken(in: request) { families.revoke(refresh) }
        return SandboxReply(response: SandboxResponse(status: 204))
    }

    private func tokens(for account: SandboxAccount, refresh: String, at now: Date) -> SandboxReply {
        let token = signer.token(for: account, seconds: configuration.accessLifetime, at: now)
        return .json(200, ["user": account.json, "token": .string(token), "refresh_token": .string(refresh)])
    }

    private func refreshToken(in request: SandboxRequest) -> String? {
        request.refreshToken("refresh_token", inBodyOf: [Self.refreshLine, Self.signOutLine])
    }

    private func refreshExpiry(at now: Date) -> Date { now.addingTimeInterval(TimeInterval(configuration.refreshLifetime)) }

    func account(of request: SandboxRequest, at now: Date) -> SandboxAccount? {
        let token = request.bearerToken
        return denied.contains(signer.open(token)?.claims["jti"]?.text ?? "") ? nil : signer.account(of: token, at: now)
    }
}
