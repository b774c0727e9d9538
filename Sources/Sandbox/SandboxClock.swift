import Foundation
import Synchronization

/// The clock of one sandbox; tests and the control URL can move it forward.
package final class SandboxClock: Sendable {
    private let base: @Sendable () -> Date
    private let offset = Mutex<TimeInterval>(0)

    package init(base: @escaping @Sendable () -> Date = { Date() }) { self.base = base }

    package var now: Date { base().addingTimeInterval(offset.withLock { $0 }) }

    /// Moves the clock forward, for session lifetimes, locks and remember tokens.
    package func advance(by duration: Duration) {
        offset.withLock { $0 += duration.seconds }
    }
}

extension Duration {
    package var seconds: TimeInterval {
        TimeInterval(components.seconds) + TimeInterval(components.attoseconds) / 1e18
    }
}
