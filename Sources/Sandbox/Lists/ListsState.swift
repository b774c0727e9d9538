import Foundation
import HTTPTypes

struct ListsState: StandInState {
    private var configuration: ListsConfiguration
    private var signer = TokenSigner()
    private var logIns: RateLimit
    private var table = ListsTable()

    init(_ configuration: ListsConfiguration) {
        self.configuration = configuration
        logIns = RateLimit(configuration.mostLogIns, per: 60)
    }

    func carriedAccounts(in request: SandboxRequest, at now: Date) -> CarriedAccounts {
        CarriedAccounts(
            session: configuration.accounts.account(id: signer.open(request.bearerToken)?.claims["user_id"]?.text)?.number,
            // An invalid body still counts as a sign-in attempt.
            signingIn: Self.signsIn(request) ? request.object?["email"]?.text ?? "" : nil)
    }

    mutating func answer(_ request: SandboxRequest, at now: Date) throws(Refusal) -> StandInReply {
        if Self.signsIn(request) { return try signIn(request, at: now) }
        let path = request.segments
        switch ("\(request.method) \(request.path)", path.count) {
        case ("DELETE /api/v1/auth/sign_out", _):
            // The token stays valid until it expires.
            _ = try signedIn(request, at: now)
            return StandInReply(response: SandboxResponse(status: 204))
        case ("GET /api/v1/lists", _): return .json(200, ["lists": table.lists(of: try signedIn(request, at: now))])
        case ("POST /api/v1/lists", _):
            let account = try signedIn(request, at: now)
            do throws(ListProblem) { return try table.add(request, by: account, at: now) } catch { throw Self.refusal(of: error) }
        case (_, 5) where request.method == "GET" && path.starts(with: ["api", "v1", "lists"]) && path[4] == "tasks":
            guard table.has(Int(path[3]) ?? 0, of: try signedIn(request, at: now)) else { throw refusal(404, for: request) }
            return .json(200, ["tasks": []])
        default: throw refusal(404, for: request)
        }
    }

    func response(to refusal: Refusal, for request: SandboxRequest, at now: Date) -> SandboxResponse {
        var error: JSONObject = [
            "message": .string(refusal.message), "status": .int(refusal.status), "timestamp": .string(now.railsTimestamp),
        ]
        if refusal.details != .null { error["details"] = refusal.details }
        if let seconds = refusal.headers[.retryAfter].flatMap({ Int($0) }) { error["retry_after"] = .int(seconds) }
        let isText = configuration.errorForm == .text && refusal.status != 429
        var response = SandboxResponse.json(refusal.status, ["error": isText ? .string(refusal.message) : .object(error)])
        response.headers.append(contentsOf: refusal.headers)
        return response
    }

    func refusal(_ status: Int, for request: SandboxRequest) -> Refusal {
        switch status {
        case 401: Refusal(401, "", "Invalid token")
        case 404: Refusal(404, "", "Record not found")
        case 429: .tooManyRequests(60)
        default: Refusal(status, "", SandboxResponse.reason(status))
        }
    }

    /// Invalidates every token; nothing else could open a session without a password.
    mutating func expireSessions(rememberTokens: Bool) { signer.endTokens() }

    /// `log-ins` is the maximum number of sign-ins per minute, null for no limit.
    var settings: JSONObject { ["error-form": .string(configuration.errorForm.rawValue), "log-ins": .integer(logIns.most)] }

    mutating func change(_ name: String, to value: JSON) throws(FaultProblem) {
        switch name {
        case "error-form": configuration.errorForm = try value.word(of: name)
        case "log-ins": logIns.most = try value.count(of: name)
        default: throw noSetting(name)
        }
    }

    private static func signsIn(_ request: SandboxRequest) -> Bool {
        request.method == "POST" && ["/api/v1/auth/sign_in", "/api/v1/login"].contains(request.path)
    }

    private mutating func signIn(_ request: SandboxRequest, at now: Date) throws(Refusal) -> StandInReply {
        guard logIns.admits("", at: now) else { throw .tooManyRequests(60) }
        guard let body = request.object, let account = configuration.accounts.account(email: body["email"]?.text),
            body["password"]?.text == account.password
        else { throw Refusal(401, "", "Invalid email or password") }
        let token = signer.sign(["user_id": .string(account.id), "exp": .int(now.unixSeconds + configuration.tokenLifetime)])
        let user: JSON = ["id": .string(account.id), "email": .string(account.email)]
        return .json(200, ["message": "Login successful", "token": .string(token), "user": user])
    }

    private func signedIn(_ request: SandboxRequest, at now: Date) throws(Refusal) -> SandboxAccount {
        guard let token = signer.open(request.bearerToken), token.works(at: now),
            let account = configuration.accounts.account(id: token.claims["user_id"]?.text)
        else { throw refusal(401, for: request) }
        return account
    }

    private static func refusal(of problem: ListProblem) -> Refusal {
        switch problem {
        case .parameterMissing: Refusal(400, "", "param is missing or the value is empty: list")
        case .nameIsBlank: Refusal(422, "", "Validation failed", details: ["name": ["can't be blank"]])
        }
    }
}
