import Backends
import Capture
import Delivery
import Foundation
import Logging
import Outbox
import Roster
import ServiceLifecycle
import Sessions
import SyncModel

/// Forwards session changes, keeps idle sessions alive, and repeats owed sign-outs.
struct SessionWatch: Service {
    let keepers: [SessionKeeper]
    let outbox: Outbox
    let dispatcher: Dispatcher
    let rosters: RosterKeeper
    let spool: Spool
    let clock: any SyncClock
    let log: Logger

    func run() async throws {
        await withTaskGroup { group in
            for keeper in keepers {
                let changes = keeper.changes.cancelOnGracefulShutdown()
                group.addTask {
                    // An earlier run may have ended before marking them.
                    let snapshot = await keeper.snapshot
                    if let since = snapshot.unverifiedSince, let account = snapshot.account {
                        await markUnverified(Destination(backend: keeper.backend.name, account: account.id), since: since)
                    }
                    for await snapshot in changes { await forward(snapshot) }
                }
                group.addTask { await untilShutdown { try await repeatOwedSignOuts(keeper) } }
                if keeper.backend.keepsAlive {
                    group.addTask { await untilShutdown { try await keepAlive(keeper) } }
                }
            }
        }
    }

    /// Wakes between every five minutes and every hour: a session may begin, or the clock may change.
    private func keepAlive(_ keeper: SessionKeeper) async throws {
        while true {
            let now = clock.now
            let due = await keeper.nextKeepalive ?? .distantFuture
            try await clock.sleep(from: now, until: min(max(due, now.addingTimeInterval(300)), now.addingTimeInterval(3600)))
            if let failure = await keeper.keepAlive() {
                log.warning(
                    "An idle session could not be renewed; will retry within the hour",
                    metadata: ["backend": "\(keeper.backend.name)", "reason": "\(failure.message)"])
            }
        }
    }

    private func repeatOwedSignOuts(_ keeper: SessionKeeper) async throws {
        while true {
            // Before the round, so that no news is missed.
            let news = keeper.owedNews.listen()
            let next = await keeper.repeatOwedSignOuts()
            _ = try await clock.isReached(next, from: clock.now, unless: news)
        }
    }

    /// Drains first, so that receipts of entries being sent are included.
    private func markUnverified(_ destination: Destination, since: Date) async {
        await dispatcher.drain(backend: destination.backend)
        do throws(OutboxError) {
            let count = try await outbox.markUnverified(destination, since: since, at: clock.now)
            guard count > 0 else { return }
            log.error(
                "The server answered as another account; receipts are marked as unverified",
                metadata: ["backend": "\(destination.backend)", "account": "\(destination.account)", "receipts": "\(count)"])
        } catch {
            log.error("Receipts could not be marked as unverified", metadata: ["error": "\(error)"])
        }
    }

    private func forward(_ snapshot: SessionSnapshot) async {
        dispatcher.sessionChanged(snapshot)
        rosters.sessionChanged(snapshot)
        if let since = snapshot.unverifiedSince, let account = snapshot.account {
            await markUnverified(Destination(backend: snapshot.backend, account: account.id), since: since)
        }
        switch snapshot.state {
        case .signedIn, .signedOut, .signingOut: spool.look()
        case .signInRequired: break
        }
    }
}
