extension SessionKeeper {
    /// What became of the credentials for the sake of the sign-out.
    enum Readiness {
        /// Nothing says that they are no good, so no refresh was asked for.
        case untouched
        case renewed
        /// The server has refused to renew them: nothing of them is good any more.
        case refused
        /// A renewal could not be had: what the server knows of the session may live on.
        case unavailable
    }

    /// Waits until nothing is being sent, and sees to a token that is still good: the server may want one, to end the session. At most one
    /// refresh is asked for, and where it fails the sign-out goes on.
    func ready(_ renewal: Renewing?, _ drained: Task<Void, Never>) async -> Readiness {
        guard let renewal else {
            await drained.value
            return refreshable != nil && (isStale || isRefused) ? await freshen() : .untouched
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
        // It landed, or was refused for good: then there is nothing to refresh with, or no answer to a refresh has been stored.
        case .success, .failure(.signingOut), .failure(.signInRequired):
            return refreshable == nil || record.awaitsRefresh == true ? .refused : .renewed
        case .failure, nil: return .unavailable
        }
    }

    private func freshen() async -> Readiness {
        do throws(AuthenticationError) {
            try checkRunning()
            switch try await askForRenewal() {
            case .renewed(let credentials):
                record.credentials = credentials
                record.awaitsRefresh = nil
                refusedGeneration = nil
                return .renewed
            case .ended: return .refused
            case .foreign, .impossible, .unavailable: return .unavailable
            }
        } catch {
            // What cannot be stored is not needed for long.
            return .unavailable
        }
    }

    /// Asks the server to end the session. Where it refuses a token that seemed good, that is renewed first: the refresh token may live on at a
    /// server that takes the access token no more.
    func tellServer(allDevices: Bool, _ readiness: Readiness) async -> SignOutOutcome.Server {
        var readiness = readiness
        var answer = await scheme.signOut(record.credentials, allDevices: allDevices, over: transport)
        if answer == nil, readiness == .untouched, refreshable != nil {
            readiness = await freshen()
            if readiness == .renewed { answer = await scheme.signOut(record.credentials, allDevices: allDevices, over: transport) }
        }
        if let answer { return answer }
        switch readiness {
        case .untouched, .refused: return .alreadyGone
        case .renewed: return .failed("The backend refused the token that it had just given.")
        case .unavailable: return .failed("The token had ended and could not be renewed.")
        }
    }
}
