import SyncModel
import Vault

extension SessionKeeper {
    /// Ends the session here and at the server. Once the marker is stored, no crash and no cancellation brings the session back.
    ///
    /// `drain` has to return when what is under way has been settled. Where the server has to be told nothing and nothing is to be dropped,
    /// nobody waits for that. A sign-out under way is joined.
    ///
    /// - Parameter dropsEntries: destroy what the account has not sent.
    package func signOut(
        allDevices: Bool, by requester: Requester? = nil, dropsEntries: Bool = false, errands: SignOutErrands = SignOutErrands(),
        drain: @escaping @Sendable () async -> Void
    ) async throws(SignOutError) -> SignOutOutcome {
        if allDevices, backend.profile.auth.logout.requestForAll == nil { throw .allDevicesUnsupported }
        guard try await canBegin(errands) else {
            if case .signingOut(let task, let isWide) = change {
                guard isWide || !allDevices else { throw .narrowerUnderWay }
                return try await ended(task)
            }
            var next = record
            next.exchanged = nil
            if isDirty || record.exchanged != nil { try save(next) }
            return SignOutOutcome(server: .none)
        }
        let aftermath = SignOutAftermath(account: told(record.account), requester: requester, dropsEntries: dropsEntries)
        try begin(aftermath)
        let drained = Task { await drain() }
        let task = Task { [renewal = renewal] in
            await self.leave(allDevices: allDevices, aftermath, after: renewal, drained, errands)
        }
        change = .signingOut(task, allDevices: allDevices)
        return try await ended(task)
    }

    /// Waits for a sign-in under way, and has whoever it is then admitted; false where a sign-out is under way, or nobody is signed in.
    private func canBegin(_ errands: SignOutErrands) async throws(SignOutError) -> Bool {
        while true {
            switch change {
            case .signingIn(let task, _): guard await task.joined() != nil else { throw .leftWaiting }
            case .signingOut: return false
            case .draining, nil:
                guard record.state != .signedOut else { return false }
                let asked = record.account
                try await errands.admit(told(asked))
                if case .signingIn = change { continue }
                // Another account than the one asked about is asked about anew.
                if case .signingOut = change { return false }
                if record.state != .signedOut, record.account == asked { return true }
            }
        }
    }

    private func begin(_ aftermath: SignOutAftermath) throws(SignOutError) {
        // What the server has refused, it refuses after this too.
        let isRefused = isRefused
        defer { if isRefused { refusedGeneration = record.generation } }
        var marked = record
        marked.ending = SignOutMarker(before: record.ending?.before ?? record.state, aftermath: aftermath)
        marked.state = .signingOut
        marked.generation += 1
        // A session that may have to be kept must not lose its file.
        if backend.profile.auth.logout.keepsOnFailure { return try save(marked) }
        do { try commitEnd(marked) } catch { throw .unsaved(error) }
    }

    private func ended(_ signOut: Task<Result<SignOutOutcome, SignOutError>, Never>) async throws(SignOutError) -> SignOutOutcome {
        guard let result = await signOut.joined() else { throw .leftWaiting }
        return try result.get()
    }

    func save(_ next: SessionRecord) throws(SignOutError) {
        do {
            try commit(next)
        } catch {
            throw .unsaved(error)
        }
    }
}
