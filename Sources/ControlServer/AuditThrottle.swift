import Glibc
import Synchronization

/// Limits log lines for a user's refused and failed calls to ten a minute.
final class AuditThrottle: Sendable {
    enum Decision: Equatable {
        /// Log it, with the number of this user's suppressed lines.
        case told(untold: Int)
        case untold
    }

    private struct Window {
        var start: ContinuousClock.Instant
        var told = 0
        var untold = 0
    }

    private static let length = Duration.seconds(60)
    private static let most = 10
    private let windows = Mutex<[uid_t: Window]>([:])

    func allow(_ uid: uid_t, at now: ContinuousClock.Instant) -> Decision {
        windows.withLock { windows in
            var window = windows[uid] ?? Window(start: now)
            defer { windows[uid] = window }
            if now - window.start >= Self.length { window = Window(start: now, untold: window.untold) }
            guard window.told < Self.most else {
                window.untold += 1
                return .untold
            }
            window.told += 1
            defer { window.untold = 0 }
            return .told(untold: window.untold)
        }
    }
}
