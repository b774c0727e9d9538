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
            let readiness = await ready(renewal, drained)
            server = await tellServer(allDevices: allDevices, readiness)
            if case .failed(let reason) = server, logout.keepsOnFailure {
                defer { change = nil }
                return .failure(await keep(aftermath, because: reason, errands))
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
        return .success(SignOutOutcome(server: server, account: aftermath.account, dropped: dropped))
    }

    private func end(_ drained: Task<Void, Never>) async {
        await drained.value
        change = nil
    }

    /// The session goes on, as the profile wants it where the server could not be told; returns the error to answer with.
    private func keep(_ aftermath: SignOutAftermath, because reason: String, _ errands: SignOutErrands) async -> SignOutError {
        var kept = record
        kept.state = record.ending?.before ?? .signedIn
        kept.ending = nil
        var told = aftermath
        (told.keptBecause, told.dropsEntries, told.server) = (reason, false, SignOutOutcome.Server.failed(reason).name)
        kept.aftermaths = (record.aftermaths ?? []) + [told]
        do { try save(kept) } catch {
            kept.aftermaths = record.aftermaths
            // In memory they are signed in still; the marker in the file signs them out at the next start.
            becomeUnsaved(kept)
            return error
        }
        _ = await settle(errands, of: nil)
        return .kept(reason)
    }

    /// Forgets the credentials whatever the disk says, and what is left to do replaces the marker.
    private func clear(_ aftermath: SignOutAftermath, _ server: SignOutOutcome.Server) -> Result<Void, SignOutError> {
        var aftermath = aftermath
        aftermath.server = server.name
        var cleared = record.cleared(.signedOut, address: backend.address)
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
