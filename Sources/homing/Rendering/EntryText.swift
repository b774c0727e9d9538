import ControlAPI

/// Entries as a table, as one line, and with everything there is to tell.
struct EntryText {
    let style: TextStyle
    let times: TimeText

    /// The end of an id, enough to name it again on the command line.
    static func shortID(_ id: String) -> String { String(id.suffix(12)) }

    func table(_ page: EntryPage, state: String?) -> String {
        guard !page.entries.isEmpty else { return "There are no \(state.map { "\($0) " } ?? "")entries here." }
        let severalBackends = Set(page.entries.map(\.backend)).count > 1
        var columns = [Table.Column(title: "#", isNumber: true), .init(title: "ID"), .init(title: "STATE"), .init(title: "CAPTURED")]
        if severalBackends { columns.append(.init(title: "BACKEND", limit: 14)) }
        columns += [
            .init(title: "ROUTE", limit: 18), .init(title: "LANE", limit: 16), .init(title: "SIZE", isNumber: true), .init(title: "ABOUT"),
        ]
        let rows = page.entries.map { entry in
            [String(entry.sequence), Self.shortID(entry.id), Self.state(entry), times.clock(entry.capturedAt)]
                + (severalBackends ? [entry.backend] : []) + [entry.route, entry.lane, Words.size(entry.size), about(entry)]
        }
        var lines = Table(columns: columns, rows: rows).lines(style: style)
        if let next = page.next { lines.append(style.faint("There are more: add --after \(next)")) }
        return lines.joined(separator: "\n")
    }

    /// `#12 3f2a91c04b7d, measurement, 17.4 kB, captured 3 minutes ago (14:05), dead`.
    func line(_ entry: EntrySummary) -> String {
        let parts = [entry.route, Words.size(entry.size), "captured \(times.relative(entry.capturedAt))", Self.state(entry)]
        return "#\(entry.sequence) \(Self.shortID(entry.id)), \(parts.joined(separator: ", "))".printable
    }

    func detail(_ detail: EntryDetail) -> String {
        let entry = detail.entry
        var facts = Facts()
        facts.add("id", entry.id)
        facts.add("number", "\(entry.sequence)")
        facts.add("state", Self.state(entry))
        facts.add("route", "\(entry.route) at \(entry.backend)")
        facts.add("account", entry.account)
        facts.add("in order with", entry.lane)
        facts.add("captured", times.relative(entry.capturedAt))
        facts.add("accepted", times.relative(entry.acceptedAt))
        facts.add("next try", entry.state == "pending" ? entry.dueAt.map { $0 <= times.now ? "now" : times.relative($0) } ?? "now" : nil)
        facts.add("settled", entry.settledAt.map(times.relative))
        facts.add("size", Words.size(entry.size))
        facts.add("attempts", "\(entry.attempts) counted, \(entry.releases) not counted")
        facts.add("uncertain", entry.uncertain ? uncertainty(entry) : nil)
        facts.add("at the server", entry.remoteID)
        facts.add("last answer", [entry.lastStatus.map(String.init), entry.lastError].compactMap(\.self).joined(separator: ": "))
        var lines = facts.lines()
        if !detail.attempts.isEmpty { lines += [""] + attempts(detail.attempts) }
        return lines.joined(separator: "\n")
    }

    private func uncertainty(_ entry: EntrySummary) -> String {
        let doubt = "it may have arrived already"
        guard ["pending", "inflight"].contains(entry.state) else { return doubt }
        return doubt + (entry.canBeLookedUp ? "; that is looked up before it is sent again" : "; this backend offers no way to find out")
    }

    private func attempts(_ attempts: [AttemptSummary]) -> [String] {
        let rows = attempts.map { attempt in
            [
                times.precise(attempt.startedAt), attempt.verdict, attempt.counted ? "yes" : "no", attempt.status.map(String.init) ?? "",
                attempt.message ?? "",
            ]
        }
        let columns = ["TRIED", "CAME TO", "COUNTED", "STATUS", "MESSAGE"].map { Table.Column(title: $0) }
        return Table(columns: columns, rows: rows).lines(style: style)
    }

    static func state(_ entry: EntrySummary) -> String {
        entry.holdReason.map { "\(entry.state) (\($0))" } ?? entry.state
    }

    private func about(_ entry: EntrySummary) -> String {
        if entry.state == "delivered" { return entry.remoteID.map { "at the server: \($0)" } ?? "" }
        if let error = entry.lastError { return error }
        guard entry.state == "pending", let due = entry.dueAt, due > times.now else { return "" }
        return "next try \(times.clock(due))"
    }
}
