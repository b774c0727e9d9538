import Logging
import ServiceLifecycle
import UnixSignals

extension Sandbox: Service {
    /// Runs a started sandbox until the process is to end, and then ends it at once.
    package func run() async throws {
        // Being cancelled is one of the two ways to end.
        try? await gracefulShutdown()
        await stop()
    }
}

extension Sandbox {
    /// Runs a started sandbox until SIGTERM or SIGINT.
    package func runUntilSignalled() async throws {
        let group = ServiceGroup(
            services: [self], gracefulShutdownSignals: [.sigterm, .sigint],
            logger: Logger(label: "sandbox") { _ in SwiftLogNoOpLogHandler() })
        try await group.run()
    }
}
