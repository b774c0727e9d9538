import Backends
import Foundation
import JSON
import SyncModel

extension SessionKeeper {
    /// Sends `request` with the credentials of the session's account, only to the profile's origin, and keeps what the answer renews. Sends
    /// nothing if the account is no longer signed in, or the backend names another one. Returns the session that was used, which may be
    /// newer than `session`.
    package func send(_ request: OutboundRequest, as session: Session) async throws(TransportError) -> Answer {
        if backend.isOwn(request) { try await confirmAccount() }
        guard let rules = backend.profile.auth.csrf, !request.isSafe, backend.isOwn(request) else {
            return try await exchange(request, session)
        }
        return try await send(request, session, with: rules, mayRepeat: true)
    }

    private func send(
        _ request: OutboundRequest, _ session: Session, with rules: AuthRules.CSRFRules, mayRepeat: Bool
    ) async throws(TransportError) -> Answer {
        switch try await csrfToken(rules, session) {
        case .unauthorized(let answer): return answer
        case .token(let token):
            var request = request
            request.setHeader(rules.header, token)
            let answer = try await exchange(request, session)
            guard mayRepeat, answer.response.isExceptionsPage(422) else { return answer }
            // The CSRF token may have been refused, before anything took effect.
            if csrf?.token == token { csrf = nil }
            return try await send(request, session, with: rules, mayRepeat: false)
        }
    }

    package typealias Answer = (response: InboundResponse, session: Session)

    private enum CSRFAnswer {
        case token(String)
        /// The session is the cause, as for the request itself.
        case unauthorized(Answer)
    }

    /// Requests the backend's health without any effect on the credentials. Without a health route, only opens a connection.
    package func probe() async -> Health {
        guard var request = backend.health else { return await connect() }
        let generation = state.record.generation
        let isAuthorized = state.record.state == .signedIn && !state.isUnstored && backend.isOwn(request)
        if isAuthorized { scheme.authorize(&request, with: state.record.credentials) }
        do {
            let health = backend.health(try await transport.send(request))
            switch health {
            case .well(let account?) where isAuthorized:
                if confirm(account, generation: generation) { state.forgetUndeclaredRefusal(of: generation) }
            case .well, .refused:
                // An entry would only find that renewals are paused.
                if state.isRefused, let (_, failure) = pause { return .ill(failure) }
            default: break
            }
            return health
        } catch {
            return .unreachable(error.failure)
        }
    }

    private func connect() async -> Health {
        do throws(TransportError) {
            try await transport.connect(to: backend.baseURL)
            return .well(account: nil)
        } catch {
            return .unreachable(error.failure)
        }
    }

    /// `isSend`: for an entry, with which a server may renew the session.
    private func exchange(_ request: OutboundRequest, _ session: Session, isSend: Bool = true) async throws(TransportError) -> Answer {
        guard state.record.state == .signedIn, state.account?.id == session.account.id else {
            throw .unreachable(Failure(.signInRequired, "The request was not sent: \(session.account.label) is no longer signed in."))
        }
        guard backend.isOwn(request) else { return (try await transport.send(request), session) }
        try requireStored()
        let generation = state.record.generation
        var request = request
        scheme.authorize(&request, with: state.record.credentials)
        let response = try await transport.send(request)
        if absorb(response, to: request, generation: generation) {
            if isSend, !request.isSafe { checkLater() } else { state.requireCheck() }
        }
        state.answered(response, generation: generation)
        storeSoon()
        return (response, Session(account: session.account, generation: generation))
    }

    /// Keeps what an answer to credentials of `generation` renews; true on a change.
    func absorb(_ response: InboundResponse, to request: OutboundRequest, generation: Int) -> Bool {
        guard state.absorb(generation: generation, { scheme.absorb(response, to: request, into: &$0) }) else { return false }
        storeSoon()
        return true
    }

    func requireStored() throws(TransportError) {
        try storeHeld { _ in
            TransportError.unreachable(Failure(.unreadable, "The request was not sent: the renewed session could not be stored."))
        }
    }

    /// Fetched when first needed. No failure here means that the mutation was sent.
    private func csrfToken(_ rules: AuthRules.CSRFRules, _ session: Session) async throws(TransportError) -> CSRFAnswer {
        if let csrf, csrf.generation == state.record.generation { return .token(csrf.token) }
        let request: OutboundRequest
        do { request = try rules.request.render(TemplateValues(subject: "The CSRF token")) } catch { throw .unreachable(error) }
        let answer: Answer
        do { answer = try await exchange(request, session, isSend: false) } catch {
            throw .unreachable(error.failure.withKnownOutcome)
        }
        let response = answer.response
        if let failure = backend.interception(in: response) { throw .unreachable(failure.withKnownOutcome) }
        if response.status == 401, !response.isPage { return .unauthorized(answer) }
        guard response.isSuccess, let token = response.json?.at(rules.token)?.string else {
            throw .unreachable(Failure(.serverError, status: response.status, "The backend sent no CSRF token (\(response.status))."))
        }
        csrf = (token, answer.session.generation)
        try await confirmAccount()
        return .token(token)
    }
}

extension InboundResponse {
    /// True for an error page of the web framework, not the application: `{"status":422,…}`.
    fileprivate func isExceptionsPage(_ code: Int64) -> Bool { status == Int(code) && json?.member("status") == .int(code) }
}

extension Failure {
    /// For a failure before the mutation was sent.
    var withKnownOutcome: Failure {
        var failure = self
        failure.outcomeUnknown = false
        return failure
    }
}
