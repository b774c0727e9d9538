import ControlAPI

enum ClaimText {
    static func claimed(_ report: ClaimReport) -> String {
        let account = (report.email ?? report.account).printable
        guard report.files > 0 else { return "No files are waiting to be claimed." }
        let files = Words.count(report.files, "file", "files")
        return
            "Claimed \(files) for \(account). Homing sends \(report.files == 1 ? "it" : "them") automatically. To see the progress, run: homing status"
    }

    /// The note about unclaimed files; nil if the backend has none.
    static func question(_ status: Status, at backend: String) -> String? {
        status.attention.first { $0.knownCode == .unclaimedFiles && $0.backend == backend }.map { "\($0.text) \($0.next)".printable }
    }
}
