import Capture
import Delivery
import Outbox
import Roster
import ServiceLifecycle

/// Delivers until shutdown, then hands back in-flight entries.
struct DispatcherService: Service {
    let dispatcher: Dispatcher

    func run() async throws {
        try await withGracefulShutdownHandler {
            try await dispatcher.run()
            // `Daemon.stop` stops the dispatcher early; the group would treat an early return as a failure.
            try await gracefulShutdown()
        } onGracefulShutdown: {
            dispatcher.stop()
        }
    }
}

/// Reads the lists of the signed-in accounts until shutdown.
struct RosterService: Service {
    let rosters: RosterKeeper

    func run() async throws {
        try await withGracefulShutdownHandler {
            await rosters.run()
            // As for the dispatcher.
            try await gracefulShutdown()
        } onGracefulShutdown: {
            rosters.stop()
        }
    }
}

struct SpoolService: Service {
    let spool: Spool

    func run() async {
        await cancelWhenGracefulShutdown { await spool.run() }
    }
}

/// Runs `work` until graceful shutdown, which cancels it.
func untilShutdown(_ work: @escaping @Sendable () async throws -> Void) async {
    // `try?`: work throws only when it is cancelled.
    try? await cancelWhenGracefulShutdown(work)
}
