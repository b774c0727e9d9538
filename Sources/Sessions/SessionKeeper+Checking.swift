import Backends
import Foundation
import SyncModel

extension SessionKeeper {
    /// Asks the backend for the signed-in account, if the last confirmation is a minute old or the credentials have changed since. Another
    /// account ends the session. Throws without an answer: nothing is sent then.
    func confirmAccount() async throws(TransportError) {
        // Answers to other look-ups may make it due again; the next request confirms it then.
        for _ in 1...2 where check != nil || state.isCheckNeeded(at: clock.now) {
            try requireStored()
            // Unstructured: other lanes join it, so it outlives its first caller. It ends with the answer or the request's time limit.
            let task = check ?? Task { await self.askForAccount() }
            check = task
            guard let answer = await task.joined() else {
                throw .unreachable(Failure(.stopping, "The request was not sent: it was cancelled."))
            }
            if let failure = answer { throw .unreachable(failure) }
        }
    }

    /// Confirms that the answers to earlier requests of `session` were the account's, with a fresh answer of the backend. Without a health
    /// route, only compares the accounts.
    package func vouch(for session: Session) async throws(TransportError) {
        // Its answer may be older than the last request's.
        if let check { _ = await check.joined() }
        let confirmations = state.confirmations
        state.requireCheck()
        let isAsked = state.isCheckNeeded(at: clock.now)
        try await confirmAccount()
        guard state.record.state == .signedIn, state.account?.id == session.account.id else {
            throw .unreachable(Failure(.signInRequired, "\(session.account.label) is no longer signed in."))
        }
        // A sign-out by the backend or an undeclared refusal is no confirmation.
        if isAsked, state.confirmations == confirmations {
            throw .unreachable(Failure(.stillUnauthorized, "\(backend.name) did not confirm the signed-in account."))
        }
    }

    /// Confirms the account a minute after an answer changed the credentials, because no later send may come.
    func checkLater() {
        guard laterCheck == nil, backend.hasHealth else { return }
        let now = clock.now
        // Unstructured: the answer does not wait for it. It ends after one check, a minute later.
        laterCheck = Task { [weak self, clock] in
            // `try?`: this task is never cancelled.
            try? await clock.sleep(from: now, until: now.addingTimeInterval(SessionState.longestUnchecked))
            await self?.checkNow()
        }
    }

    private func checkNow() async {
        laterCheck = nil
        state.requireCheck()
        // `try?`: if it fails now, the next send repeats it.
        if stopping == nil { try? await confirmAccount() }
    }

    /// Asks the backend for the account; returns why it did not answer.
    private func askForAccount() async -> Failure? {
        defer { check = nil }
        guard var request = backend.health else { return nil }
        request.isBrief = true
        let generation = state.record.generation
        scheme.authorize(&request, with: state.record.credentials)
        state.beginCheck()
        var failure: Failure
        do throws(TransportError) {
            let response = try await transport.send(request)
            switch backend.health(response) {
            case .well(let account):
                if confirm(account, generation: generation) { _ = absorb(response, to: request, generation: generation) }
                return nil
            // The send is refused as well, and decides about the session.
            case .refused: return nil
            case .ill(let reason, _), .intercepted(let reason), .unreachable(let reason): failure = reason
            }
        } catch {
            failure = error.failure
        }
        state.checkFailed()
        failure.message = "The request was not sent, because the backend did not confirm the signed-in account: \(failure.message)"
        return failure.withKnownOutcome
    }

    /// Notes the account that the backend named; false if it is another one, which ends the session.
    func confirm(_ account: AccountID?, generation: Int) -> Bool {
        guard state.confirm(account, generation: generation, at: clock.now) else {
            // `try?`: the next change stores it.
            try? perform(state.requireSignIn(SessionState.otherAccount, isForeign: true, at: clock.now))
            return false
        }
        storeSoon()
        return true
    }
}
