import Glibc
import Synchronization

/// Bounds what a user's refused and failed calls may write: ten a minute, whatever the loop.
final class AuditThrottle: Sendable {
    enum Decision: Equatable {
        /// To be told, after so many of this user that were not.
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
