import NIOCore

extension Channel {
    /// Runs `work`, and cancels it if the connection closes first: then no client waits for the answer.
    func whileOpen<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let (closings, closing) = AsyncStream.makeStream(of: Void.self)
        closeFuture.whenComplete { _ in closing.finish() }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                for await _ in closings {}
                return nil
            }
            defer { group.cancelAll() }
            while let result = try await group.next() {
                if let value = result { return value }
                group.cancelAll()
            }
            throw CancellationError()
        }
    }
}
