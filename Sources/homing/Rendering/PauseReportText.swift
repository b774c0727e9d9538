import ControlAPI

struct PauseReportText {
    let times: TimeText

    func paused(_ list: PauseList) -> String {
        guard let first = list.pauses.first else { return "No backend is configured, so there is nothing to pause." }
        let end = first.until.map { "until \(times.clock($0))" } ?? "until you run ‘homing resume’"
        var lines = [
            "Sending to \(list.pauses.map(\.backend).inWords) is paused \(end). Homing still accepts captures and keeps them safe."
        ]
        if list.inflight > 0 {
            lines.append("\(Words.entries(list.inflight).capitalisedFirst) already being sent will be finished.")
        }
        return lines.joined(separator: "\n").printableLines
    }

    /// Who paused `backend`, and the command that ends the pause; nil if it is not paused.
    static func present(at backend: String, _ status: Status) -> String? {
        guard let report = status.backends.first(where: { $0.name == backend }), report.knownGate == .paused else { return nil }
        let resume = "homing resume\(status.backends.count > 1 ? " --backend \(backend)" : "")"
        return "\(report.gateReason ?? "Sending is paused.") To end the pause, run: \(resume)".printable
    }

    /// - Parameter status: the status of the selected backends after resuming.
    static func resumed(_ list: PauseList, backend: String?, _ status: Status) -> String {
        let resumed = status.backends.filter { report in list.pauses.isEmpty || list.pauses.contains { $0.backend == report.name } }
        let closed = resumed.filter { $0.knownGate == .signInRequired }
        let goesOn = closed.isEmpty || closed.count < resumed.count
        let what =
            list.pauses.isEmpty
            ? "Sending\(backend.map { " to \($0)" } ?? "") was not paused\(goesOn ? "; it continues" : "")."
            : "Sending to \(list.pauses.map(\.backend).inWords) \(goesOn ? "has resumed" : "is no longer paused")."
        let lines = closed.map { "Nothing is sent to \($0.name) until an account signs in. To sign in, run: \(SyncText.signInCommand($0))" }
        return ([what] + lines).joined(separator: "\n").printableLines
    }
}

extension String {
    /// Like `printable`, but keeps line breaks.
    var printableLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\n")
    }
}
