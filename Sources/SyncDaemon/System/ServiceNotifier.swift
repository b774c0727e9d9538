import Dispatch

/// Reports the daemon's state to the service manager (sd_notify(3)).
package struct ServiceNotifier: Sendable {
    private let socket: DatagramSocket

    /// Nil without `NOTIFY_SOCKET`.
    package init?(environment: [String: String]) {
        guard let name = environment["NOTIFY_SOCKET"], let socket = DatagramSocket(to: name) else { return nil }
        self.socket = socket
    }

    enum State: Sendable, Equatable {
        /// Calls are answered, with the newest valid configuration.
        case ready
        /// Reading the configuration; `ready` ends it.
        case reloading(since: DispatchTime)
        case stopping
        /// One sentence.
        case status(String)
        case watchdog
        /// Extends the start or stop timeout.
        case busy(for: Duration)

        var line: String {
            switch self {
            case .ready: "READY=1"
            case .reloading(let time): "RELOADING=1\nMONOTONIC_USEC=\(time.uptimeNanoseconds / 1000)"
            case .stopping: "STOPPING=1"
            case .status(let sentence): "STATUS=" + sentence.map { $0.isNewline ? " " : String($0) }.joined()
            case .watchdog: "WATCHDOG=1"
            case .busy(let time): "EXTEND_TIMEOUT_USEC=\(Int64(time / .microseconds(1)))"
            }
        }
    }

    func tell(_ states: State...) {
        let text = states.map(\.line).joined(separator: "\n")
        // `try?`: without a listening service manager there is nothing to do.
        try? socket.send(text.utf8)
    }
}
