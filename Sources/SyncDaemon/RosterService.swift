import Roster
import ServiceLifecycle

/// Reads the lists of the signed-in accounts until shutdown.
struct RosterService: Service {
    let rosters: RosterKeeper

    func run() async throws {
        try await withGracefulShutdownHandler {
            await rosters.run()
            // As for `DispatcherService`.
            try await gracefulShutdown()
        } onGracefulShutdown: {
            rosters.stop()
        }
    }
}
