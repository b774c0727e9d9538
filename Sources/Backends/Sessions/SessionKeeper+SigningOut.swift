import SyncModel
import Vault

extension SessionKeeper {
    /// Ends the session here and at the server. Once the marker is stored, no crash and no cancellation brings the session back.
    ///
    /// `drain` has to return when what is under way has been settled. A sign-out under way is joined.
    package func signOut(
        allDevices: Bool, drain: @escaping @Sendable () async -> Void
    ) async throws(SignOutError) -> SignOutOutcome {
        if allDevices, backend.profile.auth.logout.requestForAll == nil { throw .allDevicesUnsupported }
        while case .signingIn(let task) = change { guard await task.joined() != nil else { throw .leftWaiting } }
        if case .signingOut(let task) = change { return try await ended(task) }
        guard record.state != .signedOut else { return SignOutOutcome(local: .cleared, server: .none) }
        let before = record.state
        var marked = record
        marked.state = .signingOut
        marked.generation += 1
        try save(marked)
        var renewal: Task<Result<Session, AuthenticationError>, Never>?
        if case .replacing(let task) = change { renewal = task }
        let task = Task { [renewal] in
            _ = await renewal?.value
            await drain()
            return await self.leave(allDevices: allDevices, before: before)
        }
        change = .signingOut(task)
        return try await ended(task)
    }

    private func ended(_ signOut: Task<Result<SignOutOutcome, SignOutError>, Never>) async throws(SignOutError) -> SignOutOutcome {
        guard let result = await signOut.joined() else { throw .leftWaiting }
        return try result.get()
    }

    private func leave(allDevices: Bool, before: SessionSnapshot.State) async -> Result<SignOutOutcome, SignOutError> {
        defer { change = nil }
        await freshen()
        let server = await scheme.signOut(record.credentials, allDevices: allDevices, over: transport)
        do throws(SignOutError) {
            if case .failed = server, backend.profile.auth.logout.keepsOnFailure {
                var kept = record
                kept.state = before
                try save(kept)
                return .success(SignOutOutcome(local: .kept, server: server))
            }
            try save(record.cleared(.signedOut, origin: backend.profile.origin.description))
            return .success(SignOutOutcome(local: .cleared, server: server))
        } catch {
            return .failure(error)
        }
    }

    /// The server may want a token that is still good, to end the session: one renewal at most, and where it fails the sign-out goes on.
    private func freshen() async {
        // `try?`: what cannot be stored is not needed for long.
        guard backend.profile.auth.logout.request != nil, isStale, case .renewed(let credentials)? = try? await askForRenewal() else {
            return
        }
        record.credentials = credentials
        record.awaitsRefresh = nil
    }

    private func save(_ next: SessionRecord) throws(SignOutError) {
        do {
            try commit(next)
        } catch {
            throw .unsaved(error)
        }
    }
}
