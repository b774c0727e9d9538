import Synchronization

/// Notifies any number of listeners of changes.
package final class Signal: Sendable {
    private let listeners = Mutex<(next: Int, all: [Int: AsyncStream<Void>.Continuation])>((0, [:]))

    package init() {}

    /// Yields after every `send`; for a busy listener, several become one.
    package func listen() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = listeners.withLock { listeners in
            listeners.next += 1
            listeners.all[listeners.next] = continuation
            return listeners.next
        }
        continuation.onTermination = { [weak self] _ in self?.listeners.withLock { $0.all[number] = nil } }
        return stream
    }

    package func send() {
        for listener in listeners.withLock({ Array($0.all.values) }) { listener.yield() }
    }
}
