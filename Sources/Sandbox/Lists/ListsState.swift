import Foundation
import HTTPTypes

struct ListsState: SandboxState {
    private var configuration: ListsConfiguration
    private var signer: TokenSigner
    private var logIns: RateLimit
    private var table = ListsTable(.guide)

    init(_ configuration: ListsConfiguration) {
        self.configuration = configuration
        signer = TokenSigner(configuration.accounts, claim: "user_id")
        logIns = RateLimit(configuration.mostLogIns, per: 60)
    }

    func carriedAccounts(in request: SandboxRequest, at now: Date) -> CarriedAccounts {
        CarriedAccounts(
            session: signer.owner(of: request.bearerToken)?.number,
            // An invalid body still counts as a sign-in attempt.
            signingIn: Self.signsIn(request) ? request.object?["email"]?.text ?? "" : nil)
    }

    mutating func answer(_ request: SandboxRequest, at now: Date) throws(Refusal) -> SandboxReply {
        if Self.signsIn(request) { return try signIn(request, at: now) }
        if request.line == "DELETE /api/v1/auth/sign_out" {
            // The token stays valid until it expires.
            _ = try signedIn(request, at: now)
            return SandboxReply(response: SandboxResponse(status: 204))
        }
        guard let call = ListsCall(request, table.edition) else { throw refusal(404, for: request) }
        return try table.answer(call, request, by: try signedIn(request, at: now), at: now)
    }

    func response(to refusal: Refusal, for request: SandboxRequest, at now: Date) -> SandboxResponse {
        if configuration.errorForm == .text && refusal.status != 429 { return refusal.listsResponse(.string(refusal.message)) }
        var error: JSONObject = [
            "message": .string(refusal.message), "status": .int(refusal.status), "timestamp": .string(now.railsTimestamp),
        ]
        if refusal.details != .null { error["details"] = refusal.details }
        error["retry_after"] = refusal.retryAfter.map { .int($0) }
        return refusal.listsResponse(.object(error))
    }

    static let errors: [Refusal] = [Refusal(401, "", "Invalid token"), Refusal(404, "", "Record not found"), .tooManyRequests]

    /// Invalidates every token: nothing else could open a session without a password.
    mutating func expireSessions(rememberTokens: Bool) { signer.endTokens() }

    /// `log-ins` is the maximum per minute, null for no limit.
    static var settings: [Setting<Self>] { [.word("error-form", \.configuration.errorForm), .count("log-ins", \.logIns.most)] }

    private static func signsIn(_ request: SandboxRequest) -> Bool {
        ["POST /api/v1/auth/sign_in", "POST /api/v1/login"].contains(request.line)
    }

    private mutating func signIn(_ request: SandboxRequest, at now: Date) throws(Refusal) -> SandboxReply {
        guard logIns.admits("", at: now) else { throw .tooManyRequests }
        guard let body = request.object, let account = configuration.accounts.account(email: body["email"]?.text),
            body["password"]?.text == account.password
        else { throw Refusal(401, "", "Invalid email or password") }
        let token = signer.token(for: account, seconds: configuration.tokenLifetime, at: now, isPlain: true)
        return .json(200, ["message": "Login successful", "token": .string(token), "user": account.json])
    }

    func account(of request: SandboxRequest, at now: Date) -> SandboxAccount? { signer.account(of: request.bearerToken, at: now) }
}
