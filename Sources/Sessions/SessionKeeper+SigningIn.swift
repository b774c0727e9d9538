import Backends
import Foundation
import SyncModel

extension SessionKeeper {
    /// Signs in, or renews a session. Durable when it returns; a failure leaves everything as it was. `remember` keeps the password, if the
    /// profile allows it. For `known` see `SessionState.completeSignIn`.
    package func signIn(
        _ method: SignInMethod, remember: Bool, by requester: Requester? = nil, known: [Account] = []
    ) async throws(SignInError) -> SessionSnapshot {
        guard await waitForChange() else { throw .unavailable(.cancelled) }
        if let stopping { throw .unavailable(stopping) }
        await completeSignOut()
        // Owed sign-outs may have begun meanwhile.
        guard await waitForChange() else { throw .unavailable(.cancelled) }
        try state.admit(method)
        let keepsPassword = remember && backend.profile.auth.renewsByLogin
        // Unstructured: the answer must be stored, even if the caller is cancelled. It ends with that.
        let task = Task { await self.performSignIn(method, keepsPassword: keepsPassword, by: requester ?? .daemon, known) }
        change = .signingIn(task, usesUpToken: method.digest != nil)
        return try await task.joined(or: .unavailable(.cancelled))
    }

    private func performSignIn(
        _ method: SignInMethod, keepsPassword: Bool, by requester: Requester, _ known: [Account]
    ) async -> Result<SessionSnapshot, SignInError> {
        defer { change = nil }
        do throws(SignInError) {
            let (account, credentials) = try await scheme.signIn(state.resumed(method), over: transport) { tokens throws(SignInError) in
                if let given = method.digest, let refresh = tokens.refresh { try await self.keep(refresh, exchangedFor: given) }
            }
            let signIn = AcceptedSignIn(account: account, credentials: credentials, method: method, keepsPassword: keepsPassword)
            let transition = try state.completeSignIn(signIn, by: requester, known: known, at: clock.now)
            try store(transition, or: SignInError.unsaved)
            state.noteSignIn()
            return .success(snapshot)
        } catch {
            return .failure(error)
        }
    }

    private func keep(_ refresh: Secret, exchangedFor given: String) throws(SignInError) {
        try store(state.exchanged(given, for: refresh), or: SignInError.unsaved)
    }

    /// Returns when no change of credentials is in progress, or on cancellation.
    package func settled() async {
        _ = await waitForChange()
        _ = await check?.joined()
    }

    /// Returns when no token is being rotated: cut off before the answer is stored, that would cost the session. Does not wait for a
    /// sign-in by password.
    package func landed() async {
        if isRotating { await settled() }
    }

    /// True while the server may be rotating a token.
    package var isRotating: Bool {
        if owed.isRefreshing { return true }
        if case .signingIn(_, let usesUpToken) = change { return usesUpToken }
        return state.record.awaitsRefresh && (renewal != nil || change != nil)
    }

    /// Waits until no change of credentials and no owed sign-out is in progress; false on cancellation.
    func waitForChange() async -> Bool {
        while change != nil || renewal != nil || owedRound != nil {
            let hasEnded =
                switch change {
                case .signingIn(let task, _): await task.joined() != nil
                case .signingOut(let task, _): await task.joined() != nil
                case .draining(let task): await task.joined() != nil
                case nil where renewal != nil: await renewal?.joined() != nil
                case nil: await owedRound?.joined() != nil
                }
            guard hasEnded else { return false }
        }
        return true
    }
}
