import ControlAPI

struct EventText {
    let times: TimeText

    /// `14:05:33  delivered       3f2a91c04b7d  breathesafe  status=201`.
    func line(_ event: Event) -> String {
        let facts = event.detail.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        // The account id is only useful for session events without an email address.
        let isAboutAPerson = event.entry == nil && event.detail["email"] == nil
        let account = isAboutAPerson ? event.account.map { "account=\($0)" } : nil
        let subject = event.subject.map { "for \($0.text)" }
        let parts = [event.entry.map(EntryText.shortID), subject, event.backend, account] + facts.map(Optional.some)
        return ([times.precise(event.at), event.kind.padded(toColumns: 14)] + parts.compactMap(\.self)).joined(separator: "  ").printable
    }

    static func streamCut(after cursor: Int64) -> Problem {
        Problem(
            .daemonNotRunning, status: 503, title: "The event stream has ended",
            detail: "The event stream from the daemon has ended; the daemon may have restarted.",
            next: "To continue without a gap, run: homing events --follow --since \(cursor)")
    }
}
