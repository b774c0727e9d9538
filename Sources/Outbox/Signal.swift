import Synchronization

/// Tells any number of listeners that something has changed; a listener that is busy is told once when it looks again.
package final class Signal: Sendable {
    private let listeners = Mutex<(next: Int, all: [Int: AsyncStream<Void>.Continuation])>((0, [:]))

    package init() {}

    /// A stream that yields after every `send`, coalesced; it ends when the listener stops listening.
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
