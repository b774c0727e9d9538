import SyncModel
import Vault

extension SessionKeeper {
    /// Tells the server and forgets the credentials, once the marker is stored.
    ///
    /// - Parameter renewal: the one under way when the sign-out began.
    func leave(
        allDevices: Bool, _ aftermath: SignOutAftermath, after renewal: Renewing?, _ drained: Task<Void, Never>, _ errands: SignOutErrands
    ) async -> Result<SignOutOutcome, SignOutError> {
        let logout = backend.profile.auth.logout
        var server = SignOutOutcome.Server.none
        var isDrained = true
        if (allDevices ? logout.requestForAll : logout.request) != nil {
            let couldRenew = await ready(renewal, drained)
            server = await scheme.signOut(record.credentials, allDevices: allDevices, couldRenew: couldRenew, over: transport)
            if case .failed = server, logout.keepsOnFailure {
                defer { change = nil }
                return await keep(aftermath, server, errands)
            }
        } else if aftermath.dropsEntries {
            await drained.value
        } else {
            isDrained = false
        }
        // What still comes of it belongs to nobody.
        renewal?.cancel()
        self.renewal = nil
        let isSaved = clear(aftermath, server)
        let dropped = await settle(errands, of: aftermath.account)
        change = isDrained ? nil : .draining(Task { await self.end(drained) })
        if case .failure(let error) = isSaved { return .failure(error) }
        return .success(SignOutOutcome(local: .cleared, server: server, account: aftermath.account, dropped: dropped))
    }

    private func end(_ drained: Task<Void, Never>) async {
        await drained.value
        change = nil
    }

    /// Waits until nothing is being sent, and sees to a token that is still good: the server may want one, to end the session. At most one
    /// refresh is asked for, and where it fails the sign-out goes on; false where a renewal could not be had.
    private func ready(_ renewal: Renewing?, _ drained: Task<Void, Never>) async -> Bool {
        guard let renewal else {
            await drained.value
            return await freshen()
        }
        let limit = backend.profile.auth.refresh?.request.timeout ?? .seconds(10)
        let result = await withTaskGroup(of: Result<Session, AuthenticationError>?.self) { group in
            group.addTask { await renewal.joined() }
            group.addTask {
                try? await Task.sleep(for: limit, clock: .continuous)  // `try?`: cancelled, the renewal has landed
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        await drained.value
        switch result {
        // It landed, or was refused for good.
        case .success, .failure(.signingOut), .failure(.signInRequired): return true
        case .failure, nil: return false
        }
    }

    /// Whether the token is good, or was renewed, or is the server's to refuse.
    private func freshen() async -> Bool {
        guard backend.profile.auth.logout.request != nil, isStale else { return true }
        // `try?`: what cannot be stored is not needed for long.
        switch try? await askForRenewal() {
        case .renewed(let credentials)?:
            record.credentials = credentials
            record.awaitsRefresh = nil
            return true
        case .ended?, .foreign?: return true
        case .unavailable?, nil: return false
        }
    }

    private func keep(
        _ aftermath: SignOutAftermath, _ server: SignOutOutcome.Server, _ errands: SignOutErrands
    ) async -> Result<SignOutOutcome, SignOutError> {
        var kept = record
        kept.state = record.ending?.before ?? .signedIn
        kept.ending = nil
        do { try save(kept) } catch {
            // In memory they are signed in still; the marker in the file signs them out at the next start.
            becomeUnsaved(kept)
            return .failure(error)
        }
        var told = aftermath
        (told.isKept, told.dropsEntries, told.server) = (true, false, server.name)
        _ = await errands.settle(told)
        return .success(SignOutOutcome(local: .kept, server: server, account: aftermath.account))
    }

    /// Forgets the credentials whatever the disk says, and what is left to do replaces the marker.
    private func clear(_ aftermath: SignOutAftermath, _ server: SignOutOutcome.Server) -> Result<Void, SignOutError> {
        var aftermath = aftermath
        aftermath.server = server.name
        var cleared = record.cleared(.signedOut, origin: backend.profile.origin.description)
        cleared.aftermaths = (record.aftermaths ?? []) + [aftermath]
        do {
            try commitEnd(cleared)
            return .success(())
        } catch {
            becomeUnsaved(cleared)
            return .failure(.unsaved(error))
        }
    }

    /// Does what sign-outs of an earlier run have left to do.
    package func finishSignOuts(_ errands: SignOutErrands) async { _ = await settle(errands, of: nil) }

    /// Does what is left to do; how many entries of `account` were destroyed.
    private func settle(_ errands: SignOutErrands, of account: Account?) async -> Int {
        var dropped = 0
        for aftermath in record.aftermaths ?? [] {
            guard let count = await errands.settle(aftermath) else { continue }
            if aftermath.account == account { dropped += count }
            var next = record
            next.aftermaths?.removeAll { $0 == aftermath }
            if next.aftermaths?.isEmpty == true { next.aftermaths = nil }
            // What cannot be stored is done once more at the next start.
            do { try commit(next) } catch { becomeUnsaved(next) }
        }
        return dropped
    }
}
