import ControlAPI
import SyncModel

struct EntryText {
    let style: TextStyle
    let times: TimeText
    /// The width of the table, in columns; `Table.unlimited` cuts nothing.
    var width = Table.width

    /// The end of an id, which the command line accepts.
    static func shortID(_ id: String) -> String { EntryName.short(id) }

    /// Short enough to leave room for a name.
    static func shortID(_ id: String, width: Int) -> String { String(shortID(id).suffix(width < 60 ? 6 : 12)) }

    /// The reason for the state, and the next step.
    static func why(_ explanation: Explanation) -> String {
        [explanation.sentence, explanation.next].compactMap { $0?.printableLines.withShortIDs }.joined(separator: "\n")
    }

    /// - Parameter query: what the page answers.
    func table(_ page: EntryPage, _ query: EntryQuery = EntryQuery()) -> String {
        guard !page.entries.isEmpty else {
            let isFiltered = query.user != nil || query.route != nil || query.since != nil || query.until != nil
            return Self.none(in: query.state, isFiltered: isFiltered)
        }
        let severalBackends = Set(page.entries.map(\.backend)).count > 1
        let anySubjects = page.entries.contains { $0.subject != nil }
        func limit(_ columns: Int) -> Int { width == Table.unlimited ? .max : columns }
        var columns = [
            Table.Column(title: "#", isNumber: true), .init(title: "ID"), .init(title: "STATE"), .init(title: "CAPTURED", rank: 1),
        ]
        if severalBackends { columns.append(.init(title: "BACKEND", limit: limit(14), rank: 5)) }
        columns.append(.init(title: "KIND", limit: limit(18), rank: 3))
        if anySubjects { columns.append(.init(title: "FOR", limit: limit(24), least: 17, isSubject: true)) }
        columns += [.init(title: "SIZE", isNumber: true, rank: 4), .init(title: "ABOUT", rank: 2, least: 14)]
        let rows = page.entries.map { entry -> [String] in
            var row = [
                String(entry.sequence), Self.shortID(entry.id, width: width), Words.state(entry.state), times.clock(entry.capturedAt),
            ]
            if severalBackends { row.append(entry.backend) }
            row.append(entry.kind.one)
            if anySubjects { row.append(entry.subject?.text ?? "") }
            return row + [Words.size(entry.size), about(entry)]
        }
        var lines = Table(columns: columns, rows: rows, width: width).lines(style: style)
        if let extent = Self.extent(of: page, isNewest: query.after == nil) {
            lines += extent.wrapped(toColumns: width).map(style.faint)
        }
        return lines.joined(separator: "\n")
    }

    /// `No entries are on hold.`
    ///
    /// - Parameter state: nil for any.
    static func none(in state: String?, isFiltered: Bool = false) -> String {
        let entries = isFiltered ? "matching entries" : "entries"
        guard let state else { return "There are no \(entries)." }
        switch EntryState(rawValue: state) {
        case .dead: return "No \(entries) have failed."
        case .delivered, .discarded: return "No \(entries) have been \(Words.state(state))."
        case .pending, .inflight, .held, nil: return "No \(entries) are \(Words.state(state))."
        }
    }

    /// `100 of 5,000 shown`, and how to see the others.
    private static func extent(of page: EntryPage, isNewest: Bool) -> String? {
        guard page.total > page.shown || page.totalIsLeast == true else { return nil }
        let total = (page.totalIsLeast == true ? "more than " : "") + Words.number(page.total)
        let shown = "\(Words.number(page.shown)) of \(total) shown"
        if isNewest { return "\(shown), the newest. To begin with the oldest, add ‘--after 0’." }
        return page.next.map { "\(shown). For the next, add ‘--after \($0)’." } ?? "\(shown)."
    }

    /// `#12 3f2a91c04b7d, measurement of Anna Example (28), 17.4 kB, captured 3 minutes ago (14:05), failed: refused`.
    func line(_ entry: EntrySummary) -> String {
        let parts = [entry.words, Words.size(entry.size), "captured \(times.relative(entry.capturedAt))", entry.stateWords]
        return "#\(entry.sequence) \(Self.shortID(entry.id)), \(parts.joined(separator: ", "))".printable
    }

    /// The first 20 entries, one per line.
    static func lines(_ entries: [EntrySummary], _ times: TimeText) -> [String] {
        let text = EntryText(style: .plain, times: times)
        let more = entries.count > longestList ? ["  and \(entries.count - longestList) more"] : []
        return entries.prefix(longestList).map { "  " + text.line($0) } + more
    }

