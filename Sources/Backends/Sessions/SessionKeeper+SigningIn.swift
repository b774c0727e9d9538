import Crypto
import Foundation
import SyncModel
import Synchronization

extension SessionKeeper {
    /// Signs somebody in, or renews the session of whoever is. Durable when it returns; a failure leaves everything as it was.
    ///
    /// With `remember`, and where the profile allows it, a password is kept to renew the session without a person.
    ///
    /// - Parameters:
    ///   - requester: who asked for it.
    ///   - known: the accounts that the rest of the house knows at this backend. A name given with a token must not be one of another account,
    ///     and an account keeps the one that it has.
    package func signIn(
        _ way: WayIn, remember: Bool, by requester: Requester? = nil, known: [Account] = []
    ) async throws(AuthenticationError) -> SessionSnapshot {
        try await waitForChange()
        try checkRunning()
        switch record.state {
        case .signedIn: if let account = record.account, way.label?.isSameEmail(as: account.label) != true { throw .conflict(account) }
        case .signingOut: throw .signingOut
        case .signedOut, .signInRequired: break
        }
        let keepsPassword = remember && backend.profile.auth.renewsByLogin
        let task = Task { await self.enter(way, keepsPassword: keepsPassword, by: requester, known) }
        change = .signingIn(task, usesUpToken: way.digest != nil)
        guard let result = await task.joined() else { throw .leftWaiting }
        return try result.get()
    }

    /// Returns when no change of credentials is under way, or the caller is cancelled.
    package func settled() async {
        try? await waitForChange()  // `try?`: thrown only to a caller that is cancelled
    }

    /// Returns when nothing is under way by which the server turns a token over: cut before its answer is stored, it would cost the session. A
    /// sign-in by password costs nothing, and is not waited for.
    package func landed() async {
        if isTurningOver { await settled() }
    }

    /// Whether something is under way by which the server turns a token over.
    package var isTurningOver: Bool {
        if case .signingIn(_, usesUpToken: true) = change { return true }
        return record.awaitsRefresh == true && (renewal != nil || change != nil)
    }

    /// Returns when no change of credentials is under way.
    private func waitForChange() async throws(AuthenticationError) {
        while change != nil || renewal != nil {
            let hasEnded =
                switch change {
                case .signingIn(let task, _): await task.joined() != nil
                case .signingOut(let task, _): await task.joined() != nil
                case .draining(let task): await task.joined() != nil
                case nil: await renewal?.joined() != nil
                }
            guard hasEnded else { throw .leftWaiting }
        }
    }

    private func enter(
        _ way: WayIn, keepsPassword: Bool, by requester: Requester?, _ known: [Account]
    ) async -> Result<SessionSnapshot, AuthenticationError> {
        let given = way.digest
        defer { change = nil }
        do throws(AuthenticationError) {
            var (account, credentials) = try await scheme.signIn(goingOn(way), over: transport) { tokens throws(AuthenticationError) in
                if let given, let refresh = tokens.refresh { try await self.keep(refresh, exchangedFor: given) }
            }
            // By the label alone nobody is told from somebody else: for tokens, whoever hands one in chooses it.
            if record.state == .signedIn, let current = record.account, current.id != account.id { throw .conflict(current) }
            account.label = try label(for: account, by: way, among: known)
            var next = SessionRecord(address: backend.address)
            next.origins = credentialOrigins
            next.state = .signedIn
            next.account = account
            next.since = clock.now
            next.checkedAt = clock.now
            next.generation = record.generation + 1
            if keepsPassword, case .password(let email, let password) = way {
                credentials.kept = Credentials.KeptLogin(email: email, password: password)
            }
            next.credentials = credentials
            next.aftermaths = record.aftermaths(back: told(account))
            next.renewedByLoginAt = record.renewedByLoginAt
            next.untold = record.untold
            next.note(SignInNotice(account: told(account), requester: requester, at: clock.now))
            try store(next)
            isCheckDue = false
            rest.withLock { $0.end() }
            await tellSignIns()
            return .success(snapshot)
        } catch {
            return .failure(error)
        }
    }
}

extension SessionKeeper {
    /// The name of `account`. With a password it is the one that the backend signed in; with a token it is whatever somebody typed.
    private func label(for account: Account, by way: WayIn, among known: [Account]) throws(AuthenticationError) -> String {
        if case .password = way { return account.label }
        let (id, known) = (told(account)?.id, [told(record.account)].compactMap(\.self) + known)
        let label = known.first { $0.id == id }?.label
        guard let claimed = way.label else { return label ?? account.label }
        if known.contains(where: { $0.id != id && isHere($0.id) && $0.label.isSameEmail(as: claimed) }) { throw .labelTaken(claimed) }
        // Receipts tell of the account by the name that it has; an id alone is none.
        if let label, label != account.id.rawValue || label.isSameEmail(as: claimed) { return label }
        return claimed
    }

    /// Whether an account known by that id is one of this server's: at another one, the same person has another id.
    private func isHere(_ id: AccountID) -> Bool {
        foreignTo == nil ? !Self.namesItsServer(id) : id.rawValue.hasSuffix("@" + backend.address)
    }

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
