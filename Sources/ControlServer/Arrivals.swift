import Synchronization

/// Hands accepted connections to the server task and drops none, even on cancellation: an unconsumed NIOAsyncChannel crashes the process
/// (swift-nio 2637, 2813), and NIO's and Swift's streams can drop elements.
final class Arrivals<Element: Sendable>: Sendable {
    private struct State {
        var arrived: [Element] = []
        /// Announced but not yet arrived.
        var expected = 0
        var isClosed = false
        var reader: CheckedContinuation<Element?, Never>?
    }
    private let state = Mutex(State())

    /// Announces a connection, for which `arrived` must be called; false once closed.
    func announce() -> Bool {
        state.withLock { state in
            if !state.isClosed { state.expected += 1 }
            return !state.isClosed
        }
    }

    /// - Parameter element: the announced connection; nil if its setup failed.
    func arrived(_ element: Element?) {
        change { state in
            state.expected -= 1
            if let element { state.arrived.append(element) }
        }
    }

    /// Rejects new announcements; announced connections still arrive.
    func close() { change { $0.isClosed = true } }

    /// The next connection in order; nil when closed and drained. One reader only.
    func next() async -> Element? {
        await withCheckedContinuation { reader in change { $0.reader = reader } }
    }

    private func change(_ change: (inout State) -> Void) {
        let handed = state.withLock { state -> (CheckedContinuation<Element?, Never>, Element?)? in
            change(&state)
            guard let reader = state.reader else { return nil }
            guard !state.arrived.isEmpty || (state.isClosed && state.expected == 0) else { return nil }
            state.reader = nil
            return (reader, state.arrived.isEmpty ? nil : state.arrived.removeFirst())
        }
        if let (reader, element) = handed { reader.resume(returning: element) }
    }
}
