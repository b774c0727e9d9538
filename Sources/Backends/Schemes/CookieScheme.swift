import Foundation
import SyncModel

/// A session in cookies, as a browser has it.
struct CookieScheme: Scheme {
    let backend: Backend
    private var auth: AuthRules { backend.profile.auth }

    func authorize(_ request: inout OutboundRequest, with credentials: Credentials) {
        let path = URLComponents(string: request.url)?.percentEncodedPath ?? ""
        guard let header = credentials.cookies.header(path: path.isEmpty ? "/" : path) else { return }
        request.setHeader("Cookie", header)
    }

    func absorb(_ response: InboundResponse, into credentials: inout Credentials) -> Bool { credentials.cookies.absorb(response) }

    /// Always with an empty jar: a server that finds a live session answers with its account and never looks at the password.
    func signIn(_ way: WayIn, over transport: any Transport) async throws(AuthenticationError) -> (Account, Credentials) {
        guard let login = auth.login, case .password(let email, let password) = way else {
            throw .unsupported("\(backend.name) takes no tokens.", next: "Sign in with ‘homing login’.")
        }
        let response = try await answer(to: request(login, email, password), over: transport)
        if let failure = backend.interception(in: response) { throw .unavailable(failure) }
        guard response.isSuccess, !backend.saysFailure(response) else { throw backend.loginRefusal(response) }
        guard let id = response.json?.at(login.account)?.text else {
            throw .misbehaved("The backend accepted the sign-in without saying whose account it is.")
        }
        let named = response.json?.firstString(at: login.email)
        if let named, !named.isSameEmail(as: email) {
            throw .misbehaved("The backend signed in another account than the one asked for.")
        }
        var credentials = Credentials()
        _ = credentials.cookies.absorb(response)
        if backend.hasHealth {
            let (known, renewed) = try await identify(credentials, over: transport)
            guard known == id else {
                throw .misbehaved("The backend accepted the sign-in and then did not know the account. Try again.")
            }
            credentials = renewed
        }
        return (Account(id: id, label: named ?? email.trimmingCharacters(in: .whitespaces)), credentials)
    }

    /// Asks whom the backend takes the bearer of these credentials for: the account's id, nil for nobody; and the credentials, renewed.
    private func identify(_ credentials: Credentials, over transport: any Transport) async throws(AuthenticationError) -> (
        String?, Credentials
    ) {
        guard var request = backend.health else { return (nil, credentials) }
        authorize(&request, with: credentials)
        let response = try await answer(to: request, over: transport)
        switch backend.health(response) {
        case .well(let account):
            var credentials = credentials
            _ = credentials.cookies.absorb(response)
            return (account, credentials)
        case .ill(let failure), .intercepted(let failure), .unreachable(let failure): throw .unavailable(failure)
        }
    }

    func renew(_ credentials: Credentials, of account: Account?, over transport: any Transport) async -> Renewal {
        do throws(AuthenticationError) {
            let (known, renewed) = try await identify(credentials, over: transport)
            guard let known else { return .ended("the session has ended") }
            return known == account?.id ? .renewed(renewed) : .foreign
        } catch .unavailable(let failure) {
            return .unavailable(failure)
        } catch {
            return .ended("the session has ended")
        }
    }

    func signOut(_ credentials: Credentials, allDevices: Bool, over transport: any Transport) async -> SignOutOutcome.Server {
        guard let template = allDevices ? auth.logout.requestForAll : auth.logout.request, !credentials.cookies.isEmpty else {
            return .none
        }
        return await backend.signOut(template, TemplateValues(subject: "The sign-out"), over: transport) {
            authorize(&$0, with: credentials)
        }
    }

    private func request(
        _ login: AuthRules.LoginRules, _ email: String, _ password: Secret
    ) throws(AuthenticationError) -> OutboundRequest {
        let inputs: [String: JSONValue] = ["email": .string(email), "password": .string(password.revealed)]
        do {
            return try login.request.render(TemplateValues(subject: "The sign-in", inputs: inputs))
        } catch {
            throw .unavailable(error)
        }
    }

    private func answer(to request: OutboundRequest, over transport: any Transport) async throws(AuthenticationError) -> InboundResponse {
        do {
            return try await transport.send(request)
        } catch {
            throw .unavailable(error.failure)
        }
    }
}

extension String {
    /// Whether both name the same mailbox, as far as people type it: case and outer white space do not count.
    func isSameEmail(as other: String) -> Bool {
        trimmingCharacters(in: .whitespaces).lowercased() == other.trimmingCharacters(in: .whitespaces).lowercased()
    }
}
