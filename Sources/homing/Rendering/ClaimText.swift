import ControlAPI

enum ClaimText {
    /// `pause` is a note that sending is paused.
    static func claimed(_ report: ClaimReport, pause: String? = nil) -> String {
        let account = (report.email ?? report.account).printable
        guard report.files > 0 else { return "No files are waiting to be claimed." }
        let files = Words.count(report.files, "file", "files")
        let them = report.files == 1 ? "it" : "them"
        let then = pause.map { "Homing does not send \(them) yet. \($0)" }
        return "Claimed \(files) for \(account). "
            + (then ?? "Homing sends \(them) automatically. To see the progress, run: homing status")
    }

    /// The note about unclaimed files; nil if the backend has none.
    static func question(_ status: Status, at backend: String) -> String? {
        notice(status).flatMap { $0.backend == backend ? "\($0.text) \($0.next)".printable : nil }
    }

    /// The notice about files that the signed-in account can claim; nil for none.
    static func notice(_ status: Status) -> Attention? { status.attention.first { $0.knownCode == .unclaimedFiles } }

    /// The files of `notice` and the account that would own them.
    static func before(_ notice: Attention, _ status: Status) -> String {
        let count = notice.facts?.count ?? status.spool?.unclaimed ?? 0
        let (files, isOne) = (Words.count(count, "file", "files"), count == 1)
        let owner = (notice.facts?.account ?? "the signed-in account") + (notice.backend.map { " at \($0)" } ?? "")
        let folder = status.spool.map { "\($0.directory)/unclaimed" } ?? "the folder ‘unclaimed’ of the drop folder"
        return """
            \(files) \(isOne ? "was" : "were") dropped while signed out, and \(isOne ? "is" : "are") in \(folder).
            \(isOne ? "It" : "They") will belong to \(owner), and Homing sends \(isOne ? "it" : "them"). This cannot be undone.
            """.printableLines
    }
}
