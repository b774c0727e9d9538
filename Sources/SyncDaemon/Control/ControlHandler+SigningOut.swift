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
            mayDiscard: caller.mayDestroy, keepData: request.keepData)
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
            email: outcome.account?.label,
            waiting: try await outbox.tallies().unsent(outcome.account.map { Destination(backend: name, account: $0.id) }),
            discarded: outcome.discarded > 0 ? outcome.discarded : nil, dataKept: outcome.keptData ? true : nil,
            owedUntil: outcome.owedUntil)
    }
}
