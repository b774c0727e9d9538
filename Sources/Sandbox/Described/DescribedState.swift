import Foundation
import HTTPTypes

/// What a backend knows that only its profile describes.
///
/// It answers what the profile describes as the profile says that a server answers: signed in is who carries what it gave out, success holds
/// what the pointers lead to, and errors are worded where they are looked for.
struct DescribedState: StandInState {
    static let cookieName = "sandbox_session"

    let profile: JSON
    let accounts: [SandboxAccount]
    let calls: [DescribedCall]
    var sessions: DescribedSessions
    var csrfTokens: Set<String> = []
    /// How the server differs from what the profile says.
    var differing = DescribedSettings()
    /// What was taken, oldest first.
    var rows: [DescribedRow] = []

    init(_ configuration: DescribedConfiguration) {
        profile = configuration.profile
        accounts = configuration.accounts
        calls = DescribedCall.all(of: configuration.profile)
        sessions = DescribedSessions(configuration)
    }

    func carriedAccounts(in request: SandboxRequest, at now: Date) -> CarriedAccounts {
        var carried = CarriedAccounts(session: sessions.owner(of: credential(of: request)))
        // `try?`: what is not as described carries nothing that could be read.
        guard let (call, values) = try? self.call(of: request) else { return carried }
        switch call.purpose {
        // A body without an address is an attempt to sign in all the same.
        case .login: carried.signingIn = values["email"]?.text ?? ""
        case .refresh: carried.remembered = sessions.owner(of: values["refresh"]?.text)
        default: break
        }
        return carried
    }

    mutating func answer(_ request: SandboxRequest, at now: Date) throws(Refusal) -> StandInReply {
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
            let account = sessions.session(access: credential(of: request), at: now)?.account
            return success(200, (call.table["account"]?.text, account.map { id($0.number) } ?? .null))
        case .route(let name): return try take(name, call, values, request, by: try signedIn(request, at: now), at: now)
        case .find: return find(request, by: try signedIn(request, at: now), at: now)
        case .resource:
            _ = try signedIn(request, at: now)
            return success(200, (call.table["list"]?.text, []), (call.table["pages"]?["total"]?.text, 0))
        }
    }

    mutating func expireSessions(rememberTokens: Bool) { sessions.expire(refreshTokens: rememberTokens) }

    /// Which of the described requests this is, and what stands for its placeholders.
    private func call(of request: SandboxRequest) throws(Refusal) -> (DescribedCall, JSONObject) {
        var problem: Refusal?
        for call in calls where call.isMeant(by: request) {
            do throws(Refusal) { return (call, try call.values(in: request)) } catch { problem = error }
        }
        let known = Set(calls.map(\.line)).sorted().joined(separator: ", ")
        throw problem
            ?? Refusal(404, "", "the profile describes no \(request.method) \(request.path); it describes \(known)")
    }

    /// What proves who sent a request, from where the profile puts it.
    func credential(of request: SandboxRequest) -> String? {
        let auth = profile["auth"]
        if auth?["scheme"] == "cookie" { return request.cookies[Self.cookieName] }
        let placement = auth?["placement"]?.text ?? "bearer"
        return placement.hasPrefix("query:") ? request.query[String(placement.dropFirst("query:".count))] : request.bearerToken
    }

    func signedIn(_ request: SandboxRequest, at now: Date) throws(Refusal) -> SandboxAccount {
        guard let session = sessions.session(access: credential(of: request), at: now) else { throw refusal(401, for: request) }
        return session.account
    }
}
