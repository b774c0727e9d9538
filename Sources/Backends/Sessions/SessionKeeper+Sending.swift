import Foundation
import JSON
import SyncModel
import Synchronization

extension SessionKeeper {
    /// Sends `request` with the credentials of the session's account, and keeps what the answer renews.
    ///
    /// Credentials go to the profile's origin only, and only while the backend takes them for this account's. Where the account is no longer signed in, nothing is sent. They may be newer than
    /// `session`: what comes back with the answer is the session whose credentials were sent.
    package func send(_ request: OutboundRequest, as session: Session) async throws(TransportError) -> Answer {
        if backend.isOwn(request) { try await requireOwnAccount() }
        guard let rules = backend.profile.auth.csrf, !request.isSafe, backend.isOwn(request) else {
            return try await exchange(request, session)
        }
        var request = request
        let token: String
        switch try await csrfToken(rules, session) {
        case .token(let fetched): token = fetched
        case .unauthorized(let answer): return answer
        }
        request.setHeader(rules.header, token)
        let answer = try await exchange(request, session)
        guard answer.response.isExceptionsPage(422) else { return answer }
        // The token may have been the reason; it is refused before anything takes effect.
        if csrf?.token == token { csrf = nil }
        switch try await csrfToken(rules, session) {
        case .token(let fetched): request.setHeader(rules.header, fetched)
        case .unauthorized(let answer): return answer
        }
        return try await exchange(request, session)
    }

    /// What came back, and as whom it was asked for.
    package typealias Answer = (response: InboundResponse, session: Session)

    private enum CSRFAnswer {
        case token(String)
        /// It says of the session what it would have said to the request itself.
        case unauthorized(Answer)
    }

    /// Asks the backend how it is, with the present credentials and without any effect on them.
    package func probe() async -> Health {
        guard var request = backend.health else {
            return .ill(Failure(.profile, "The profile of \(backend.name) has no health route."))
        }
        let generation = record.generation
        let isAuthorized = record.state == .signedIn && !isUnstored && backend.isOwn(request)
        if isAuthorized { scheme.authorize(&request, with: record.credentials) }
        do {
            let health = backend.health(try await transport.send(request))
            switch health {
            case .well(let account?) where isAuthorized:
                // What refused the session was not the backend, and is gone.
                if note(account, generation: generation), declared?.generation != generation { refusedGeneration = nil }
            case .well, .refused:
                // An entry could do no more than find out that the renewal still rests.
                if isRefused, let (_, failure) = resting { return .ill(failure) }
            default: break
            }
            return health
        } catch {
            return .unreachable(error.failure)
        }
    }

    /// - Parameter isSend: the answer is an entry's, of which a server may well renew the session.
    private func exchange(_ request: OutboundRequest, _ session: Session, isSend: Bool = true) async throws(TransportError) -> Answer {
        guard record.state == .signedIn, told(record.account)?.id == session.account.id else {
            throw .unreachable(Failure(.signInRequired, "It was not sent: \(session.account.label) is not signed in any more."))
        }
        guard backend.isOwn(request) else { return (try await transport.send(request), session) }
        try requireStored()
        let generation = record.generation
        var request = request
        scheme.authorize(&request, with: record.credentials)
        let response = try await transport.send(request)
        if absorb(response, to: request, generation: generation) {
            if isSend, !request.isSafe { checkLater() } else { isCheckDue = true }
        }
        if backend.profile.errors.endsSession(response) {
            declared = (generation, backend.profile.errors.words(of: response) ?? "the session has ended")
        }
        if response.isSuccess, generation == record.generation, record.failingSince != nil, refreshable == nil, !isRefused {
            record.failingSince = nil
            rest.withLock { $0.end() }
            storeSoon()
        }
        return (response, Session(account: session.account, generation: generation))
    }

    /// Credentials that are in memory alone are used by nobody.
    func requireStored() throws(TransportError) {
        guard isUnstored else { return }
        do throws(AuthenticationError) { try store(record) } catch {
            throw .unreachable(Failure(.unreadable, "It was not sent: the renewed session could not be stored."))
        }
    }

    /// The token of these credentials, fetched when first needed. No failure here says that the mutation was sent.
    private func csrfToken(_ rules: AuthRules.CSRFRules, _ session: Session) async throws(TransportError) -> CSRFAnswer {
        if let csrf, csrf.generation == record.generation { return .token(csrf.token) }
        let answer: Answer
        do {
            let request = try rules.request.render(TemplateValues(subject: "The CSRF token"))
            answer = try await exchange(request, session, isSend: false)
        } catch let error as TransportError {
            throw .unreachable(error.failure.withKnownOutcome)
        } catch let failure as Failure {
            throw .unreachable(failure)
        } catch {
            throw .unreachable(Failure(.profile, "\(error)"))
        }
        let response = answer.response
        if let failure = backend.interception(in: response) { throw .unreachable(failure.withKnownOutcome) }
        if response.status == 401, !response.isPage { return .unauthorized(answer) }
        guard response.isSuccess, let token = response.json?.at(rules.token)?.string else {
            throw .unreachable(Failure(.serverError, status: response.status, "The backend gave no CSRF token (\(response.status))."))
        }
        csrf = (token, record.generation)
        try await requireOwnAccount()
        return .token(token)
    }
}

extension InboundResponse {
    /// The page on which a web framework, not the application, reports an error: `{"status":422,…}`.
    fileprivate func isExceptionsPage(_ code: Int64) -> Bool { status == Int(code) && json?.member("status") == .int(code) }
}

extension Failure {
    /// The same failure of something that came before the mutation was sent.
    var withKnownOutcome: Failure {
        var failure = self
        failure.outcomeUnknown = false
        return failure
    }
}
