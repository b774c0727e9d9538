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
    func signIn(email: String, password: Secret, over transport: any Transport) async throws(AuthenticationError) -> (Account, Credentials)
    {
        let response = try await answer(to: loginRequest(email, password), over: transport)
        if let failure = backend.interception(in: response) { throw .unavailable(failure) }
        guard response.isSuccess, !backend.saysFailure(response) else { throw backend.loginRefusal(response) }
        guard let id = response.json?.at(auth.login.account)?.text else {
            throw .misbehaved("The backend accepted the sign-in without saying whose account it is.")
        }
        let named = response.json?.firstString(at: auth.login.email)
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

    func identify(_ credentials: Credentials, over transport: any Transport) async throws(AuthenticationError) -> (String?, Credentials) {
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

    func signOut(_ credentials: Credentials, allDevices: Bool, over transport: any Transport) async -> SignOutOutcome.Server {
        guard let template = allDevices ? auth.logout.requestForAll : auth.logout.request, !credentials.cookies.isEmpty else {
            return .none
        }
        do {
            var request = try template.render(TemplateValues(subject: "The sign-out"))
            authorize(&request, with: credentials)
            let response = try await transport.send(request)
            if let failure = backend.interception(in: response, mayBeEmpty: true) { return .failed(failure.message) }
            if response.isSuccess { return .ended }
            if response.status == 401 || response.status == 404, response.isJSON { return .alreadyGone }
            return .failed(backend.profile.errors.words(of: response) ?? "The backend answered \(response.status).")
        } catch let error as TransportError {
            return .failed(error.failure.message)
        } catch let failure as Failure {
            return .failed(failure.message)
        } catch {
            return .failed("\(error)")
        }
    }

    private func loginRequest(_ email: String, _ password: Secret) throws(AuthenticationError) -> OutboundRequest {
        let inputs: [String: JSONValue] = ["email": .string(email), "password": .string(password.revealed)]
        do {
            return try auth.login.request.render(TemplateValues(subject: "The sign-in", inputs: inputs))
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
