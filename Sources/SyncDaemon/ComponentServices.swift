import Capture
import Delivery
import Outbox
import Roster
import ServiceLifecycle

/// Delivers until shutdown, then hands back in-flight entries.
struct DispatcherService: Service {
    let dispatcher: Dispatcher

    func run() async throws {
        try await untilShutdown({ try await dispatcher.run() }, stop: { dispatcher.stop() })
    }
}

/// Reads the lists of the signed-in accounts until shutdown.
struct RosterService: Service {
    let rosters: RosterKeeper

    func run() async throws {
        try await untilShutdown({ await rosters.run() }, stop: { rosters.stop() })
    }
}

/// Watches the drop folder until shutdown.
struct SpoolService: Service {
    let spool: Spool

    func run() async { await untilShutdown { await spool.run() } }
}
