import Foundation
import HTTPTypes

/// Simulates a backend from its profile: accepts the credentials that it issued, and puts values and errors where the profile looks for
/// them.
struct DescribedState: SandboxState {
    static let cookieName = "sandbox_session"

    let profile: JSON
    let accounts: [SandboxAccount]
    let calls: [DescribedCall]
    var sessions: DescribedSessions
    var csrfTokens: Set<String> = []
    var differing = DescribedSettings()
    /// The accepted mutations, oldest first.
    var rows: [DescribedRow] = []

    init(_ configuration: DescribedConfiguration) {
        profile = configuration.profile
        accounts = configuration.accounts
        calls = DescribedCall.all(of: configuration.profile)
        sessions = DescribedSessions(configuration)
    }

    func carriedAccounts(in request: SandboxRequest, at now: Date) -> CarriedAccounts {
        var carried = CarriedAccounts(session: sessions.owner(of: credential(of: request)))
        // `try?`: a request that does not match the profile has no readable credentials.
        guard let (call, values) = try? self.call(of: request) else { return carried }
        switch call.purpose {
        // A body without an email address still counts as a sign-in attempt.
        case .login: carried.signingIn = values["email"]?.text ?? ""
        case .refresh: carried.remembered = sessions.owner(of: values["refresh"]?.text)
        default: break
        }
        return carried
    }

    mutating func answer(_ request: SandboxRequest, at now: Date) throws(Refusal) -> SandboxReply {
        let (call, values) = try call(of: request)
        switch call.purpose {
        case .csrf:
            let token = OpaqueToken.new("csrf_")
            csrfTokens.insert(token)
            return success(200, (call.table["token"]?.text, .string(token)))
        case .login: return try signIn(call, values, at: now)
        case .refresh: return try refresh(call, values, at: now)
        case .logout, .logoutEverywhere: return try signOut(request, everywhere: call.purpose == .logoutEverywhere, at: now)
        case .health:
            return success(200, (call.table["account"]?.text, account(of: request, at: now).map { id($0.number) } ?? .null))
        case .route(let name): return try take(name, call, values, request, by: try signedIn(request, at: now), at: now)
        case .find: return find(request, by: try signedIn(request, at: now), at: now)
        case .resource:
            _ = try signedIn(request, at: now)
            return try list(call, of: values["parent"]?.text, request)
        }
    }

    mutating func expireSessions(rememberTokens: Bool) { sessions.expire(refreshTokens: rememberTokens) }

    private func call(of request: SandboxRequest) throws(Refusal) -> (DescribedCall, JSONObject) {
        var problem: Refusal?
        for call in calls where call.isMeant(by: request) {
            do throws(Refusal) { return (call, try call.values(in: request)) } catch { problem = error }
        }
        let known = Set(calls.map(\.line)).sorted().joined(separator: ", ")
        throw problem
            ?? Refusal(404, "", "the profile does not describe \(request.line); it describes \(known)")
    }

    /// The session cookie or access token, from the profile's placement.
    func credential(of request: SandboxRequest) -> String? {
        let auth = profile["auth"]
        if auth?["scheme"] == "cookie" { return request.cookies[Self.cookieName] }
        let placement = auth?["placement"]?.text ?? "bearer"
        return placement.hasPrefix("query:") ? request.query[String(placement.dropFirst("query:".count))] : request.bearerToken
    }

    func account(of request: SandboxRequest, at now: Date) -> SandboxAccount? {
        sessions.session(access: credential(of: request), at: now)?.account
    }

    /// A success with these values and the profile's success flag, if any.
    func success(_ status: Int, _ values: (pointer: String?, value: JSON)...) -> SandboxReply { success(status, values) }

    func success(_ status: Int, _ values: [(pointer: String?, value: JSON)]) -> SandboxReply {
        var body = JSON.object([:])
        if let flag = profile["errors"]?["ok"]?.text { body.put(true, at: flag) }
        for (pointer, value) in values { if let pointer { body.put(value, at: pointer) } }
        return .json(status, body)
    }

    func refusal(_ status: Int, for request: SandboxRequest) -> Refusal {
        let code = status == 401 ? profile["errors"]?["auth"]?.elements?.first?.text : nil
        return Refusal(status, code ?? "", status == 401 ? "not signed in" : SandboxResponse.reason(status))
    }

    /// Puts message and code at the profile's first pointers for them; without a pointer, the message goes to `/error`.
    func response(to refusal: Refusal, for request: SandboxRequest, at now: Date) -> SandboxResponse {
        let errors = profile["errors"]
        var body = JSON.object([:])
        if let flag = errors?["ok"]?.text { body.put(false, at: flag) }
        body.put(.string(refusal.message), at: errors?["message"]?.firstPointer ?? "/error")
        for (name, value) in refusal.details.members ?? [:] { body.put(value, at: "/\(name)") }
        if !refusal.code.isEmpty, let pointer = errors?["code"]?.firstPointer { body.put(.string(refusal.code), at: pointer) }
        return .json(refusal.status, body)
    }
}
