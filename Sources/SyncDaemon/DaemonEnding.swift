import Synchronization

/// How a daemon is told to end.
final class DaemonEnding: Sendable {
    enum Kind: Comparable {
        case none
        /// Another daemon takes its place.
        case retire
        case stop
    }

    /// Yields when the services are to be shut down.
    let requests: AsyncStream<Void>
    private let post: AsyncStream<Void>.Continuation
    private let current = Mutex(Kind.none)
    private let stopping = Mutex<ContinuousClock.Instant?>(nil)

    init() { (requests, post) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    var kind: Kind { current.withLock(\.self) }

    /// When the stop began; nil where there was none.
    var stoppedAt: ContinuousClock.Instant? { stopping.withLock(\.self) }

    /// A stop is never taken back.
    func begin(_ kind: Kind) {
        if kind == .stop { stopping.withLock { $0 = $0 ?? .now } }
        current.withLock { $0 = max($0, kind) }
    }

    func request() { post.yield() }
}
