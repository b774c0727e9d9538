import Synchronization

/// When the dashboard was last used, and how many pages are open.
final class Usage: Sendable {
    private let state: Mutex<(last: ContinuousClock.Instant, pages: Int)>
    private let now: @Sendable () -> ContinuousClock.Instant

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
        state = Mutex((now(), 0))
    }

    func touch() { state.withLock { $0.last = now() } }
    func open() { state.withLock { $0.pages += 1 } }
    func close() { state.withLock { ($0.last, $0.pages) = (now(), $0.pages - 1) } }

    /// The time until it has been unused for `limit`; nil if it has. An open page counts as use.
    func remaining(of limit: Duration) -> Duration? {
        state.withLock { state in
            if state.pages > 0 { return limit }
            let left = limit - (now() - state.last)
            return left > .zero ? left : nil
        }
    }
}
