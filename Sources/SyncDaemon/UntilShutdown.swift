import ServiceLifecycle

/// Runs `work` until graceful shutdown, which cancels it.
func untilShutdown(_ work: @escaping @Sendable () async throws -> Void) async {
    // `try?`: work throws only when it is cancelled.
    try? await cancelWhenGracefulShutdown(work)
}

/// Runs `work` until graceful shutdown, which calls `stop`.
func untilShutdown(_ work: @escaping @Sendable () async throws -> Void, stop: @escaping @Sendable () -> Void) async throws {
    try await withGracefulShutdownHandler {
        try await work()
        // `Daemon.stop` stops the dispatcher early; the group would take an early return for a failure.
        try await gracefulShutdown()
    } onGracefulShutdown: {
        stop()
    }
}
