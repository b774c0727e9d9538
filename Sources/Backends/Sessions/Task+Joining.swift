extension Task where Failure == Never {
    /// The task's value, or nil as soon as the caller is cancelled. The task itself goes on: a renewal that has begun must land.
    func joined() async -> Success? {
        let (values, continuation) = AsyncStream.makeStream(of: Success.self)
        // Unstructured, because a child would hold its parent until the very end that the parent no longer waits for.
        Task<Void, Never> {
            continuation.yield(await value)
            continuation.finish()
        }
        return await values.first { _ in true }
    }
}
