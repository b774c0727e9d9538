import ControlAPI

/// The status: a sentence, the items that need a person, then each backend.
struct StatusText {
    let style: TextStyle
    let times: TimeText
    /// In columns.
    var width = Table.width
    /// False for programs that read the first line.
    var wrapsSentence = false

    func lines(_ status: Status) -> String {
        let items = status.attention
        let sentence = status.sentence.printable
        let lines = wrapsSentence ? sentence.wrapped(toColumns: width) : [sentence]
        var blocks = [lines.map { items.isEmpty ? style.good($0) : style.bold($0) }]
        if !items.isEmpty { blocks.append(attention(items)) }
        blocks += status.backends.map(block)
        if let spool = status.spool {
            let files = Self.files(spool).wrapped(toColumns: width - 2).map { "  \($0)" }
            blocks.append(heading("drop folder", spool.directory.printable) + files)
        }
        return blocks.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    }

    private func attention(_ items: [Attention]) -> [String] {
        [style.notable("Needs a person:")]
            + items.flatMap { item in
                let text = item.text.printable.wrapped(toColumns: width - 4)
                // A command keeps its line.
                let next = item.next.printableLines.split(separator: "\n").flatMap { String($0).wrapped(toColumns: width - 6) }
                return text.enumerated().map { ($0 == 0 ? "  • " : "    ") + $1 }
                    + next.enumerated().map { ($0 == 0 ? "    → " : "      ") + $1 }
            }
    }

    private func block(_ report: BackendReport) -> [String] {
        var facts = Facts()
        facts.add("account", account(report))
        for owed in report.owedSignOuts ?? [] { facts.add("sign-out", owed.sentence) }
        facts.add("entries", Self.counts(report.queue))
        facts.add("look-ups", report.queue.unseen > 0 ? "\(Words.entriesWait(report.queue.unseen)) for a look-up that keeps failing" : nil)
        facts.add("sending", Self.sending(report))
        facts.add("last reached", report.connectedAt.map(times.relative))
        facts.add("oldest waiting", report.oldestWaiting.map { "accepted \(times.relative($0))" })
        facts.add("last delivered", report.lastDelivered.map(times.relative))
        facts.add("next try", report.nextTry.map(times.next))
        for other in report.otherAccounts {
            facts.add("others", "\(Words.entriesWait(other.waiting)) until \(other.email) signs in")
        }
        if let count = report.waitingForFormerAddress, let address = report.formerAddress {
            facts.add("former address", "\(Words.entriesWait(count)) for \(address.printable)")
        }
        for list in report.rosters ?? [] { facts.add(list.title.many, RosterText.line(list, times)) }
        let (name, address) = (report.name, report.baseURL.printable)
        return heading(style.bold(name), style.faint(address), columns: name.columns + address.columns)
            + facts.lines(indent: 2, width: width)
    }

    private func account(_ report: BackendReport) -> String {
        let line = SessionText(times: times).line(report.session)
        guard report.session.knownState == .signedOut else { return line }
        return "\(line). To sign in, run: \(report.signInCommand ?? "homing login")"
    }

    /// On one line if it fits.
    private func heading(_ name: String, _ place: String, columns: Int? = nil) -> [String] {
        (columns ?? name.columns + place.columns) + 2 <= width ? ["\(name)  \(place)"] : [name, "  \(place)"]
    }

    /// `3 waiting, 1 being sent, 412 delivered`; omits states without entries.
    static func counts(_ queue: QueueReport) -> String {
        let parts = [
            (queue.pending, "waiting"), (queue.inflight, "being sent"), (queue.held, "on hold"), (queue.dead, "failed"),
            (queue.delivered, "delivered"), (queue.discarded, "discarded"),
        ]
        let text = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        return text.isEmpty ? "none yet" : text
    }

    static func sending(_ report: BackendReport) -> String {
        // The reason is a complete sentence that mentions the pause.
        if report.knownGate == .paused, let reason = report.gateReason { return reason }
        let state =
            switch report.knownGate {
            case .open: on(report)
            case .paused: "paused"
            case .signInRequired: "stopped until \((report.awaited ?? "an account").printable) signs in"
            case .cooling: "waiting to try again"
            case .unknown: report.gate
            }
        return report.gateReason.map { "\(state): \($0)" } ?? state
    }

    private static func on(_ report: BackendReport) -> String {
        guard let routes = report.coolingRoutes, report.queue.waiting > 0 else { return "on" }
        let reasons = Set(routes.map { $0.reason.hasSuffix(".") ? String($0.reason.dropLast()) : $0.reason }).sorted()
        return "on, except for \(routes.map(\.kind.many).inWords): \(reasons.joined(separator: "; "))."
    }

    static func files(_ spool: SpoolReport) -> String {
        if spool.waiting + spool.refused + spool.stuck + spool.unclaimed == 0 { return "empty: no files are waiting" }
        var parts: [String] = []
        if spool.waiting > 0 { parts.append("\(Words.count(spool.waiting, "file", "files")) not accepted yet") }
        if spool.refused > 0 {
            parts.append(
                "\(Words.count(spool.refused, "file", "files")) refused, \(spool.refused == 1 ? "with its" : "each with its") reason beside it"
            )
        }
        if spool.stuck > 0 { parts.append("\(Words.count(spool.stuck, "file", "files")) that cannot be accepted") }
        if spool.unclaimed > 0 { parts.append("\(Words.count(spool.unclaimed, "file", "files")) dropped while signed out, not claimed") }
        return parts.joined(separator: "; ")
    }
}
