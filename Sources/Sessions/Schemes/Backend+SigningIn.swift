import Backends
import Foundation
import JSON
import SyncModel

extension Backend {
    /// The answer contains the new credentials.
    func signIn(
        _ login: AuthRules.LoginRules, _ email: String, _ password: Secret, over transport: any Transport
    ) async throws(SignInError) -> (Account, OutboundRequest, InboundResponse) {
        let values = TemplateValues(subject: "The sign-in", inputs: ["email": .string(email)], secrets: ["password": password])
        var request: OutboundRequest
        do { request = try login.request.render(values) } catch {
            throw .unavailable(error)
        }
        request.isBrief = true
        let response = try await answer(to: request, over: transport)
        if let failure = interception(in: response) { throw .unavailable(failure) }
        guard response.isSuccess, !saysFailure(response) else { throw loginRefusal(response) }
        if let tokens = login.tokens, let json = response.json, login.secondFactor.contains(where: json.has),
            json.firstString(at: tokens.access) == nil
        {
            throw .secondFactor
        }
        guard let id = response.json?.at(login.account)?.identifier.map(AccountID.init) else {
            throw .misbehaved("The backend accepted the sign-in but did not report the account.")
        }
        let named = response.json?.firstString(at: login.email)
        if let named, !named.isSameEmail(as: email) {
            throw .misbehaved("The backend signed in a different account from the one requested.")
        }
        return (Account(id: id, label: named ?? email.trimmingCharacters(in: .whitespaces)), request, response)
    }

    /// The signed-in account; nil when signed out, and without a health route.
    func signedInAccount(
        over transport: any Transport, authorize: (inout OutboundRequest) -> Void
    ) async throws(SignInError) -> (account: AccountID?, request: OutboundRequest, response: InboundResponse)? {
        guard var request = health else { return nil }
        if isOwn(request) { authorize(&request) }
        let response = try await answer(to: request, over: transport)
        switch health(response) {
        case .well(let account): return (account, request, response)
        case .refused(let failure): throw .undeclared(failure)
        case .ill(let failure, _), .intercepted(let failure), .unreachable(let failure): throw .unavailable(failure)
        }
    }

    private func answer(to request: OutboundRequest, over transport: any Transport) async throws(SignInError) -> InboundResponse {
        do { return try await transport.send(request) } catch { throw .unavailable(error.failure) }
    }
}

extension String {
    /// Ignores case and surrounding white space only.
    func isSameEmail(as other: String) -> Bool { mailbox.utf8.elementsEqual(other.mailbox.utf8) }

    private var mailbox: String { trimmingCharacters(in: .whitespaces).lowercased() }
}
