import Foundation
import SyncModel

extension SessionKeeper {
    /// Signs somebody in, or renews the session of whoever is. Durable when it returns; a failure leaves everything as it was.
    ///
    /// With `remember`, and where the profile allows it, a password is kept to renew the session without a person.
    package func signIn(_ way: WayIn, remember: Bool) async throws(AuthenticationError) -> SessionSnapshot {
        try await waitForChange()
        switch record.state {
        case .signedIn: if let account = record.account, way.label?.isSameEmail(as: account.label) != true { throw .conflict(account) }
        case .signingOut: throw .signingOut
        case .signedOut, .signInRequired: break
        }
        let task = Task { await self.enter(way, keepsPassword: remember && self.backend.profile.auth.renewsByLogin) }
        change = .signingIn(task)
        guard let result = await task.joined() else { throw .leftWaiting }
        return try result.get()
    }

    /// Returns when no change of credentials is under way, or the caller is cancelled.
    package func settled() async {
        try? await waitForChange()  // `try?`: thrown only to a caller that is cancelled
    }

    /// Returns when no change of credentials is under way.
    private func waitForChange() async throws(AuthenticationError) {
        while let change {
            let hasEnded =
                switch change {
                case .replacing(let task): await task.joined() != nil
                case .signingIn(let task): await task.joined() != nil
                case .signingOut(let task, _): await task.joined() != nil
                case .draining(let task): await task.joined() != nil
                }
            guard hasEnded else { throw .leftWaiting }
        }
    }

    private func enter(_ way: WayIn, keepsPassword: Bool) async -> Result<SessionSnapshot, AuthenticationError> {
        defer { change = nil }
        do throws(AuthenticationError) {
            let (account, credentials) = try await scheme.signIn(way, over: transport)
            var next = SessionRecord(origin: backend.profile.origin.description)
            next.state = .signedIn
            next.account = account
            next.since = clock.now
            next.generation = record.generation + 1
            next.credentials = credentials
            next.aftermaths = record.aftermaths(back: told(account))
            if keepsPassword, case .password(let email, let password) = way {
                next.credentials.kept = Credentials.KeptLogin(email: email, password: password)
            }
            try store(next)
            return .success(snapshot)
        } catch {
            return .failure(error)
        }
    }
}

extension WayIn {
    /// The name by which people know the account; nil where only the backend knows.
    fileprivate var label: String? {
        switch self {
        case .password(let email, _): email
        case .refreshToken(_, let label), .accessToken(_, let label): label
        }
    }
}
