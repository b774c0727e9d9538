import Backends
import Foundation
import SyncModel

extension SessionKeeper {
    /// The session of the signed-in account. Renews it first if its token is about to end or was refused; a failed renewal costs nothing while the
    /// token holds.
    package func freshSession() async throws(AuthenticationError) -> Session {
        let current = try session()
        if state.isRefused {
            if !state.methods.isEmpty { return try await renewal(of: current) }
            // There is nothing to renew it by, and a gateway may have refused it: try it as it is.
            state.refusedGeneration = nil
            return current
        }
        guard state.isStale(at: clock.now) else { return current }
        if state.stillHolds(at: clock.now), pause != nil { return current }
        do throws(AuthenticationError) {
            return try await renewal(of: current)
        } catch {
            switch error {
            case .unavailable, .tooSoon: guard state.stillHolds(at: clock.now), !state.isRefused else { throw error }
            default: throw error
            }
            return try session()
        }
    }

    /// A session of the same account newer than `stale`, which the backend refused. At most one renewal runs, for the current generation only.
    package func replace(_ stale: Session) async throws(AuthenticationError) -> Session {
        if stale.generation == state.record.generation { state.refusedGeneration = stale.generation }
        return try await renewal(of: stale)
    }

    package var nextKeepalive: Date? { state.nextKeepalive(at: clock.now) }

    /// Renews an idle session if that is due. Returns why it failed, if a server has answered so.
    package func keepAlive() async -> Failure? {
        guard let due = nextKeepalive, due <= clock.now, let current = try? session() else { return nil }
        do throws(AuthenticationError) {
            _ = try await renewal(of: current)
            return nil
        } catch {
            switch error {
            case .unavailable(let failure): return failure.neverArrived || failure.reason == .stopping ? nil : failure
            case .tooSoon(_, let failure): return failure
            // The end of a session has an event of its own.
            default: return nil
            }
        }
    }

    private func renewal(of stale: Session) async throws(AuthenticationError) -> Session {
        while true {
            let current = try session()
            guard current.account.id == stale.account.id else {
                throw .signInRequired(reason: "\(stale.account.label) is no longer signed in")
            }
            if stale.generation < current.generation { return current }
            switch change {
            case .signingIn(let task, _): guard await task.joined() != nil else { throw .cancelled }
            case .signingOut, .draining: throw .signingOut
            case nil:
                if let renewal { return try await landed(renewal) }
                try checkRunning()
                if let (until, failure) = pause { throw .tooSoon(until: until, failure) }
                // Unstructured: once begun it must be stored, though its caller is cancelled.
                let task = Task { await self.renew() }
                renewal = task
                return try await landed(task)
            }
        }
    }

    private func landed(_ renewal: Renewing) async throws(AuthenticationError) -> Session {
        guard let result = await renewal.joined() else { throw .cancelled }
        return try result.get()
    }

    private func renew() async -> Result<Session, AuthenticationError> {
        // A sign-out that has cancelled it has forgotten it.
        defer { if !Task.isCancelled { renewal = nil } }
        do throws(AuthenticationError) { return .success(try await renewed()) } catch { return .failure(error) }
    }

    private func renewed() async throws(AuthenticationError) -> Session {
        var event = RenewalEvent.begun
        while true {
            let step = state.on(event, at: clock.now)
            storeSoon()
            switch step {
            case .refresh(let transition):
                if let transition { try store(transition) }
                event = .refreshed(await requestRefresh())
            case .signIn(let kept, let transition):
                try store(transition)
                event = await signedIn(with: kept)
            case .end(let transition, let error):
                guard let error else {
                    if let transition { try store(transition) }
                    return try session()
                }
                // `try?`: the error matters more, and the next change stores the record.
                if let transition { _ = try? perform(transition) }
                throw error
            }
            // Only a sign-out cancels a renewal: the session exists no longer.
            if Task.isCancelled { throw .signingOut }
        }
    }

    func requestRefresh() async -> Renewal {
        await scheme.renew(state.record.credentials, of: state.record.account, over: transport) {
            // A sign-out waits for it.
            await self.state.record.state == .signedIn
        }
    }

    private func signedIn(with kept: Credentials.KeptLogin) async -> RenewalEvent {
        let recording = RecordingTransport(transport, clock: clock)
        do throws(AuthenticationError) {
            let (account, credentials) = try await scheme.signIn(.password(email: kept.email, kept.password), over: recording) { _ in }
            return .signedIn(account, credentials)
        } catch {
            return .notSignedIn(error, mayHaveArrived: recording.mayHaveArrived, askedToWait: recording.askedToWait)
        }
    }
}
