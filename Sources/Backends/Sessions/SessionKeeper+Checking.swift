import Foundation
import SyncModel

extension SessionKeeper {
    /// Has the backend name the account that it takes us for, where the last time is a minute ago or something has changed the credentials
    /// since. Another account than the session's ends the session.
    ///
    /// A backend without a health route cannot be asked. Throws where the question gets no answer: nothing is sent without it.
    func requireOwnAccount() async throws(TransportError) {
        // Answers to look-ups of other lanes may make it due again meanwhile, which the next request finds.
        for _ in 1...2 where isCheckNeeded {
            try requireStored()
            let task = check ?? Task { await self.checkAccount() }
            check = task
            guard let answer = await task.joined() else {
                throw .unreachable(Failure(.stopping, "It was not sent: the daemon was told to stop."))
            }
            if let failure = answer { throw .unreachable(failure) }
        }
    }

    /// Schedules a check a minute after an entry's answer changed the credentials, since no later send may come to trigger one.
    func checkLater() {
        guard laterCheck == nil, backend.hasHealth else { return }
        let now = clock.now
        laterCheck = Task { [weak self, clock] in
            // `try?`: this task is never cancelled.
            try? await clock.sleep(from: now, until: now.addingTimeInterval(Self.longestUnchecked))
            await self?.checkNow()
        }
    }

    private func checkNow() async {
        laterCheck = nil
        isCheckDue = true
        // `try?`: if the check fails now, the next send repeats it.
        if (try? checkRunning()) != nil { try? await requireOwnAccount() }
    }

    private var isCheckNeeded: Bool {
        guard record.state == .signedIn, let request = backend.health, backend.isOwn(request) else { return false }
        guard check == nil, !isCheckDue, let last = record.checkedAt else { return true }
        return abs(clock.now.timeIntervalSince(last)) >= Self.longestUnchecked
    }

    private func checkAccount() async -> Failure? {
        defer { check = nil }
        guard var request = backend.health else { return nil }
        request.isBrief = true
        let generation = record.generation
        scheme.authorize(&request, with: record.credentials)
        // What changes from here on needs a check of its own.
        isCheckDue = false
        var failure: Failure
        do throws(TransportError) {
            let response = try await transport.send(request)
            switch backend.health(response) {
            case .well(let account):
                if note(account, generation: generation) { _ = absorb(response, to: request, generation: generation) }
                return nil
            // The send is refused as well, and says what becomes of the session.
            case .refused: return nil
            case .ill(let reason, _), .intercepted(let reason), .unreachable(let reason): failure = reason
            }
        } catch {
            failure = error.failure
        }
        isCheckDue = true
        failure.message = "It was not sent, since the backend did not say whose session this is: \(failure.message)"
        return failure.withKnownOutcome
    }

    /// Takes note of the account that the backend named for credentials of `generation`, nil for nobody; false where it is another one, which
    /// ends the session.
    @discardableResult
    func note(_ account: AccountID?, generation: Int) -> Bool {
        guard generation == record.generation, record.state == .signedIn else { return true }
        if let account, account != record.account?.id {
            requireSignIn(Self.otherAccount, isForeign: true)
            return false
        }
        record.checkedAt = clock.now
        storeSoon()
        return true
    }

    /// Seconds for which a check holds.
    private static let longestUnchecked: TimeInterval = 60
}
