import Backends
import Capture
import ControlAPI
import ControlServer
import Delivery
import Foundation
import Glibc
import Logging
import Outbox
import SyncModel
import Vault

extension Station {
    func signOut(_ request: SignOut, by peer: Peer) async throws(Problem) -> SignOutReport {
        let keeper = try keeper(request.backend)
        let name = keeper.backend.name
        let drops = keeper.backend.outboxOnSignOut == .drop && mayDestroy(peer)
        let account = await keeper.snapshot.account
        let outcome: SignOutOutcome
        do throws(SignOutError) {
            outcome = try await untilShutdown { () throws(SignOutError) in
                try await keeper.signOut(
                    allDevices: request.allDevices, by: Requester(peer), dropsEntries: drops,
                    errands: errands(at: keeper.backend, of: request.account, force: request.force)
                ) { await dispatcher.drain(backend: name) }
            }
        } catch {
            if let reason = error.news { await tell(signOutOf: account, failedBecause: reason, at: name, to: Requester(peer)) }
            throw Problem(error, at: name, commands(for: name))
        }
        await spool.accountMayHaveChanged()
        return SignOutReport(
            backend: name, local: "cleared", server: outcome.server.name, serverReason: outcome.server.reason,
            email: outcome.account?.label, waiting: try await unsent(outcome.account.map { Destination(backend: name, account: $0.id) }),
            discarded: outcome.dropped > 0 ? outcome.dropped : nil)
    }

    /// The outbox work of a sign-out at `backend`.
    ///
    /// - Parameters:
    ///   - meant: the id of the account to sign out; nil for any.
    ///   - force: overrides a profile that refuses sign-out with undelivered entries.
    func errands(at backend: Backend, of meant: String? = nil, force: Bool = false) -> SignOutErrands {
        let (name, refuses) = (backend.name, backend.outboxOnSignOut == .refuse && !force)
        return SignOutErrands(
            admit: { account throws(SignOutError) in
                if let meant, AccountID(meant) != account?.id { throw .otherAccount(account) }
                guard refuses, let account else { return }
                let count: Int
                do { count = try await outbox.tallies().unsent(Destination(backend: name, account: account.id)) } catch {
                    throw .uncounted("\(error)")
                }
                if count > 0 { throw .unsent(count) }
            },
            settle: { await settle($0, at: name) })
    }

    /// Dropping entries needs an administrator; for others they are held (DroppingAtSignOut).
    func mayDestroy(_ peer: Peer) -> Bool { policy.access(of: peer).map { $0 >= .administer } ?? false }

    /// Entries neither delivered nor discarded.
    func undelivered(_ destination: Destination) async throws(Problem) -> Int {
        try await stored { () throws(OutboxError) in
            try await outbox.tallies().undelivered(destination)
        }
    }

    func facts(_ requester: Requester?, _ backend: String, _ account: AccountID?) -> Logger.Metadata {
        var facts: Logger.Metadata = ["backend": "\(backend)"]
        if let account { facts["account"] = "\(account)" }
        if let requester { facts.merge(["uid": "\(requester.uid)", "pid": "\(requester.pid)"]) { _, new in new } }
        return facts
    }

    /// Entries pending or in flight.
    private func unsent(_ destination: Destination?) async throws(Problem) -> Int {
        try await stored { () throws(OutboxError) in try await outbox.tallies().unsent(destination) }
    }

    /// Records a sign-out and drops entries if the profile says so. Returns the number dropped; nil if the store failed and the keeper must retry,
    /// which may record it twice.
    private func settle(_ aftermath: SignOutAftermath, at name: String) async -> Int? {
        if let reason = aftermath.keptBecause {
            await tell(signOutOf: aftermath.account, failedBecause: reason, at: name, to: aftermath.requester)
            return 0
        }
        var metadata = facts(aftermath.requester, name, aftermath.account?.id)
        metadata["server"] = "\(aftermath.server)"
        log.notice("Signed out", metadata: metadata)
        var detail = ["server": aftermath.server]
        detail["by"] = aftermath.requester?.description
        detail["email"] = aftermath.account?.label
        do {
            var dropped = 0
            if aftermath.dropsEntries, let account = aftermath.account {
                dropped = try await drop(Destination(backend: name, account: account.id), for: aftermath.requester)
                detail["discarded"] = "\(dropped)"
            }
            try await outbox.record([
                SyncEvent(at: clock.now, .signedOut, backend: name, account: aftermath.account?.id, detail: detail)
            ])
            return dropped
        } catch {
            log.error(
                "What a sign-out leaves to do is tried again at the next start", metadata: ["backend": "\(name)", "error": "\(error)"])
            return nil
        }
    }

