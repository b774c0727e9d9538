import Glibc
import Synchronization

/// Limits log lines for a user's refused and failed calls to ten a minute.
final class AuditThrottle: Sendable {
    private struct Window {
        var start: ContinuousClock.Instant
        var logged = 0
        var suppressed = 0
    }

    private static let length = Duration.seconds(60)
    private static let most = 10
    private let windows = Mutex<[uid_t: Window]>([:])

    /// The number of lines suppressed before; nil to suppress this one too.
    func allow(_ uid: uid_t, at now: ContinuousClock.Instant) -> Int? {
        windows.withLock { windows in
            var window = windows[uid] ?? Window(start: now)
            defer { windows[uid] = window }
            if now - window.start >= Self.length { window = Window(start: now, suppressed: window.suppressed) }
            guard window.logged < Self.most else {
                window.suppressed += 1
                return nil
            }
            window.logged += 1
            defer { window.suppressed = 0 }
            return window.suppressed
        }
    }
}
