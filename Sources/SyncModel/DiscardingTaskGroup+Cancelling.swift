/// Cancels one child task by finishing.
package typealias CancellationToken = AsyncStream<Void>.Continuation

extension DiscardingTaskGroup {
    package mutating func addCancellableTask(_ work: @escaping @Sendable () async -> Void) -> CancellationToken {
        let (cancellation, token) = AsyncStream.makeStream(of: Void.self)
        addTask {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    await work()
                    token.finish()
                }
                for await _ in cancellation {}
                group.cancelAll()
            }
        }
        return token
    }
}