    private static let longestList = 20

    /// Warns of each entry that will overwrite a newer change.
    static func overwriting(_ entries: [EntrySummary]) -> [String] {
        entries.compactMap { entry -> String? in
            guard let newer = entry.overwrites.map({ shortID($0) }) else { return nil }
            let id = shortID(entry.id)
            return "Entry \(newer) is a newer change of the same row, and was sent already. Entry \(id) will overwrite it. "
                + "If the newer values must win, submit them again as a new change."
        }
    }

    func detail(_ detail: EntryDetail) -> String {
        let entry = detail.entry
        var facts = Facts()
        facts.add("id", entry.id)
        facts.add("number", "\(entry.sequence)")
        facts.add("state", entry.stateWords)
        facts.add("kind", "\(entry.kind.one) at \(entry.backend)")
        facts.add("for", entry.subject?.text)
        facts.add("fields", detail.fields.map { $0.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ") })
        facts.add("account", entry.account)
        facts.add("lane", entry.lane)
        facts.add("captured", times.relative(entry.capturedAt))
        facts.add("accepted", times.relative(entry.acceptedAt))
        facts.add("next try", entry.knownState == .pending ? nextTry(detail) : nil)
        facts.add("settled", entry.settledAt.map(times.relative))
        facts.add("replaced", entry.supersededBy.map { "by entry \(Self.shortID($0))" })
        facts.add("needs", entry.needs.map { "entry \(Self.shortID($0))" })
        facts.add("discarded", entry.discardAt.map { "for good \(times.next($0))" })
        facts.add("undo", entry.discardAt.map { _ in "an administrator runs: homing undo \(Self.shortID(entry.id))" })
        facts.add("size", Words.size(entry.size))
        facts.add("attempts", "\(entry.attempts) counted, \(entry.releases) not counted")
        facts.add("uncertain", entry.uncertain ? uncertainty(entry) : nil)
        facts.add("server id", entry.remoteID)
        facts.add("altered", detail.altered.map(ReceiptText.altered))
        facts.add("last answer", [entry.lastStatus.map(String.init), entry.lastError].compactMap(\.self).joined(separator: ": "))
        var lines = facts.lines(width: width)
        if !detail.attempts.isEmpty { lines += [""] + attempts(detail.attempts) }
        return lines.joined(separator: "\n")
    }

    private func nextTry(_ detail: EntryDetail) -> String {
        if detail.entry.paused == true { return "when sending resumes" }
        if let first = detail.behind { return "after entry \(Self.shortID(first))" }
        return detail.entry.dueAt.map(times.next) ?? "now"
    }

    private func uncertainty(_ entry: EntrySummary) -> String {
        let doubt = "it may already have been delivered"
        guard entry.knownState == .pending || entry.knownState == .inflight else { return doubt }
        return doubt + (entry.canBeLookedUp ? "; Homing looks it up before it sends it again" : "; this backend offers no look-up")
    }

    private func attempts(_ attempts: [AttemptSummary]) -> [String] {
        let rows = attempts.map { attempt in
            [
                times.precise(attempt.startedAt), Words.verdict(attempt.verdict), attempt.counted ? "yes" : "no",
                attempt.status.map(String.init) ?? "", attempt.message ?? "",
            ]
        }
        let ranks = ["TRIED": 0, "RESULT": 0, "COUNTED": 2, "STATUS": 1, "MESSAGE": 0]
        let columns = ["TRIED", "RESULT", "COUNTED", "STATUS", "MESSAGE"].map { Table.Column(title: $0, rank: ranks[$0] ?? 0) }
        return Table(columns: columns, rows: rows, width: width).lines(style: style)
    }

    private func about(_ entry: EntrySummary) -> String {
        if entry.knownState == .delivered { return entry.remoteID.map { "server id \($0)" } ?? "" }
        if let new = entry.supersededBy { return "replaced by \(Self.shortID(new, width: width))" }
        // As ‘why’ does: until sending resumes, no other reason matters.
        if entry.paused == true { return "sending is paused" }
        if let first = entry.behind { return "after \(Self.shortID(first, width: width))" }
        let known = [entry.holdReason.map(Words.holdReason), entry.lastError].compactMap(\.self)
        if !known.isEmpty { return known.joined(separator: ": ") }
        guard entry.knownState == .pending, let due = entry.dueAt, due > times.now else { return "" }
        return "next try \(times.clock(due))"
    }
}
