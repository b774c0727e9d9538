import Backends
import Foundation
import Outbox
import SyncModel

extension SessionKeeper {
    /// Ends the session here and at the server. Once its marker is stored, neither a crash nor a cancellation brings the session back.
    /// Joins a sign-out in progress. `drain` returns when the requests being sent are settled.
    package func signOut(
        _ request: SignOutRequest, drain: @escaping @Sendable () async -> Void
    ) async throws(SignOutError) -> SignOutOutcome {
        let account = state.account
        do throws(SignOutError) {
            return try await signedOut(request, drain: drain)
        } catch {
            if let reason = error.news {
                let failed = state.signOutFailed(account, because: reason, by: request.requester, at: clock.now)
                failed.log(to: log)
                // `try?`: also in the journal; a full disk must not hide the problem itself.
                if let event = failed.event { try? await outbox.record([event]) }
            }
            throw error
        }
    }

    private func signedOut(
        _ request: SignOutRequest, drain: @escaping @Sendable () async -> Void
    ) async throws(SignOutError) -> SignOutOutcome {
        if request.allDevices, backend.profile.auth.logout.requestForAll == nil { throw .allDevicesUnsupported }
        guard try await canBegin(request) else {
            guard let ending = state.record.ending else { return try forget() }
            try requireAccount(ending.account, named: request.account)
            guard case .signingOut(let task, let isWide) = change else { return try await completing().joined(or: .cancelled) }
            guard isWide || !request.allDevices else { throw .narrowerInProgress }
            return try await task.joined(or: .cancelled)
        }
        // A refused token stays refused.
        let isRefused = state.isRefused
        try store(state.signOutBegins(request, at: clock.now), or: SignOutError.unsaved)
        if isRefused { state.markRefused(generation: state.record.generation) }
        // Unstructured: the sign-out outlives a cancelled caller. It ends when no request is being sent.
        let drained = Task { await drain() }
        // Unstructured: as above. It ends when the sign-out is stored, or has failed.
        let task = Task { [renewal = renewal] in
            await self.leave(allDevices: request.allDevices, after: renewal, drained)
        }
        change = .signingOut(task, allDevices: request.allDevices)
        return try await task.joined(or: .cancelled)
    }

    /// Waits for a sign-in in progress. False during a sign-out, and when signed out.
    private func canBegin(_ request: SignOutRequest) async throws(SignOutError) -> Bool {
        while true {
            switch change {
            case .signingIn(let task, _): guard await task.joined() != nil else { throw .cancelled }
            case .signingOut: return false
            case .draining, nil:
                guard ![.signedOut, .signingOut].contains(state.record.state) else { return false }
                let asked = state.record.account
                try await checkAllowed(request)
                if case .signingIn = change { continue }
                if case .signingOut = change { return false }
                // Another account needs a check of its own.
                if state.record.state != .signedOut, state.record.account == asked { return true }
            }
        }
    }

    private func checkAllowed(_ request: SignOutRequest) async throws(SignOutError) {
        try requireAccount(state.account, named: request.account)
        guard backend.outboxOnSignOut == .refuse, !request.force, let account = state.account else { return }
        let count: Int
        do { count = try await outbox.tallies().unsent(Destination(backend: backend.name, account: account.id)) } catch {
            throw .uncounted("\(error)")
        }
        if count > 0 { throw .unsent(count) }
    }

    /// Throws if the request names another account.
    private func requireAccount(_ account: Account?, named meant: AccountID?) throws(SignOutError) {
        if let meant, meant != account?.id { throw .otherAccount(account) }
    }

    /// Forgets a token that was submitted and exchanged.
    private func forget() throws(SignOutError) -> SignOutOutcome {
        if state.isDirty || state.record.exchanged != nil {
            var next = state.record
            next.exchanged = nil
            try store(SessionTransition(next), or: SignOutError.unsaved)
        }
        return SignOutOutcome(server: .none)
    }

    /// Ends a sign-out that could not be stored, or that an earlier run left behind. Does not tell the server, which may know already.
    package func completeSignOut() async {
        if state.record.ending != nil, change == nil { _ = await completing().value }
    }

    private func completing() -> SignOutTask {
        // Unstructured: callers join it, and it outlives them. It ends when the sign-out is stored, or has failed.
        let task = Task { await self.completed(.none) }
        change = .signingOut(task, allDevices: true)
        return task
    }

    /// Discards what the sign-out discards, then stores its end.
    private func completed(_ server: SignOutOutcome.Server) async -> Result<SignOutOutcome, SignOutError> {
        defer { change = nil }
        let ending = state.record.ending
        do {
            if let account = state.discards {
                let count = try await outbox.discardAll(
                    of: Destination(backend: backend.name, account: account.id), by: ending?.requester?.description ?? "sign-out",
                    named: ending?.requester?.name, at: clock.now)
                state.noteDiscarded(count)
            }
            let discarded = state.record.ending?.discarded ?? 0
            if let transition = state.signOutEnds(at: clock.now) { try perform(transition) }
            return .success(
                SignOutOutcome(
                    server: server, account: ending?.account, discarded: discarded, keptData: ending?.keepsData == true,
                    owedUntil: ending?.owed?.until))
        } catch {
            // The stored marker completes the sign-out at the next chance. Until then no credentials but owed ones are stored with it.
            flush()
            return .failure(.unsaved(error))
        }
    }

