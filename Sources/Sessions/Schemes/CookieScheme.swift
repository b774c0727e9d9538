import Backends
import Foundation
import SyncModel

struct CookieScheme: Scheme {
    let backend: Backend
    let clock: any SyncClock
    private var auth: AuthRules { backend.profile.auth }

    func authorize(_ request: inout OutboundRequest, with credentials: Credentials) {
        guard let header = credentials.cookies.header(for: request.url, at: clock.now) else { return }
        request.setHeader("Cookie", header)
        request.secrets.formUnion(credentials.cookies.secrets)
        if let name = auth.csrf?.header, let token = request[header: name] { request.secrets.insert(Secret(token)) }
    }

    func absorb(_ response: InboundResponse, to request: OutboundRequest, into credentials: inout Credentials) -> Bool {
        credentials.cookies.absorb(response, to: request, at: clock.now)
    }

    /// Uses an empty jar: with a live session, a server would not check the password.
    func signIn(
        _ method: SignInMethod, over transport: any Transport, keep: @Sendable (Tokens) async throws(SignInError) -> Void
    ) async throws(SignInError) -> (Account, Credentials) {
        guard let login = auth.login, case .password(let email, let password) = method else {
            throw .unsupported("\(backend.name) does not accept tokens.")
        }
        let (account, request, response) = try await backend.signIn(login, email, password, over: transport)
        var credentials = Credentials()
        _ = credentials.cookies.absorb(response, to: request, at: clock.now, isSignIn: true)
        guard !credentials.cookies.isEmpty else { throw .misbehaved("The backend accepted the sign-in but set no cookie.") }
        if let answer = try await backend.signedInAccount(over: transport, authorize: { authorize(&$0, with: credentials) }) {
            guard answer.account == account.id else {
                throw .misbehaved("The backend accepted the sign-in but then did not confirm the account.")
            }
            _ = absorb(answer.response, to: answer.request, into: &credentials)
        }
        return (account, credentials)
    }

    func refresh(
        _ credentials: Credentials, of account: Account?, over transport: any Transport, mayAskAgain: @Sendable () async -> Bool
    ) async -> RefreshAnswer {
        do throws(SignInError) {
            guard let answer = try await backend.signedInAccount(over: transport, authorize: { authorize(&$0, with: credentials) })
            else { return .impossible }
            guard let known = answer.account else { return .ended("the session has ended") }
            return known == account?.id ? .confirmed(answer.response, to: answer.request) : .foreign
        } catch {
            switch error {
            case .unavailable(let failure), .undeclared(let failure): return .unavailable(failure)
            default: return .impossible
            }
        }
    }

    func signOut(_ credentials: Credentials, allDevices: Bool, over transport: any Transport) async -> SignOutOutcome.Server? {
        guard let template = allDevices ? auth.logout.requestForAll : auth.logout.request, !credentials.cookies.isEmpty else {
            return SignOutOutcome.Server.none
        }
        return await backend.signOut(template, TemplateValues(subject: "The sign-out"), over: transport) {
            authorize(&$0, with: credentials)
        }
    }
}
