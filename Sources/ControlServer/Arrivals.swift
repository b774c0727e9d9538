import Synchronization

/// Hands accepted connections from the event loops to the one that serves them, and drops none, whoever is cancelled: a NIOAsyncChannel that
/// nobody takes ends the process (swift-nio issues 2637 and 2813), which the streams of NIO and of Swift let happen.
final class Arrivals<Element: Sendable>: Sendable {
    private struct State {
        var arrived: [Element] = []
        /// Announced, and not arrived yet.
        var expected = 0
        var isClosed = false
        var reader: CheckedContinuation<Element?, Never>?
    }
    private let state = Mutex(State())

    /// Says that one is coming, for which `arrived` must be called; false where none is taken any more.
    func announce() -> Bool {
        state.withLock { state in
            if !state.isClosed { state.expected += 1 }
            return !state.isClosed
        }
    }

    /// - Parameter element: what was announced; nil where it does not come after all.
    func arrived(_ element: Element?) {
        change { state in
            state.expected -= 1
            if let element { state.arrived.append(element) }
        }
    }

    /// None is announced from now on; what was announced still comes.
    func close() { change { $0.isClosed = true } }

    /// The next one, in order; nil once it is closed and all have been handed out. For one reader.
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
