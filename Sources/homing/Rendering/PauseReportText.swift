import ControlAPI

/// What pausing and resuming came to.
struct PauseReportText {
    let times: TimeText

    func paused(_ list: PauseList) -> String {
        guard let first = list.pauses.first else { return "No backend is configured, so there is nothing to pause." }
        let end = first.until.map { "until \(times.clock($0))" } ?? "until ‘homing resume’"
        var lines = ["Sending to \(Words.list(list.pauses.map(\.backend))) is paused \(end). What is captured meanwhile is kept safe here."]
        if list.inflight > 0 {
            lines.append("\(Words.entries(list.inflight).capitalisedFirst) being sent at this moment will be finished.")
        }
        return lines.joined(separator: "\n").printableLines
    }

    static func resumed(_ list: PauseList, backend: String?) -> String {
        guard !list.pauses.isEmpty else { return "Nothing was paused\(backend.map { " at \($0)" } ?? ""): sending goes on." }
        return "Sending to \(Words.list(list.pauses.map(\.backend))) goes on."
    }
}

extension String {
    /// As `printable`, but with its line breaks.
    var printableLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\n")
    }
}
