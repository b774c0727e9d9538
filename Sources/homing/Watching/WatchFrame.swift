import ControlAPI

/// One frame: a pure function of the view, the time and the terminal size.
struct WatchFrame {
    let style: TextStyle
    let times: TimeText
    /// In columns.
    let width: Int
    /// In lines; nil for no limit.
    let height: Int?
    /// The last line; nil for none.
    var footer: String?

    /// At most `height` rows of at most `width` columns. A command to type stays whole, and takes more rows if it is longer than one.
    func lines(_ view: WatchView) -> [String] {
        guard view.problem == nil, let status = view.status else { return finished(without(view)) }
        var lines = heading(status) + attention(status.attention)
        for report in status.backends { lines += backend(report) }
        if let spool = status.spool, spool.waiting + spool.refused + spool.stuck + spool.unclaimed > 0 {
            lines += [Line(), Line("drop folder: \(StatusText.files(spool))")]
        }
        let room = height.map { max(0, $0 - rows(lines) - (footer == nil ? 0 : 1)) } ?? .max
        // Each table has an empty line and a heading, and may use the rows that the other leaves free.
        let most = Self.shown
        let delivered = min(most, view.delivered.count, max(room / 2 - 3, room - 6 - view.lanes.count))
        let lanes = min(most, view.lanes.count, room - 3 - (delivered > 0 ? delivered + 2 : 0))
        if lanes > 0 { lines += [Line()] + self.lanes(Array(view.lanes.prefix(lanes))) }
        if delivered > 0 { lines += [Line()] + deliveries(Array(view.delivered.prefix(delivered))) }
        return finished(lines)
    }

    /// The maximum number of rows in each table.
    private static let shown = 20

    private struct Line {
        var text = ""
        var tone = Tone.plain
        /// Never cut, because it may have a command.
        var isWhole = false
        init(_ text: String = "", _ tone: Tone = .plain, isWhole: Bool = false) {
            (self.text, self.tone, self.isWhole) = (text, tone, isWhole)
        }
    }

    private enum Tone { case plain, bold, faint, good, notable, alarming }

    private func painted(_ text: String, _ tone: Tone) -> String {
        switch tone {
        case .plain: text
        case .bold: style.bold(text)
        case .faint: style.faint(text)
        case .good: style.good(text)
        case .notable: style.notable(text)
        case .alarming: style.alarming(text)
        }
    }

    private func finished(_ lines: [Line]) -> [String] {
        var lines = lines
        if let height, rows(lines) > height - (footer == nil ? 0 : 1) {
            let room = max(0, height - (footer == nil ? 1 : 2))
            while rows(lines) > room { lines.removeLast() }
            lines.append(Line("… to see all, run: homing status"))
        }
        if let footer {
            if let height { lines += Array(repeating: Line(), count: max(0, height - rows(lines) - 1)) }
            lines.append(Line(footer, .faint))
        }
        return lines.map { painted(text(of: $0), $0.tone) }
    }

    private func text(of line: Line) -> String {
        line.isWhole ? line.text.printable : line.text.printable.cut(toColumns: width)
    }

    /// The rows of the terminal, which continues a long line on the next row.
    private func rows(_ lines: [Line]) -> Int {
        lines.reduce(0) { $0 + max(1, (text(of: $1).columns + width - 1) / max(1, width)) }
    }

    private func without(_ view: WatchView) -> [Line] {
        guard let problem = view.problem else { return [Line("Connecting to the daemon …", .faint)] }
        let title = problem.code == .daemonNotRunning ? "The daemon is not running. \(problem.detail)" : problem.detail
        let rest = [problem.next, "Accepted captures are safe. This display returns when the daemon runs again."].compactMap(\.self)
        return wrapped(title, .alarming) + rest.flatMap { $0.split(separator: "\n") }.flatMap { wrapped(String($0)) }
    }

    private func heading(_ status: Status) -> [Line] {
        wrapped(status.sentence, status.attention.isEmpty ? .good : .bold)
    }

    private func attention(_ items: [Attention]) -> [Line] {
        var lines = items.isEmpty ? [] : [Line(), Line("Needs a person:", .notable)]
        for item in items {
            lines += wrapped(item.text, indent: "  • ")
            // A command keeps its line.
            for (place, next) in item.next.split(separator: "\n").enumerated() {
                lines += wrapped(String(next), indent: place == 0 ? "    → " : "      ")
            }
        }
        return lines
    }

