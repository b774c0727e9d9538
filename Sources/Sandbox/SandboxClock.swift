import Foundation
import Synchronization

/// The wall clock of one sandbox, which a test or the control URL can move forward.
package final class SandboxClock: Sendable {
    private let base: @Sendable () -> Date
    private let offset = Mutex<TimeInterval>(0)

    /// A clock that runs with `base`.
    package init(base: @escaping @Sendable () -> Date = { Date() }) { self.base = base }

    /// The time that the imitated backend believes it is.
    package var now: Date { base().addingTimeInterval(offset.withLock { $0 }) }

    /// Lets time pass for sessions, locks and remember tokens.
    package func advance(by duration: Duration) {
        offset.withLock { $0 += duration.seconds }
    }
}

extension Duration {
    /// The duration in seconds.
    package var seconds: TimeInterval {
        TimeInterval(components.seconds) + TimeInterval(components.attoseconds) / 1e18
    }
}
