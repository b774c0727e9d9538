import Backends
import Capture
import ControlAPI
import ControlServer
import Delivery
import Foundation
import Logging
import Outbox
import Sessions
import SyncModel

extension ControlHandler {
    func signOut(_ request: SignOut, by caller: Caller) async throws -> SignOutReport {
        let keeper = try keeper(request.backend)
        let name = keeper.backend.name
        let signOut = SignOutRequest(
            allDevices: request.allDevices, account: request.account.map(AccountID.init), force: request.force, by: Requester(caller.peer),
            mayDiscard: caller.mayDestroy)
        let outcome: SignOutOutcome
        do throws(SignOutError) {
            outcome = try await untilShutdown { () throws(SignOutError) in
                try await keeper.signOut(signOut) {
                    // Before the drain, so that nothing is claimed after it.
                    dispatcher.sessionChanged(await keeper.snapshot)
                    await dispatcher.drain(backend: name)
                }
            }
        } catch {
            throw Problem(error, at: name, commands(for: name))
        }
        await spool.accountMayHaveChanged()
        return SignOutReport(
            backend: name, local: "cleared", server: outcome.server.name, serverReason: outcome.server.reason,
            email: outcome.account?.label, waiting: try await unsent(outcome.account.map { Destination(backend: name, account: $0.id) }),
            discarded: outcome.discarded > 0 ? outcome.discarded : nil)
    }

    /// Entries neither delivered nor discarded.
    func undelivered(_ destination: Destination) async throws -> Int {
        try await outbox.tallies().undelivered(destination)
    }

    func facts(_ requester: Requester?, _ backend: String, _ account: AccountID?) -> Logger.Metadata {
        var facts: Logger.Metadata = ["backend": "\(backend)"]
        if let account { facts["account"] = "\(account)" }
        if let requester { facts.merge(["uid": "\(requester.uid)", "pid": "\(requester.pid)"]) { _, new in new } }
        return facts
    }

    /// Entries pending or in flight.
    private func unsent(_ destination: Destination?) async throws -> Int {
        try await outbox.tallies().unsent(destination)
    }
}

extension Caller {
    /// Dropping entries needs an administrator; for others they are held (DroppingAtSignOut).
    var mayDestroy: Bool { access >= .administer }
}

extension Requester {
    init(_ peer: Peer) { self.init(uid: peer.uid, pid: peer.pid, name: UserName(peer.uid).short) }
}
