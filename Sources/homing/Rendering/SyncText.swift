import ControlAPI

enum SyncText {
    static func report(_ report: SyncReport) -> String {
        guard report.waiting > 0 else {
            let others = report.others.map {
                "\(Words.entriesWait($0)) for \($0 == 1 ? "an account that is" : "accounts that are") not signed in."
            }
            let lines = [others ?? "No entries are waiting to be sent.", report.obstacle?.printableLines]
            return lines.compactMap(\.self).joined(separator: "\n")
        }
        let waiting = "\(Words.entriesWait(report.waiting)) to be sent."
        guard let obstacle = report.obstacle else {
            return "\(waiting) Sending has started. To wait until the queue is empty, run: homing sync --wait"
        }
        return "\(waiting)\n\(obstacle.printableLines)"
    }

    /// `12 of 15 delivered, 3 waiting…`, and the obstacle, if any.
    static func progress(_ progress: SyncProgress) -> String {
        var parts = ["\(progress.delivered) of \(progress.total) delivered"]
        if progress.dead > 0 { parts.append("\(progress.dead) failed") }
        if progress.held > 0 { parts.append("\(progress.held) on hold") }
        parts.append("\(progress.waiting) waiting…")
        return parts.joined(separator: ", ") + (progress.obstacle.map { " \($0.printable)" } ?? "")
    }

    static func outcome(_ progress: SyncProgress) -> String {
        var lines = progress.delivered > 0 ? ["\(Words.entries(progress.delivered)) delivered."] : []
        let stuck = progress.dead + progress.held
        if stuck > 0 {
            lines.append("\(Words.entries(stuck)) failed or \(stuck == 1 ? "is" : "are") on hold.")
            if progress.dead > 0 { lines.append("To list the failed entries, run: homing list --state failed") }
            if progress.held > 0 { lines.append("To list the entries on hold, run: homing list --state held") }
        }
        if progress.blocked > 0 {
            lines.append("\(Words.entriesWait(progress.blocked)) behind one that needs your decision. To see why, run: homing why ID")
        }
        lines += progress.reportsToSignInAt.map {
            "At \($0.name), \(($0.awaited ?? "an account").printable) must sign in first. To sign in, run: \(signInCommand($0).printable)"
        }
        let isOneOfSeveral = progress.now.backends.count > 1
        lines += progress.paused.map {
            "Sending to \($0) is paused. To resume, run: homing resume\(isOneOfSeveral ? " --backend \($0)" : "")"
        }
        return (lines + [progress.now.only(progress.backend).sentence.printable]).joined(separator: "\n")
    }

    static func signInCommand(_ report: BackendReport) -> String { report.signInCommand ?? "homing login --backend \(report.name)" }

    /// `sentence` is the status.
    static func outOfTime(seconds: Int, _ sentence: String) -> Problem {
        Problem(
            .timeout, status: 504, title: "Time limit reached",
            detail: "Not everything was delivered within \(Words.count(seconds, "second", "seconds")). \(sentence)",
            next: "Homing continues to send in the background. To check later, run: homing status")
    }
}
