import Synchronization

/// When the dashboard was last used, and how many pages are open.
package final class Usage: Sendable {
    private let state: Mutex<(last: ContinuousClock.Instant, pages: Int)>
    private let now: @Sendable () -> ContinuousClock.Instant

    package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
        state = Mutex((now(), 0))
    }

    package func touch() { state.withLock { $0.last = now() } }
    package func open() { state.withLock { $0.pages += 1 } }
    package func close() { state.withLock { ($0.last, $0.pages) = (now(), $0.pages - 1) } }

    /// The time until it has been unused for `limit`; nil if it has. An open page counts as use.
    package func remaining(of limit: Duration) -> Duration? {
        state.withLock { state in
            if state.pages > 0 { return limit }
            let left = limit - (now() - state.last)
            return left > .zero ? left : nil
        }
    }
}
