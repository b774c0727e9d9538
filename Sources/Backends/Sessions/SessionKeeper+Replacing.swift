import Foundation
import SyncModel
import Synchronization

extension SessionKeeper {
    /// A session of the same account newer than `stale`, which the backend called unauthorised: at most one renewal runs, whoever asks, and
    /// only for the current generation. Where somebody else has signed in meanwhile, there is none.
    ///
    /// The renewal runs in a task of its own: once begun it must land, though the caller that began it is cancelled.
    package func replace(_ stale: Session) async throws(AuthenticationError) -> Session {
        if stale.generation == record.generation { refusedGeneration = stale.generation }
        return try await renewal(of: stale)
    }

    /// A session newer than `stale`, whatever that is renewed for.
    func renewal(of stale: Session) async throws(AuthenticationError) -> Session {
        while true {
            let current = try session()
            guard current.account.id == stale.account.id else {
                throw .signInRequired(reason: "\(stale.account.label) is not signed in any more")
            }
            if stale.generation < current.generation { return current }
            switch change {
            case .signingIn(let task, _): guard await task.joined() != nil else { throw .leftWaiting }
            case .signingOut, .draining: throw .signingOut
            case nil:
                if let renewal { return try await landed(renewal) }
                try checkRunning()
                try checkRested()
                let task = Task { await self.renew() }
                renewal = task
                return try await landed(task)
            }
        }
    }

    /// Until when renewals rest, and why; nil where they do not.
    var resting: (until: Date, failure: Failure)? { rest.withLock { [now = clock.now] in $0.running(at: now) } }

    /// Throws while renewals rest.
    func checkRested() throws(AuthenticationError) {
        if let (until, failure) = resting { throw .tooSoon(until: until, failure) }
    }

    private func landed(_ renewal: Renewing) async throws(AuthenticationError) -> Session {
        guard let result = await renewal.joined() else { throw .leftWaiting }
        return try result.get()
    }

    private func renew() async -> Result<Session, AuthenticationError> {
        let result: Result<Session, AuthenticationError>
        do throws(AuthenticationError) {
            result = .success(try await renewed())
        } catch {
            result = .failure(error)
        }
        await tellSignIns()
        // Once called off it is no longer the one under way.
        if !Task.isCancelled { renewal = nil }
        return result
    }

    /// Goes through the profile's ways back in their order; where none leads there, only a person can go on.
    private func renewed() async throws(AuthenticationError) -> Session {
        let account = record.account
        var reason = declared.flatMap { $0.generation == record.generation ? $0.words : nil }
        var ways = waysBack
        // Who refused it is not known. The health route says whether the session has ended, before the password is used.
        if reason == nil, backend.profile.auth.scheme == .cookie, backend.hasHealth, !ways.contains(.refresh) {
            ways.insert(.refresh, at: 0)
        }
        for way in ways {
            switch way {
            case .refresh:
                switch try await askForRenewal() {
                case .renewed(let credentials):
                    // A cookie session is renewed by asking whose it is.
                    isCheckDue = backend.profile.auth.scheme != .cookie
                    if !isCheckDue { record.checkedAt = clock.now }
                    return try land(credentials)
                case .foreign: throw requireSignIn(Self.otherAccount, isForeign: true)
                case .impossible: break
                case .unavailable(let failure, let until): throw begunToRest(failure, until)
                case .ended(let words):
                    reason = words
                    if record.credentials.kept != nil { forgetRefreshToken() }
                }
            // A sign-out that has begun needs no new session.
            case .login:
                if record.state == .signedIn, let kept = record.credentials.kept { return try await renewed(by: kept, as: account) }
            }
        }
        // Only an answer that the profile declares ends a session; a gateway may have given any other one.
        guard let reason else {
            let failure = Failure(.signInRequired, "\(backend.name) refuses the session, in an answer that its profile does not declare.")
            guard ways.isEmpty else { throw begunToRest(failure, nil) }
            rest.withLock { $0.failure = failure }
            noteFailing()
            throw .undeclared(failure)
        }
        throw requireSignIn(reason)
    }

    /// By what this session can be renewed, in the order of the profile.
    var waysBack: [AuthRules.WayBack] {
        backend.profile.auth.renewals.filter { way in
            switch way {
            case .refresh: backend.profile.auth.scheme == .cookie ? backend.hasHealth : record.credentials.tokens?.refresh != nil
            case .login: record.credentials.kept != nil
            }
        }
    }

    /// Asks nobody for a while, since that has failed; returns the error to throw. What never arrived is no reason to: the network says when
    /// it is back.
    private func begunToRest(_ failure: Failure, _ asked: Date?) -> AuthenticationError {
        guard failure.reason != .stopping, !failure.neverArrived else { return .unavailable(failure) }
        noteFailing()
        var told = failure
        // It asked for quiet in this alone: whoever signs in anew need not wait.
        if asked != nil || failure.reason == .throttled { told.reason = .signInRequired }
        let until = rest.withLock { [told, now = clock.now] rest in
            rest.begin(told, asked: asked, now: now)
            return rest.running(at: now)?.until
        }
        guard let until else { return .unavailable(failure) }
        return .tooSoon(until: until, told)
    }

    private func noteFailing() {
        guard record.failingSince == nil else { return }
        record.failingSince = clock.now
        storeSoon()
    }

