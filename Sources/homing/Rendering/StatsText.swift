import ControlAPI
import Foundation

struct StatsText {
    let style: TextStyle
    let times: TimeText
    /// In columns.
    var width = Table.width

    /// - Parameter since: the begin that the person asked for; nil for the default.
    func text(_ report: StatsReport, since: Date? = nil) -> String {
        let period = Self.period(report)
        let limit = Self.limit(report, since).map { $0.wrapped(toColumns: width) } ?? []
        guard !report.accounts.isEmpty || !report.backends.isEmpty else {
            let none = "No figures for \(period): nothing was captured or delivered.".wrapped(toColumns: width)
            return (none + limit).joined(separator: "\n")
        }
        var lines = "Whole days in UTC, \(period)".wrapped(toColumns: width) + limit
        let table = table(report.accounts)
        if !report.accounts.isEmpty { lines += [""] + table.lines(style: style) }
        var notes = report.accounts.compactMap(Self.refusals)
        notes += report.backends.map(outages)
        lines += notes.isEmpty ? [] : [""]
        lines += notes.flatMap { $0.wrapped(toColumns: width) }
        if !report.accounts.isEmpty {
            let words = Self.legend(table, hasDelays: report.accounts.contains { $0.medianDelay != nil })
            lines += words.flatMap { $0.wrapped(toColumns: width) }.map(style.faint)
        }
        return lines.joined(separator: "\n")
    }

    /// Nil unless the period begins later than it should.
    private static func limit(_ report: StatsReport, _ since: Date?) -> String? {
        guard let since, since < report.since else { return nil }
        return "Homing keeps figures for 400 days before today, so the period begins later than you asked."
    }

    /// Explains the columns that fit.
    private static func legend(_ table: Table, hasDelays: Bool) -> [String] {
        let titles = table.shownTitles
        var words: [String] = []
        if hasDelays, titles.contains("MEDIAN") {
            let rest = titles.contains("95 %") ? ", and 95 % within the next. Both are exact to 5 %." : ". It is exact to 5 %."
            words.append("MEDIAN: half of the entries were delivered within this time\(rest)")
        }
        if titles.contains("DISCARDED") { words.append("DISCARDED: an entry counts once ‘homing undo’ can no longer bring it back.") }
        if titles.count < table.columns.count { words.append("A wider terminal shows more columns.") }
        return words
    }

    private func table(_ accounts: [AccountStats]) -> Table {
        func number(_ title: String, _ rank: Int) -> Table.Column { Table.Column(title: title, isNumber: true, rank: rank, least: 10) }
        let columns = [
            Table.Column(title: "ACCOUNT", limit: 20), number("CAPTURED", 2), number("DELIVERED", 0), number("REFUSED", 0),
            number("DISCARDED", 5), number("MEDIAN", 3), number("95 %", 4), number("SIGN-INS", 6), number("SIGN-OUTS", 7),
        ]
        let rows = accounts.map { account -> [String] in
            [
                account.email ?? account.account, Words.number(account.captured), Words.number(account.delivered),
                Words.number(account.refused.values.reduce(0, +)), Words.number(account.discarded),
                account.medianDelay.map(Words.length) ?? "", account.p95Delay.map(Words.length) ?? "", Words.number(account.signIns),
                Words.number(account.signOuts),
            ]
        }
        return Table(columns: columns, rows: rows, width: width)
    }

    /// `2025-02-10 to 2025-03-11`.
    private static func period(_ report: StatsReport) -> String {
        func day(_ date: Date) -> String { date.formatted(.iso8601.year().month().day()) }
        return "\(day(report.since)) to \(day(max(report.since, report.until.addingTimeInterval(-0.001))))"
    }

    /// `Refused for anna@clinic.example: 3 by the server, 1 not permitted.`; nil for none.
    private static func refusals(_ account: AccountStats) -> String? {
        guard !account.refused.isEmpty else { return nil }
        let reasons = account.refused.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\(Words.number($0.value)) \(Words.refusal($0.key))" }
        return "Refused for \((account.email ?? account.account).printable): \(reasons.joined(separator: ", "))."
    }

    /// `breathesafe: 2 outages, in total 3 h 20 min. Unreachable since 3 minutes ago (14:05).`
    private func outages(_ backend: BackendStats) -> String {
        var text = "\(backend.backend): \(Words.count(backend.outages, "outage", "outages"))"
        if backend.outageTime > 0 { text += ", in total \(Words.length(backend.outageTime))" }
        text += "."
        if let since = backend.outageSince { text += " Not reachable now; the outage began \(times.relative(since))." }
        if backend.signInsFailed > 0 { text += " \(Words.count(backend.signInsFailed, "failed sign-in", "failed sign-ins"))." }
        return text
    }
}
