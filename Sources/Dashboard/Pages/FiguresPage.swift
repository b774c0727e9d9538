import ControlAPI
import Foundation

/// Figures of the last days and hours: charts, the accounts, the outages, and a table with each day.
struct FiguresPage: Sendable {
    var report: StatsReport

    /// In days, of which the last one is today.
    static let length = 30
    static let secondsPerDay = 86_400.0

    func page(_ desk: Desk) -> Page {
        let title = desk.words["tab.figures"]
        return Page(title, tab: .figures, isLive: false, "<h1>\(title)</h1><div id=\"figures\">\(content(desk))</div>")
    }

    private func content(_ desk: Desk) -> HTML {
        let words = desk.words
        let days = self.days
        let length = words.number(Self.length)
        let hasEntries = days.contains { $0.stats.captured > 0 || $0.stats.delivered > 0 }
        let none: HTML = "<p>\(words["figures.none", ["days": length]])</p>"
        let chart = hasEntries ? DailyChart(days: days).figure(desk) : none
        guard !report.accounts.isEmpty || !report.backends.isEmpty else { return none }
        let accounts = report.accounts.map { account($0, desk) }
        let discarded: HTML? = accounts.isEmpty ? nil : "<p class=\"faint\">\(words["figures.discarded"])</p>"
        return """
            <p class="faint">\(words["figures.period", ["days": length]])</p>\(chart)\(hours(desk))\
            \(accounts)\(discarded)\(outages(desk))\(table(days, desk))
            """
    }

    /// Oldest first, with days that have no figures, at most `length`.
    private var days: [FigureDay] {
        let known = Dictionary(report.days.map { ($0.day, $0) }, uniquingKeysWith: { first, _ in first })
        let first = (report.since.timeIntervalSince1970 / Self.secondsPerDay).rounded(.down)
        // The end may be the begin of the next day.
        let last = ((report.until.timeIntervalSince1970 - 0.001) / Self.secondsPerDay).rounded(.down)
        return stride(from: max(first, last - Double(Self.length - 1)), through: last, by: 1).map { number in
            let begin = Date(timeIntervalSince1970: number * Self.secondsPerDay)
            let day = begin.formatted(.iso8601.year().month().day())
            return FigureDay(begin: begin, stats: known[day] ?? DayStats(day: day))
        }
    }

    private func account(_ account: AccountStats, _ desk: Desk) -> HTML {
        let words = desk.words
        func number(_ number: Int) -> HTML { "\(words.number(number))" }
        let reasons = account.refused.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let refused: [HTML] = reasons.map { reason, count in
            "<span class=\"count\">\(words.number(count)) \(HTML.outside(words.refusal(reason)))</span> "
        }
        var facts: [(String, HTML)] = [
            ("captured", number(account.captured)), ("delivered", number(account.delivered)),
            ("refused", refused.isEmpty ? number(0) : "\(refused)"), ("discarded", number(account.discarded)),
        ]
        if let median = account.medianDelay { facts.append(("median", "\(words.length(median))")) }
        if let most = account.p95Delay { facts.append(("most", "\(words.length(most))")) }
        facts += [("in", number(account.signIns)), ("out", number(account.signOuts))]
        return """
            <h2>\(words["fact.account"]) \(HTML.outside(account.email ?? account.account)) \
            <span class="faint">\(HTML.outside(account.backend))</span></h2>\(desk.facts(facts))
            """
    }

    private func outages(_ desk: Desk) -> HTML {
        let words = desk.words
        let facts: [(String, HTML)] = report.backends.map { ("field:\($0.backend)", outages(of: $0, desk)) }
        let none: HTML = "<p>\(words["figures.outages.none"])</p>"
        return "<h2>\(words["figures.outages"])</h2>\(facts.isEmpty ? none : desk.facts(facts))"
    }

    private func outages(of backend: BackendStats, _ desk: Desk) -> HTML {
        let words = desk.words
        var parts: [HTML] = ["\(words.count("outages", backend.outages))"]
        if backend.outageTime > 0 { parts.append("\(words["outages.length", ["length": words.length(backend.outageTime)]])") }
        if let since = backend.outageSince { parts.append("\(words["outages.since"]) \(desk.time(since))") }
        if backend.signInsFailed > 0 { parts.append("\(words.count("sign.ins.failed", backend.signInsFailed))") }
        let spans: [HTML] = parts.map { "<span class=\"count\">\($0)</span> " }
        return "\(spans)"
    }

    private func table(_ days: [FigureDay], _ desk: Desk) -> HTML {
        let words = desk.words
        let columns = ["captured", "delivered", "refused", "in", "out", "unreachable"].map { words["fact.\($0)"] }
        let heads: [HTML] = ([words["column.day"]] + columns).map { "<th scope=\"col\">\($0)</th>" }
        let rows: [HTML] = days.reversed().filter(\.hasFigures).map { day in
            let stats = day.stats
            let numbers = [stats.captured, stats.delivered, stats.refused, stats.signIns, stats.signOuts].map(words.number)
            let values = numbers + [stats.outageTime > 0 ? words.length(stats.outageTime) : ""]
            let cells: [HTML] = zip(columns, values).map { name, value in "<td data-name=\"\(name)\">\(value)</td>" }
            return "<tr><th scope=\"row\">\(desk.day(day.begin))</th>\(cells)</tr>"
        }
        return """
            <h2>\(words["figures.days"])</h2><p class="faint">\(words["figures.days.rest"])</p>\
            <div class="chunk figures"><table><thead><tr>\(heads)</tr></thead><tbody>\(rows)</tbody></table></div>
            """
    }
}

/// One day of a report.
struct FigureDay: Sendable {
    /// Midnight in UTC.
    var begin: Date
    var stats: DayStats

    var hasFigures: Bool { stats != DayStats(day: stats.day) }
}
