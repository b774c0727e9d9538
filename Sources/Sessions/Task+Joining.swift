extension Task where Failure == Never {
    /// The task's value; nil as soon as the caller is cancelled. The task itself goes on.
    func joined() async -> Success? {
        let (values, continuation) = AsyncStream.makeStream(of: Success.self)
        // Unstructured: a child would keep a cancelled parent waiting.
        Task<Void, Never> {
            continuation.yield(await value)
            continuation.finish()
        }
        return await values.first { _ in true }
    }
}
