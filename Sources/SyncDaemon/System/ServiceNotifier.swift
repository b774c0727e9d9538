import Dispatch

/// Tells the service manager how we are (sd_notify(3)).
package struct ServiceNotifier: Sendable {
    private let socket: DatagramSocket

    /// Nil where no service manager asks (`NOTIFY_SOCKET`).
    package init?(environment: [String: String]) {
        guard let name = environment["NOTIFY_SOCKET"], let socket = DatagramSocket(to: name) else { return nil }
        self.socket = socket
    }

    enum State: Sendable, Equatable {
        /// Calls are answered, by the newest configuration that is good.
        case ready
        /// The configuration is being read again; `ready` ends it.
        case reloading(since: DispatchTime)
        case stopping
        /// One plain sentence.
        case status(String)
        case watchdog
        /// Starting, or stopping, may take so much longer.
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
        // `try?`: a service manager that is not there cannot be told, and what it should do then is its own matter.
        try? socket.send(text.utf8)
    }
}
