import Delivery
import Outbox
import ServiceLifecycle

/// Delivers until shutdown, then hands back in-flight entries.
struct DispatcherService: Service {
    let dispatcher: Dispatcher

    func run() async throws {
        try await withGracefulShutdownHandler {
            try await dispatcher.run()
            // `Daemon.stop` stops the dispatcher early; the group would take an early return for a failure.
            try await gracefulShutdown()
        } onGracefulShutdown: {
            dispatcher.stop()
        }
    }
}