    /// A refresh may turn the token over at the server: that one is under way is stored before it is sent, so that what a crash has cost can
    /// be told.
    func askForRenewal() async throws(AuthenticationError) -> Renewal {
        let isRefresh = record.credentials.tokens?.refresh != nil
        let answerWasLost = record.awaitsRefresh == true
        if isRefresh, !answerWasLost {
            var next = record
            next.awaitsRefresh = true
            try store(next)
        }
        let renewal = await scheme.renew(record.credentials, of: record.account, over: transport) {
            // Somebody waits for the end of a sign-out.
            await self.record.state == .signedIn
        }
        try requireNotCalledOff()
        guard isRefresh else { return renewal }
        switch renewal {
        case .ended(let words) where answerWasLost: return .ended(BearerScheme.lost(words))
        // The server has turned nothing over, this time or before. Where this is not stored, a later reason is a little off.
        case .unavailable(let failure, _) where !failure.outcomeUnknown && !answerWasLost: record.awaitsRefresh = nil
        case .renewed, .ended, .foreign, .impossible, .unavailable: break
        }
        return renewal
    }

    /// What the server has refused is never sent again, after a restart neither, though the kept password still leads back to a session.
    private func forgetRefreshToken() {
        var next = record
        next.credentials.tokens?.refresh = nil
        next.awaitsRefresh = nil
        do { try commit(next) } catch { becomeUnsaved(next) }
    }

    private func renewed(by kept: Credentials.KeptLogin, as account: Account?) async throws(AuthenticationError) -> Session {
        let now = clock.now
        if let last = record.renewedByLoginAt, abs(now.timeIntervalSince(last)) < Self.renewalPause {
            let failure = Failure(
                .signInRequired,
                "The session has ended, and the kept password was used less than five minutes ago; it is used again after that.")
            throw .tooSoon(until: min(last, now).addingTimeInterval(Self.renewalPause), failure)
        }
        let before = record.renewedByLoginAt
        var next = record
        next.renewedByLoginAt = now
        // Before it is sent: a crash and a restart must not send it again at once, or the server locks the account.
        try store(next)
        let witness = Witness(transport, clock: clock)
        do throws(AuthenticationError) {
            var (whose, credentials) = try await scheme.signIn(.password(email: kept.email, kept.password), over: witness) { _ in }
            guard whose.id == account?.id else { throw requireSignIn("the kept password opens another account") }
            credentials.kept = kept
            record.checkedAt = clock.now
            isCheckDue = false
            return try land(credentials, SignInNotice(account: told(account), requester: nil, at: clock.now))
        } catch .refused(let words) {
            // Never again with this password: the next refusals would lock the account.
            throw requireSignIn(words)
        } catch .locked(let words) {
            throw requireSignIn(words)
        } catch .secondFactor {
            throw requireSignIn("the account needs a second factor by now, which the kept password does not give")
        } catch .undeclared(let failure) {
            // 423: a further try may prolong the lock.
            let pause = failure.status == 423 ? 3600 : rest.withLock(\.passwordPause)
            throw begunToRest(failure, max(rested(witness, since: now), now.addingTimeInterval(pause)))
        } catch .misbehaved(let words) {
            throw begunToRest(Failure(.profile, words), rested(witness, since: now))
        } catch .unavailable(let failure) {
            try requireNotCalledOff()
            if witness.mayHaveArrived { throw begunToRest(failure, rested(witness, since: now)) }
            // What never arrived was no try. Where this is not stored, the password rests longer than it has to.
            record.renewedByLoginAt = before
            throw .unavailable(failure)
        }
    }

    /// Until when a kept password rests that was used at `now`, at the least as long as the server asks.
    private func rested(_ witness: Witness, since now: Date) -> Date {
        max(now.addingTimeInterval(Self.renewalPause), witness.askedToWait ?? .distantPast)
    }

    /// Only a sign-out calls a renewal off: what comes of it then belongs to a session that is no more.
    private func requireNotCalledOff() throws(AuthenticationError) {
        if Task.isCancelled { throw .signingOut }
    }

    /// Stores renewed credentials before anybody uses them. During a sign-out they serve only to end the session at the server.
    private func land(_ credentials: Credentials, _ notice: SignInNotice? = nil) throws(AuthenticationError) -> Session {
        try requireNotCalledOff()
        var next = record
        next.credentials = credentials
        next.awaitsRefresh = nil
        next.failingSince = nil
        if next.state == .signedIn { next.generation += 1 }
        refusedGeneration = nil
        if let notice { next.note(notice) }
        rest.withLock { $0.end() }
        do throws(AuthenticationError) { try store(next) } catch {
            hold(unstored: next)
            throw error
        }
        return try session()
    }

    /// Forgets the credentials and says why; returns the error to throw. A sign-out that has begun goes on instead.
    ///
    /// - Parameter isForeign: the backend takes the credentials for another account's, so that deliveries since the last check may be there.
    @discardableResult
    func requireSignIn(_ reason: String, isForeign: Bool = false) -> AuthenticationError {
        guard record.state == .signedIn, !Task.isCancelled else { return .signingOut }
        var ended = record.cleared(.signInRequired, address: record.address, reason: reason)
        if isForeign { ended.unverifiedSince = record.checkedAt ?? record.since ?? clock.now }
        do { try commitEnd(ended) } catch { becomeUnsaved(ended) }
        return .signInRequired(reason: reason)
    }

    func store(_ next: SessionRecord) throws(AuthenticationError) {
        do {
            try commit(next)
        } catch {
            throw .unsaved(error)
        }
    }

    /// Why a session ends whose credentials the backend takes for another account's.
    static let otherAccount =
        "the server answered as another account, so nothing more was sent; receipts since the last check are marked as unverified"

    /// Seconds between two uses of a kept password.
    private static let renewalPause: TimeInterval = 300
}

extension Failure {
    /// The request certainly reached no server.
    var neverArrived: Bool { !outcomeUnknown && [.offline, .tls, .clock].contains(reason) }
}
