import ControlAPI
import Foundation

struct RosterText {
    let style: TextStyle
    let times: TimeText
    /// In columns.
    let width: Int

    /// Shows only name and id: a second number could be mistaken for the id.
    func page(_ page: RosterPage) -> String {
        var lines = page.rows.isEmpty ? [] : table(page)
        lines += page.roster.sentence.printable.wrapped(toColumns: width)
        if let next = page.next {
            let many = page.roster.title.many.printable
            let more = "\(page.rows.count) of \(page.matching) \(many) are shown. For the next, add ‘--after \(next.printable.asArgument)’."
            lines += more.wrapped(toColumns: width).map(style.faint)
        }
        return lines.joined(separator: "\n")
    }

    /// Ids are never cut, because two could look alike.
    private func table(_ page: RosterPage) -> [String] {
        let ids = page.rows.reduce(2) { max($0, $1.shownID.printable.columns) }
        let columns = [
            Table.Column(title: "NAME", limit: max(8, width - 2 - ids), isSubject: true), .init(title: "ID", isNumber: true, least: ids),
        ]
        let rows = page.rows.map { [Self.name($0, page.roster), $0.shownID] }
        return Table(columns: columns, rows: rows, width: width).lines(style: style)
    }

    /// `Anna Example (new)` before the delivery, and `Anna Example (being deleted)` once a deletion is accepted.
    private static func name(_ row: RosterRow, _ roster: RosterReport) -> String {
        let isNamed = !row.isNew || !row.label.isEmpty
        let name = isNamed ? row.label : "new \(roster.title.one)"
        let marks: [String?] = [row.isNew && isNamed ? "new" : nil, row.deletion.map { _ in "being deleted" }]
        let known = marks.compactMap(\.self)
        return known.isEmpty ? name : "\(name) (\(known.joined(separator: ", ")))"
    }

    func lists(_ list: RosterList) -> String {
        guard !list.rosters.isEmpty else { return "No backend has a list that Homing keeps." }
        let columns = [
            Table.Column(title: "LIST", limit: width < 60 ? 12 : 24), .init(title: "AT", limit: width < 60 ? 11 : 24),
            .init(title: "ROWS", isNumber: true, rank: 1), .init(title: "READ", least: 12),
        ]
        let rows = list.rosters.map { [$0.title.many, $0.backend, $0.count.map { "\($0)" } ?? "–", age($0)] }
        return Table(columns: columns, rows: rows, width: width).lines(style: style).joined(separator: "\n")
    }

    private func age(_ report: RosterReport) -> String {
        switch report.knownState {
        case .signedOut: "signed out"
        case .unread: report.reading ? "now, for the first time" : report.failure.map { "not yet: \($0)" } ?? "not yet"
        case .complete, .incomplete, .unknown: Self.age(readAt: report.readAt, isIncomplete: report.knownState == .incomplete, times)
        }
    }

    private static func age(readAt: Date?, isIncomplete: Bool, _ times: TimeText) -> String {
        (readAt.map(times.relative) ?? "not yet") + (isIncomplete ? ", incomplete" : "")
    }

    /// `4, read 3 minutes ago (14:12)`, and why Homing cannot read it again.
    static func line(_ summary: RosterSummary, _ times: TimeText) -> String {
        guard let count = summary.count, summary.readAt != nil else {
            return "not read yet\(summary.failure.map { ": \($0.printable)" } ?? "")"
        }
        let isIncomplete = summary.state == RosterReport.State.incomplete.rawValue
        let obstacle = summary.failure.map { "; reading it again failed: \($0.printable)" } ?? ""
        return "\(count), read " + age(readAt: summary.readAt, isIncomplete: isIncomplete, times) + obstacle
    }

    /// Why --refresh read nothing new; nil if nothing was ever read, because the list's sentence then says why.
    func notRefreshed(_ report: RosterReport) -> String? {
        guard let readAt = report.readAt else { return nil }
        let below = "The list below was read \(times.relative(readAt))."
        if report.reading { return "Homing is still reading the list from \(report.backend). \(below)" }
        return report.failure.map { "Not refreshed: \($0.printable) \(below)" }
    }
}
