import Synchronization

final class DaemonEnding: Sendable {
    enum Kind: Comparable {
        case none
        case retire
        case stop
    }

    /// Yields when the services must shut down.
    let requests: AsyncStream<Void>
    private let post: AsyncStream<Void>.Continuation
    private let current = Mutex(Kind.none)
    private let stopping = Mutex<ContinuousClock.Instant?>(nil)

    init() { (requests, post) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    var kind: Kind { current.withLock(\.self) }

    /// Nil without a stop.
    var stoppedAt: ContinuousClock.Instant? { stopping.withLock(\.self) }

    /// A stop is final.
    func begin(_ kind: Kind) {
        if kind == .stop { stopping.withLock { $0 = $0 ?? .now } }
        current.withLock { $0 = max($0, kind) }
    }

    func request() { post.yield() }
}
