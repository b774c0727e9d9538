import ControlAPI
import Foundation

struct StatsText {
    let style: TextStyle
    let times: TimeText
    /// In columns.
    var width = Table.width

    func text(_ report: StatsReport) -> String {
        let period = Self.period(report)
        guard !report.accounts.isEmpty || !report.backends.isEmpty else {
            return "No figures for \(period): nothing was captured or delivered.".wrapped(toColumns: width).joined(separator: "\n")
        }
        var lines = "Whole days in UTC, \(period)".wrapped(toColumns: width)
        if !report.accounts.isEmpty { lines += [""] + table(report.accounts) }
        var notes = report.accounts.compactMap(Self.refusals)
        notes += report.backends.map(outages)
        lines += notes.isEmpty ? [] : [""]
        lines += notes.flatMap { $0.wrapped(toColumns: width) }
        if report.accounts.contains(where: { $0.medianDelay != nil }) {
            let words = "MEDIAN: half of the captures were delivered within this time, and 95 % within the next. Both are exact to 5 %."
            lines += words.wrapped(toColumns: width).map(style.faint)
        }
        return lines.joined(separator: "\n")
    }

    private func table(_ accounts: [AccountStats]) -> [String] {
        func number(_ title: String, _ rank: Int) -> Table.Column { Table.Column(title: title, isNumber: true, rank: rank, least: 10) }
        let columns = [
            Table.Column(title: "ACCOUNT", limit: 20), number("CAPTURED", 2), number("DELIVERED", 0), number("REFUSED", 0),
            number("MEDIAN", 3), number("95 %", 4), number("SIGN-INS", 5), number("SIGN-OUTS", 6),
        ]
        let rows = accounts.map { account -> [String] in
            [
                account.email ?? account.account, Words.number(account.captured), Words.number(account.delivered),
                Words.number(account.refused.values.reduce(0, +)), account.medianDelay.map(Words.length) ?? "",
                account.p95Delay.map(Words.length) ?? "", Words.number(account.signIns), Words.number(account.signOuts),
            ]
        }
        return Table(columns: columns, rows: rows, width: width).lines(style: style)
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

    /// `breathesafe: 2 outages, together 3 h 20 min. Unreachable since 3 minutes ago (14:05).`
    private func outages(_ backend: BackendStats) -> String {
        var text = "\(backend.backend): \(Words.count(backend.outages, "outage", "outages"))"
        if backend.outageTime > 0 { text += ", together \(Words.length(backend.outageTime))" }
        text += "."
        if let since = backend.outageSince { text += " Not reachable now; the outage began \(times.relative(since))." }
        if backend.signInsFailed > 0 { text += " \(Words.count(backend.signInsFailed, "failed sign-in", "failed sign-ins"))." }
        return text
    }
}
