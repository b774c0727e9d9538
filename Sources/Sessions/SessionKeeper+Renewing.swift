import Backends
import Foundation
import SyncModel
import Synchronization

extension SessionKeeper {
    /// Renews the session first if its token is about to end or was refused; a failed renewal costs nothing while the token holds.
    package func freshSession() async throws(SessionError) -> Session {
        let current = try session()
        if state.isRefused {
            if !state.methods.isEmpty { return try await renewal(of: current) }
            // It cannot be renewed, and a gateway may have refused it: try it as it is.
            state.forgetRefusal()
            return current
        }
        guard state.isStale(at: clock.now) else { return current }
        if state.stillHolds(at: clock.now), pause != nil { return current }
        do throws(SessionError) {
            return try await renewal(of: current)
        } catch {
            switch error {
            case .unavailable, .tooSoon: guard state.stillHolds(at: clock.now), !state.isRefused else { throw error }
            default: throw error
            }
            return try session()
        }
    }

    /// A session of the same account newer than `stale`, which the backend refused. At most one renewal runs.
    package func replace(_ stale: Session) async throws(SessionError) -> Session {
        state.markRefused(generation: stale.generation)
        return try await renewal(of: stale)
    }

    package var nextKeepalive: Date? { state.nextKeepalive(at: clock.now) }

    /// Renews an idle session if that is due. Returns why it failed, if a server has answered so.
    package func keepAlive() async -> Failure? {
        guard let due = nextKeepalive, due <= clock.now, let current = try? session() else { return nil }
        do throws(SessionError) {
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

    private func renewal(of stale: Session) async throws(SessionError) -> Session {
        while true {
            let current = try session()
            guard current.account.id == stale.account.id else {
                throw .signInRequired(reason: "\(stale.account.label) is no longer signed in")
            }
            if stale.generation < current.generation { return current }
            switch change {
            case .signingIn(let task, _): guard await task.joined() != nil else { throw .unavailable(.cancelled) }
            case .signingOut, .draining: throw .signingOut
            case nil:
                if let renewal { return try await renewal.joined(or: .unavailable(.cancelled)) }
                if let stopping { throw .unavailable(stopping) }
                if let (until, failure) = pause { throw .tooSoon(until: until, failure) }
                // Unstructured: once begun it must be stored, even if its caller is cancelled. It ends with that or a sign-out.
                let task = Task { await self.renew() }
                renewal = task
                return try await task.joined(or: .unavailable(.cancelled))
            }
        }
    }

    /// Performs one renewal. During a sign-out it fails with `signingOut`, and leaves the renewed credentials in the record.
    func renew() async -> Result<Session, SessionError> {
        // A sign-out that has cancelled it has forgotten it.
        defer { if !Task.isCancelled { renewal = nil } }
        do throws(SessionError) { return .success(try await renewed()) } catch { return .failure(error) }
    }

    private func renewed() async throws(SessionError) -> Session {
        var event = RenewalEvent.begun
        while true {
            let step = state.on(event, at: clock.now)
            storeSoon()
            switch step {
            case .refresh(let transition):
                try store(transition, or: SessionError.unsaved)
                event = .refreshed(await refresh())
            case .signIn(let kept, let transition):
                try store(transition, or: SessionError.unsaved)
                event = await signInWithKeptPassword(kept)
            case .end(let transition, .none):
                try store(transition, or: SessionError.unsaved)
                return try session()
            case .end(let transition, let error?):
                // `try?`: the error matters more, and the next change stores the record.
                try? perform(transition)
                throw error
            }
            // Only a sign-out cancels a renewal: the session exists no longer.
            if Task.isCancelled { throw .signingOut }
        }
    }

    private func refresh() async -> RefreshAnswer {
        await scheme.refresh(state.record.credentials, of: state.record.account, over: transport) {
            // A sign-out waits for it.
            await self.state.record.state == .signedIn
        }
    }

    private func signInWithKeptPassword(_ kept: Credentials.KeptLogin) async -> RenewalEvent {
        let recording = RecordingTransport(transport, clock: clock)
        do throws(SignInError) {
            let (account, credentials) = try await scheme.signIn(.password(email: kept.email, kept.password), over: recording) { _ in }
            return .signedIn(account, credentials)
        } catch {
            return .notSignedIn(error, mayHaveArrived: recording.mayHaveArrived, askedToWait: recording.askedToWait)
        }
    }
}

/// Records whether a request may have arrived, and the latest Retry-After.
final class RecordingTransport: Transport {
    private let transport: any Transport
    private let clock: any SyncClock
    private let seen = Mutex<(arrived: Bool, until: Date?)>((false, nil))

    init(_ transport: any Transport, clock: any SyncClock) { (self.transport, self.clock) = (transport, clock) }

    var mayHaveArrived: Bool { seen.withLock { $0.arrived } }
    var askedToWait: Date? { seen.withLock { $0.until } }

    func send(_ request: OutboundRequest) async throws(TransportError) -> InboundResponse {
        do {
            let response = try await transport.send(request)
            seen.withLock { [now = clock.now] in $0 = (true, RetryAfter.read(response, now: now)) }
            return response
        } catch {
            if case .lost = error { seen.withLock { $0.arrived = true } }
            throw error
        }
    }

    func connect(to url: String) async throws(TransportError) { try await transport.connect(to: url) }
}
