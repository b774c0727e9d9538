/// systemd's view of the service: with socket activation, a connection succeeds even if no daemon will answer.
package struct ServiceState: Sendable, Equatable {
    /// E.g. `active`, `activating`, `inactive` or `failed`.
    package let active: String
    /// E.g. `running`, `auto-restart` or `dead`.
    package let sub: String
    /// E.g. `success`, `exit-code` or `oom-kill`.
    package let result: String
    package let restarts: Int
    /// The service starts with the computer; true if unknown.
    package let isEnabled: Bool

    /// Parses lines such as `ActiveState=failed`; nil if one is missing.
    package init?(_ properties: String) {
        let pairs = properties.split(separator: "\n").compactMap { line -> (String, String)? in
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }
        let values = Dictionary(pairs) { _, last in last }
        guard let active = values["ActiveState"], let sub = values["SubState"], let result = values["Result"],
            let restarts = values["NRestarts"].flatMap({ Int($0) })
        else { return nil }
        (self.active, self.sub, self.result, self.restarts) = (active, sub, result, restarts)
        isEnabled = values["UnitFileState"].map { $0.hasPrefix("enabled") } ?? true
    }

    /// Why no daemon will answer soon; nil while it runs or starts.
    package var problem: Problem? {
        let reason = result == "success" ? "" : " (\(result))"
        let (detail, next): (String, String)
        let start = ServiceStart.command(isEnabled: isEnabled)
        switch (active, sub) {
        case ("activating", "auto-restart"), ("activating", "auto-restart-queued"):
            detail =
                restarts > 0
                ? "The service homingd keeps exiting\(reason); systemd has restarted it \(restarts) times and will try again."
                : "The service homingd has exited\(reason); systemd will start it again."
            next = "To see why, run: journalctl -u homingd -n 20"
        case ("failed", _):
            detail = "The service homingd has failed\(reason) and is not running."
            next = "To see why, run: journalctl -u homingd -n 20\nTo start it, run: \(start)"
        case ("inactive", _):
            detail = "The service homingd is stopped."
            next = "To start it, run: \(start)"
        default: return nil
        }
        return Problem(.daemonNotRunning, status: 503, title: "The daemon is not running", detail: detail, next: next)
    }

    /// Asks systemctl; nil after two seconds without an answer.
    @Sendable static func current() async -> ServiceState? {
        let properties = ["show", "homingd.service", "--property=ActiveState,SubState,Result,NRestarts,UnitFileState"]
        guard let outcome = await SystemProgram.run("/usr/bin/systemctl", properties), outcome.code == 0 else { return nil }
        return ServiceState(outcome.text)
    }
}
