import Delivery
import Glibc
import ServiceLifecycle

/// Sends keep-alives while the dispatcher's loop responds; otherwise the service manager restarts the process (sd_watchdog_enabled(3)).
struct Watchdog: Service {
    let dispatcher: Dispatcher
    let notifier: ServiceNotifier
    let interval: Duration

    /// Half of the watchdog timeout; nil if it is off or meant for another process.
    static func interval(environment: [String: String], pid: pid_t = getpid()) -> Duration? {
        guard let limit = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }), limit > 1 else { return nil }
        if let asked = environment["WATCHDOG_PID"], asked != String(pid) { return nil }
        return .microseconds(limit / 2)
    }

    func run() async throws {
        await untilShutdown {
            while true {
                if await dispatcher.echo() { notifier.tell(.watchdog) }
                try await Task.sleep(for: interval, clock: .continuous)
            }
        }
    }
}
