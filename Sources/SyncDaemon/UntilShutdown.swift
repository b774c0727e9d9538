import ServiceLifecycle

/// Runs `work` until graceful shutdown, which cancels it.
func untilShutdown(_ work: @escaping @Sendable () async throws -> Void) async {
    // `try?`: work throws only when it is cancelled.
    try? await cancelWhenGracefulShutdown(work)
}
