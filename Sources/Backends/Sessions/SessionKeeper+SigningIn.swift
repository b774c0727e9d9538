import Crypto
import Foundation
import SyncModel
import Synchronization

extension SessionKeeper {
    /// Signs somebody in, or renews the session of whoever is. Durable when it returns; a failure leaves everything as it was.
    ///
    /// With `remember`, and where the profile allows it, a password is kept to renew the session without a person.
    package func signIn(_ way: WayIn, remember: Bool) async throws(AuthenticationError) -> SessionSnapshot {
        try await waitForChange()
        try checkRunning()
        switch record.state {
        case .signedIn: if let account = record.account, way.label?.isSameEmail(as: account.label) != true { throw .conflict(account) }
        case .signingOut: throw .signingOut
        case .signedOut, .signInRequired: break
        }
        let task = Task { await self.enter(way, keepsPassword: remember && self.backend.profile.auth.renewsByLogin) }
        change = .signingIn(task)
        isExchanging = way.digest != nil
        guard let result = await task.joined() else { throw .leftWaiting }
        return try result.get()
    }

    /// Returns when no change of credentials is under way, or the caller is cancelled.
    package func settled() async {
        try? await waitForChange()  // `try?`: thrown only to a caller that is cancelled
    }

    /// Returns when nothing is under way by which the server turns a token over: cut before its answer is stored, it would cost the session. A
    /// sign-in by password costs nothing, and is not waited for.
    package func landed() async { if record.awaitsRefresh == true || isExchanging { await settled() } }

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
        let given = way.digest
        defer { (change, isExchanging) = (nil, false) }
        do throws(AuthenticationError) {
            let (account, credentials) = try await scheme.signIn(goingOn(way), over: transport) { tokens throws(AuthenticationError) in
                if let given, let refresh = tokens.refresh { try await self.keep(refresh, exchangedFor: given) }
            }
            // By the label alone nobody is told from somebody else: for tokens, whoever hands one in chooses it.
            if record.state == .signedIn, let current = record.account, current.id != account.id { throw .conflict(current) }
            var next = SessionRecord(origin: backend.profile.origin.description)
            next.origins = credentialOrigins
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
            rest.withLock { $0.end() }
            return .success(snapshot)
        } catch {
            return .failure(error)
        }
    }
}

extension SessionKeeper {
    /// The token that was handed in is used up by its exchange: what came of it is kept until somebody is signed in by it.
    private func keep(_ refresh: Secret, exchangedFor given: String) throws(AuthenticationError) {
        // In memory first: where the disk is full, trying again goes on from here all the same.
        record.exchanged = SessionRecord.Exchanged(given: given, refresh: refresh, origins: credentialOrigins)
        try store(record)
    }

    /// The same way in, by what an earlier try has exchanged its token for.
    private func goingOn(_ way: WayIn) -> WayIn {
        guard case .refreshToken(_, let label) = way, let exchanged = record.exchanged, exchanged.given == way.digest,
            credentialOrigins.isSubset(of: exchanged.origins)
        else { return way }
        return .refreshToken(exchanged.refresh, label: label)
    }

    private var credentialOrigins: Set<String> { Set(backend.profile.credentialOrigins.map(\.description)) }
}

extension WayIn {
    /// By which a refresh token is known again; nil for another way.
    fileprivate var digest: String? {
        guard case .refreshToken(let token, _) = self else { return nil }
        return SHA256.hash(data: Data(token.revealed.utf8)).map { String(format: "%02x", $0) }.joined()
    }

    /// The name by which people know the account; nil where only the backend knows.
    fileprivate var label: String? {
        switch self {
        case .password(let email, _): email
        case .refreshToken(_, let label), .accessToken(_, let label): label
        }
    }
}
