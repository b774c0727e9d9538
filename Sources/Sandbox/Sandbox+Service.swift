import Logging
import ServiceLifecycle
import UnixSignals

extension Sandbox: Service {
    /// Runs a started sandbox until a graceful shutdown or cancellation, then stops it at once.
    package func run() async throws {
        // Throws only on cancellation, which also ends the run.
        try? await gracefulShutdown()
        await stop()
    }
}

extension Sandbox {
    package func runUntilSignalled() async throws {
        let group = ServiceGroup(
            services: [self], gracefulShutdownSignals: [.sigterm, .sigint],
            logger: Logger(label: "sandbox") { _ in SwiftLogNoOpLogHandler() })
        try await group.run()
    }
}
