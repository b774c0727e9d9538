import Delivery
import Glibc
import ServiceLifecycle

/// Tells the service manager that delivery is alive, as long as the dispatcher's loop comes round: a loop that hangs is noticed, and the service
/// manager ends the process and starts another (sd_watchdog_enabled(3)).
struct Watchdog: Service {
    let dispatcher: Dispatcher
    let notifier: ServiceNotifier
    let interval: Duration

    /// Half the time after which the service manager takes us for dead; nil where it does not ask for signs of life, or asks another process.
    static func interval(environment: [String: String], pid: pid_t = getpid()) -> Duration? {
        guard let limit = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }), limit > 1 else { return nil }
        if let asked = environment["WATCHDOG_PID"], asked != String(pid) { return nil }
        return .microseconds(limit / 2)
    }

    func run() async throws {
        try? await cancelWhenGracefulShutdown {  // `try?`: cancelled while asleep, that is how this ends
            while true {
                if await dispatcher.echo() { notifier.tell(.watchdog) }
                try await Task.sleep(for: interval, clock: .continuous)
            }
        }
    }
}