    private func backend(_ report: BackendReport) -> [Line] {
        var facts = [StatusText.counts(report.queue)]
        if let due = report.nextTry { facts.append("next try \(times.next(due))") }
        if let oldest = report.oldestWaiting { facts.append("oldest accepted \(times.relative(oldest))") }
        if let last = report.lastDelivered { facts.append("last delivered \(times.relative(last))") }
        var others = report.otherAccounts.map { "\(Words.entriesWait($0.waiting)) until \($0.email) signs in" }
        if let count = report.waitingForFormerAddress, let address = report.formerAddress {
            others.append("\(Words.entriesWait(count)) for \(address)")
        }
        var lines = [Line(), Line(report.name, .bold)]
        lines += wrapped("sending: \(StatusText.sending(report))", indent: "  ")
        lines += wrapped("account: \(SessionText(times: times).line(report.session))", indent: "  ")
        lines += wrapped(facts.joined(separator: " · "), indent: "  ")
        return lines + others.flatMap { wrapped($0, indent: "  ") }
    }

    private func lanes(_ lanes: [LaneReport]) -> [Line] {
        let severalBackends = Set(lanes.map(\.backend)).count > 1
        let title = lanes.contains { $0.subject != nil } ? "FOR" : "LANE"
        let columns: [Column<LaneReport>] = [
            Column(title, nil) { (severalBackends ? "\($0.backend) " : "") + ($0.subject?.text ?? $0.lane) },
            Column("WAITING", 7) { $0.waiting >= 1000 ? "1000+" : String($0.waiting) },
            Column("STATE", 10) { Words.state($0.state) },
            Column("CAPTURED", 12) { times.clock($0.capturedAt) },
            Column("NEXT TRY", 12) { next($0) },
            Column("FIRST ENTRY", 12) { EntryText.shortID($0.head) },
            Column("ACCOUNT", 24) { $0.email ?? $0.account },
        ]
        return table(columns, lanes)
    }

    private func next(_ lane: LaneReport) -> String {
        guard let due = lane.dueAt else { return "" }
        return due > times.now ? times.clock(due) : "now"
    }

    private func deliveries(_ events: [Event]) -> [Line] {
        var columns: [Column<Event>] = [
            Column("DELIVERED", nil) { times.precise($0.at) }, Column("ENTRY", 12) { $0.entry.map(EntryText.shortID) ?? "" },
        ]
        if events.contains(where: { $0.subject != nil }) { columns.append(Column("FOR", 24) { $0.subject?.text ?? "" }) }
        columns += [
            Column("SERVER ID", 14) { $0.detail["remoteID"] ?? "" }, Column("KIND", 18) { kind($0) },
            Column("BACKEND", 14) { $0.backend ?? "" },
        ]
        return table(columns, events)
    }

    private func kind(_ event: Event) -> String { event.title?.one ?? event.detail["route"].map { RosterTitle(route: $0).one } ?? "" }

    /// A column; without a width, it takes the rest.
    private struct Column<Row> {
        let title: String
        let width: Int?
        let cell: (Row) -> String
        init(_ title: String, _ width: Int?, _ cell: @escaping (Row) -> String) {
            (self.title, self.width, self.cell) = (title, width, cell)
        }
    }

    /// Shows as many columns as fit, starting with the first.
    private func table<Row>(_ columns: [Column<Row>], _ rows: [Row]) -> [Line] {
        var (shown, taken) = ([Column<Row>](), 0)
        for column in columns {
            let needed = column.width.map { $0 + 2 } ?? 15
            if taken + needed > width { break }
            taken += needed
            shown.append(column)
        }
        let most = rows.reduce(0) { max($0, (columns.first?.cell($1).columns ?? 0)) }
        let first = max(15, min(most, 15 + width - taken))
        func line(_ cells: [String]) -> String {
            let text = zip(shown, cells).map { column, cell in
                let width = column.width ?? first
                return cell.printable.cutBeforeID(toColumns: width).padded(toColumns: width)
            }
            return text.joined(separator: "  ").withoutTrailingSpaces
        }
        return [Line(line(shown.map(\.title)), .bold)] + rows.map { row in Line(line(shown.map { $0.cell(row) })) }
    }

    private func wrapped(_ text: String, _ tone: Tone = .plain, indent: String = "") -> [Line] {
        let margin = String(repeating: " ", count: indent.columns)
        let parts = text.printable.wrapped(toColumns: max(10, width - indent.columns))
        return parts.enumerated().map { Line(($0 == 0 ? indent : margin) + $1, tone, isWhole: true) }
    }
}