    /// Tells the server and forgets the credentials, after the marker is stored. `renewal` is the one in progress at the beginning of the
    /// sign-out.
    private func leave(
        allDevices: Bool, after renewal: RenewalTask?, _ drained: Task<Void, Never>
    ) async -> Result<SignOutOutcome, SignOutError> {
        let logout = backend.profile.auth.logout
        var server = SignOutOutcome.Server.none
        var isDrained = true
        if (allDevices ? logout.requestForAll : logout.request) != nil {
            let meaning = await ready(renewal, drained)
            server = await tellServer(allDevices: allDevices, ifUnauthorized: meaning)
            if case .failed(let reason) = server, logout.keepsOnFailure {
                change = nil
                do { try perform(state.signOutFails(because: reason, at: clock.now)) } catch { return .failure(.unsaved(error)) }
                return .failure(.kept(reason))
            }
        } else if state.record.ending?.discardsEntries == true {
            await drained.value
        } else {
            isDrained = false
        }
        // The result of a renewal belongs to no session.
        renewal?.cancel()
        self.renewal = nil
        state.serverTold(server)
        let result = await completed(server)
        // Unstructured: the sign-out returns before the requests in progress end. It ends with them.
        if !isDrained { change = .draining(Task { await self.end(drained) }) }
        return result
    }

    private func end(_ drained: Task<Void, Never>) async {
        await drained.value
        if case .draining = change { change = nil }
    }

    // MARK: Telling the server

    private static let refusedNew = SignOutOutcome.Server.failed("The backend refused the token that it had just issued.")
    private static let notRenewed = SignOutOutcome.Server.failed("The backend refused the token, and Homing could not renew it.")

    /// Waits until nothing is being sent, and for a valid token, which the server may want. Begins at most one renewal. Returns the meaning
    /// of a following 401; nil if that needs a renewal first.
    private func ready(_ renewal: RenewalTask?, _ drained: Task<Void, Never>) async -> SignOutOutcome.Server? {
        guard let renewal else {
            await drained.value
            return state.refreshable != nil && (state.isStale(at: clock.now) || state.isRefused) ? await renewedOnce() : nil
        }
        let limit = backend.profile.auth.refresh?.request.timeout ?? .seconds(10)
        let result = await withTaskGroup(of: Result<Session, SessionError>?.self) { group in
            group.addTask { await renewal.joined() }
            group.addTask {
                try? await Task.sleep(for: limit, clock: .continuous)  // `try?`: cancelled once the renewal has ended
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        await drained.value
        return meaning(of: result)
    }

    private func renewedOnce() async -> SignOutOutcome.Server { stopping == nil ? meaning(of: await renew()) : Self.notRenewed }

    /// - Parameter result: nil if the renewal has not ended.
    private func meaning(of result: Result<Session, SessionError>?) -> SignOutOutcome.Server {
        guard case .failure(.signingOut)? = result else { return Self.notRenewed }
        // The session was refused, or the renewal's answer was not stored.
        return state.refreshable == nil || state.record.awaitsRefresh ? .alreadyGone : Self.refusedNew
    }

    /// Tells the server. If it refuses a token that seemed valid, renews it first: the refresh token may still be valid.
    private func tellServer(allDevices: Bool, ifUnauthorized meaning: SignOutOutcome.Server?) async -> SignOutOutcome.Server {
        if let answer = await scheme.signOut(state.record.credentials, allDevices: allDevices, over: transport) { return answer }
        if let meaning { return meaning }
        guard state.refreshable != nil else { return .alreadyGone }
        let renewed = await renewedOnce()
        return renewed == Self.refusedNew ? await tellServer(allDevices: allDevices, ifUnauthorized: renewed) : renewed
    }
}

extension SignOutError {
    /// Why the sign-out failed; nil if that is already recorded, or if it goes on.
    fileprivate var news: String? {
        switch self {
        case .kept, .cancelled: nil
        case .allDevicesUnsupported: "the backend cannot end the sessions of all devices"
        case .narrowerInProgress: "a sign-out of this device only is in progress"
        case .otherAccount: "the request named another account"
        case .unsent(let count):
            "\(count == 1 ? "1 entry is" : "\(count) entries are") waiting, and the profile forbids signing out before delivery"
        case .uncounted(let words): "the undelivered entries could not be counted: \(words)"
        case .unsaved(let error): error.description
        }
    }
}