    private func tell(signOutOf account: Account?, failedBecause reason: String, at name: String, to requester: Requester?) async {
        var metadata = facts(requester, name, account?.id)
        metadata["reason"] = "\(reason)"
        log.notice("A sign-out failed", metadata: metadata)
        var detail = ["reason": reason]
        detail["by"] = requester?.description
        detail["email"] = account?.label
        // `try?`: also in the journal; a full disk must not hide the problem itself.
        try? await outbox.record([SyncEvent(at: clock.now, .signOutFailed, backend: name, account: account?.id, detail: detail)])
    }

    /// For profiles with `outbox: drop`: discards each entry; returns the number.
    private func drop(_ destination: Destination, for requester: Requester?) async throws(OutboxError) -> Int {
        var dropped = 0
        // In several passes: entries being handed back change state during the iteration.
        for _ in 0..<100 {
            for state in [Entry.State.inflight, .pending, .dead, .held] {
                dropped += try await drop(destination, in: state, for: requester)
            }
            if try await outbox.tallies().undelivered(destination) == 0 { break }
            try? await Task.sleep(for: .milliseconds(20), clock: .continuous)  // `try?`: nothing cancels it
        }
        return dropped
    }

    private func drop(_ destination: Destination, in state: Entry.State, for requester: Requester?) async throws(OutboxError) -> Int {
        var dropped = 0
        var page = try await outbox.entries(state: state, backend: destination.backend, after: 0, limit: 500)
        while let last = page.last {
            for record in page where record.destination == destination {
                if try await discard(record.id, for: requester) { dropped += 1 }
            }
            page = try await outbox.entries(state: state, backend: destination.backend, after: last.sequence, limit: 500)
        }
        return dropped
    }

    /// Whether it discarded the entry. Waits up to two seconds for an in-flight entry to be handed back.
    private func discard(_ id: MutationID, for requester: Requester?) async throws(OutboxError) -> Bool {
        var triesLeft = 100
        while true {
            do throws(OutboxError) {
                try await outbox.discard(id, by: requester?.description ?? "sign-out", named: requester?.name, at: clock.now)
                return true
            } catch {
                switch error {
                // Settled meanwhile.
                case .notFound, .wrongState(_, .discarded), .wrongState(_, .delivered): return false
                case .wrongState(_, .inflight) where triesLeft > 0: triesLeft -= 1
                default: throw error
                }
            }
            try? await Task.sleep(for: .milliseconds(20), clock: .continuous)  // `try?`: nothing cancels it
        }
    }
}

extension SignOutError {
    /// Why the sign-out failed; nil if already reported or still in progress.
    fileprivate var news: String? {
        switch self {
        case .kept, .leftWaiting: nil
        case .allDevicesUnsupported: "the backend cannot end the sessions of all devices"
        case .narrowerUnderWay: "a sign-out of this device alone is under way"
        case .otherAccount: "another account was meant"
        case .unsent(let count): "\(StatusSummary.captures(count)) \(count == 1 ? "has" : "have") not gone up"
        case .uncounted(let words): words
        case .unsaved(let error): error.description
        }
    }
}

extension Requester {
    /// Actions that the daemon starts itself.
    static var daemon: Requester { Requester(uid: geteuid(), pid: getpid(), name: "homingd") }

    init(_ peer: Peer) { self.init(uid: peer.uid, pid: peer.pid, name: UserName(peer.uid).short) }
}

extension [Tally] {
    fileprivate func count(_ destination: Destination?, _ isMeant: (Entry.State) -> Bool) -> Int {
        filter { $0.destination == destination && isMeant($0.state) }.map(\.count).reduce(0, +)
    }

    fileprivate func undelivered(_ destination: Destination) -> Int { count(destination) { $0 != .delivered && $0 != .discarded } }

    fileprivate func unsent(_ destination: Destination?) -> Int { count(destination) { $0 == .pending || $0 == .inflight } }
}
